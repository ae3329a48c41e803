// ILCommunication: the messages and calls that a person reports.

public import Foundation
package import PointMessages

/// A message or a call.
open class ILCommunication: NSObject, @unchecked Sendable {  // its properties are constant
    /// The sender: a telephone number or an address. Nil if it is unknown.
    public let sender: String?
    /// The time at which it came.
    public let dateReceived: Date

    package init(_ communication: ReportedCommunication) {
        sender = communication.sender
        dateReceived = Date(timeIntervalSince1970: communication.date)
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ILCommunication, type(of: other) == type(of: self) else { return false }
        return other.sender == sender && other.dateReceived == dateReceived
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(sender)
        hasher.combine(dateReceived)
        return hasher.finalize()
    }
}

/// A message.
open class ILMessageCommunication: ILCommunication, @unchecked Sendable {  // its properties are constant
    /// The text of the message. Nil if the host does not tell it.
    public let messageBody: String?

    package override init(_ communication: ReportedCommunication) {
        messageBody = communication.body
        super.init(communication)
    }

    open override func isEqual(_ object: Any?) -> Bool {
        super.isEqual(object) && (object as? ILMessageCommunication)?.messageBody == messageBody
    }
}

/// A telephone call.
open class ILCallCommunication: ILCommunication, @unchecked Sendable {}  // it has no properties
