// ILClassification: the reports of messages and calls, and the answers of the extension that makes them.

public import Foundation
package import PointMessages

/// The communications that a person reports: the base of the two kinds.
open class ILClassificationRequest: NSObject, @unchecked Sendable {  // its properties are constant
    package override init() {}

    /// Makes the request with a host's communications; of an unknown kind, it has none.
    package static func make(
        _ kind: ReportedCommunication.Kind, _ communications: [ReportedCommunication]
    ) -> ILClassificationRequest {
        switch kind {
        case .message: ILMessageClassificationRequest(communications)
        case .call: ILCallClassificationRequest(communications)
        case .unrecognized: ILClassificationRequest()
        }
    }
}

/// The messages that a person reports.
open class ILMessageClassificationRequest: ILClassificationRequest, @unchecked Sendable {
    /// The messages, the oldest first (the order is ours).
    public let messageCommunications: [ILMessageCommunication]

    init(_ communications: [ReportedCommunication]) {
        messageCommunications = communications.map { ILMessageCommunication($0) }
    }
}

/// The calls that a person reports.
open class ILCallClassificationRequest: ILClassificationRequest, @unchecked Sendable {
    /// The calls, the oldest first (the order is ours).
    public let callCommunications: [ILCallCommunication]

    init(_ communications: [ReportedCommunication]) {
        callCommunications = communications.map { ILCallCommunication($0) }
    }
}

/// The answers to a report. The numbers are Apple's (header).
public enum ILClassificationAction: Int, Sendable {
    /// The system does nothing.
    case none = 0
    /// The system reports that the communications are no junk.
    case reportNotJunk = 1
    /// The system reports them as junk.
    case reportJunk = 2
    /// The system reports them as junk, and blocks the sender.
    case reportJunkAndBlockSender = 3
}

/// The answer of the extension.
open class ILClassificationResponse: NSObject {
    /// The action of the system.
    public let action: ILClassificationAction
    /// The text of the message to `ILClassificationExtensionSMSReportDestination`.
    open var userString: String?
    /// The values that go to the server at `ILClassificationExtensionNetworkReportDestination`.
    ///
    /// It has values of JSON only: texts, finite numbers, arrays, dictionaries and `NSNull` (header). As JSON it may
    /// have 64 KiB (ours).
    open var userInfo: [String: Any]?

    /// - Parameter action: the action of the system.
    public init(action: ILClassificationAction) { self.action = action }
}
