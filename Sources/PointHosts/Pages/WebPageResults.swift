// WebPageResults: a property list that goes between a script and an extension.

public import Foundation
package import PropertyListCoding

/// A value that a script passed, or that it gets.
public struct WebPageResults: Sendable, Hashable {
    package let plist: PropertyList

    package init(plist: PropertyList) { self.plist = plist }

    /// Makes a value of Foundation's objects.
    ///
    /// - Parameter value: a text, number, date or data, an array, or a dictionary with texts as keys.
    /// - Returns: nil for any other value, also inside, and for one deeper than 64 levels.
    public init?(_ value: Any) {
        guard let plist = Self.plist(value, 0) else { return nil }
        self.plist = plist
    }

    /// The value as a new object of Foundation.
    public var object: any NSObjectProtocol & NSSecureCoding { Self.object(plist) }

    private static func plist(_ value: Any, _ depth: Int) -> PropertyList? {
        guard depth < 64 else { return nil }
        switch value {
        case let text as String: return .string(text)
        case let number as NSNumber:
            // Foundation has one object for each truth value; its type letter is that of small integers, too.
            if number === NSNumber(value: true) || number === NSNumber(value: false) {
                return .boolean(number.boolValue)
            }
            switch UInt8(bitPattern: number.objCType.pointee) {
            case UInt8(ascii: "f"), UInt8(ascii: "d"): return .real(number.doubleValue)
            default: return .integer(number.int64Value)
            }
        case let value as Bool: return .boolean(value)
        case let value as any BinaryInteger: return Int64(exactly: value).map { .integer($0) }
        case let value as Double: return .real(value)
        case let date as Date: return .date(date.timeIntervalSinceReferenceDate)
        case let data as Data: return .data([UInt8](data))
        case let values as [Any]:
            var list: [PropertyList] = []
            for value in values {
                guard let plist = plist(value, depth + 1) else { return nil }
                list.append(plist)
            }
            return .array(list)
        case let members as [AnyHashable: Any]:
            var pairs: [(String, PropertyList)] = []
            for (key, value) in members {
                guard let key = key.base as? String, let plist = plist(value, depth + 1) else { return nil }
                pairs.append((key, plist))
            }
            return .dictionary(PropertyListDictionary(pairs.sorted { $0.0 < $1.0 }))
        default: return nil
        }
    }

    private static func object(_ plist: PropertyList) -> any NSObjectProtocol & NSSecureCoding {
        switch plist {
        case .boolean(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .date(let value): NSDate(timeIntervalSinceReferenceDate: value)
        case .string(let value): NSString(string: value)
        case .data(let value): NSData(data: Data(value))
        case .array(let values): NSArray(array: values.map(object))
        case .dictionary(let members):
            NSDictionary(dictionary: Dictionary(members.map { ($0, object($1)) }, uniquingKeysWith: { $1 }))
        }
    }
}
