// TimeRecords: the objects of intents that are times, files and amounts of money.

public import Foundation

/// The frequencies of a recurrence.
public enum INRecurrenceFrequency: Int, Sendable, CaseIterable {
    case unknown, minute, hourly, daily, weekly, monthly, yearly
}

extension INRecurrenceFrequency: _IntentEnumeration {}

/// A recurrence.
open class INRecurrenceRule: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var interval: Int
    public internal(set) var frequency: INRecurrenceFrequency

    public init(interval: Int, frequency: INRecurrenceFrequency) {
        self.interval = interval
        self.frequency = frequency
    }
}

extension INRecurrenceRule: IntentRecord {
    static var kind: String { "recurrence" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let interval: Int = members("interval"),
            let frequency: INRecurrenceFrequency = members("frequency")
        else { return nil }
        return INRecurrenceRule(interval: interval, frequency: frequency)
    }
    var members: IntentMembers {
        IntentMembers(["interval": interval, "frequency": frequency])
    }
}

/// A time between two dates, either of which may be open.
open class INDateComponentsRange: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var startDateComponents: DateComponents?
    public internal(set) var endDateComponents: DateComponents?
    public internal(set) var recurrenceRule: INRecurrenceRule?

    public init(
        start startDateComponents: DateComponents?, end endDateComponents: DateComponents?,
        recurrenceRule: INRecurrenceRule?
    ) {
        self.startDateComponents = startDateComponents
        self.endDateComponents = endDateComponents
        self.recurrenceRule = recurrenceRule
    }

    public init(start startDateComponents: DateComponents?, end endDateComponents: DateComponents?) {
        self.startDateComponents = startDateComponents
        self.endDateComponents = endDateComponents
    }
}

extension INDateComponentsRange: IntentRecord {
    static var kind: String { "range" }
    static func read(_ members: IntentMembers) -> Any? {
        return INDateComponentsRange(
            start: members("startDateComponents"), end: members("endDateComponents"),
            recurrenceRule: members("recurrenceRule"))
    }
    var members: IntentMembers {
        IntentMembers([
            "startDateComponents": startDateComponents, "endDateComponents": endDateComponents,
            "recurrenceRule": recurrenceRule,
        ])
    }
}

/// A file by its bytes.
open class INFile: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var data: Data
    public internal(set) var filename: String
    public internal(set) var typeIdentifier: String?

    public init(data: Data, filename: String, typeIdentifier: String?) {
        self.data = data
        self.filename = filename
        self.typeIdentifier = typeIdentifier
    }

    /// The place of a file that the author has made from one.
    open var fileURL: URL? { nil }
}

extension INFile: IntentRecord {
    static var kind: String { "file" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let data: Data = members("data"),
            let filename: String = members("filename")
        else { return nil }
        return INFile(data: data, filename: filename, typeIdentifier: members("typeIdentifier"))
    }
    var members: IntentMembers {
        IntentMembers(["data": data, "filename": filename, "typeIdentifier": typeIdentifier])
    }
}

/// An amount of money.
open class INCurrencyAmount: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var number: NSNumber
    public internal(set) var currencyCode: String?

    public init(number: NSNumber, code currencyCode: String?) {
        self.number = number
        self.currencyCode = currencyCode
    }

    /// The amount.
    open var amount: NSDecimalNumber? { NSDecimalNumber(decimal: number.decimalValue) }

    /// - Parameters:
    ///   - amount: the amount.
    ///   - currencyCode: the ISO code, such as `EUR`.
    public convenience init(amount: NSDecimalNumber, currencyCode: String) {
        self.init(number: amount, code: currencyCode)
    }
}

extension INCurrencyAmount: IntentRecord {
    static var kind: String { "money" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let number: NSNumber = members("number")
        else { return nil }
        // The digits are exact, which those of a binary number are not.
        let digits: String? = members("digits")
        let exact = digits.map { NSDecimalNumber(string: $0) }.flatMap { $0.decimalValue.isNaN ? nil : $0 }
        return INCurrencyAmount(number: exact ?? number, code: members("currencyCode"))
    }
    var members: IntentMembers {
        IntentMembers(["number": number, "digits": number.stringValue, "currencyCode": currencyCode])
    }
}
