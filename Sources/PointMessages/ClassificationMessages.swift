// ClassificationMessages: the calls of an extension that reports messages and calls.

public import ExtensionPointKit

/// A message or a call that a person reports.
public struct ReportedCommunication: Codable, Sendable, Hashable {
    /// The kinds of communications.
    public enum Kind: String, OpenEnumeration, Hashable, CaseIterable {
        case message, call
        case unrecognized
    }

    /// The actions with which an extension answers.
    public enum Action: String, OpenEnumeration, Hashable, CaseIterable {
        case none, reportNotJunk, reportJunk, reportJunkAndBlockSender
        case unrecognized
    }

    /// The sender: a telephone number or an address. Nil if it is unknown.
    public var sender: String?
    /// The time at which it came, in seconds since 1970.
    public var date: Double
    /// The text of a message.
    public var body: String?

    public init(sender: String?, date: Double, body: String? = nil) {
        (self.sender, self.date, self.body) = (sender, date, body)
    }
}

/// Prepares the view for the communications, and shows it.
public struct PrepareClassification: PointMessage {
    public static let name = "classification.prepare"

    public var kind: ReportedCommunication.Kind
    /// The communications, the oldest first.
    public var communications: [ReportedCommunication]

    public init(_ kind: ReportedCommunication.Kind, _ communications: [ReportedCommunication]) {
        (self.kind, self.communications) = (kind, communications)
    }
}

/// Asks for the answer, after the person has pressed Done.
public struct ClassifyCommunications: PointMessage {
    public static let name = "classification.respond"

    public struct Reply: Codable, Sendable, Equatable {
        public var action: ReportedCommunication.Action
        /// The text of a report by message.
        public var userString: String?
        /// An object of JSON, for a report by network.
        public var userInfo: [UInt8]?
        public init(_ action: ReportedCommunication.Action, userString: String? = nil, userInfo: [UInt8]? = nil) {
            (self.action, self.userString, self.userInfo) = (action, userString, userInfo)
        }
    }

    /// The largest `userInfo`, and the largest `userString`, in bytes (ours).
    public static let largestContent = 64 << 10

    public init() {}
}

/// Takes the view down: the last call. The framework completes the request after it.
public struct EndClassification: PointMessage {
    public static let name = "classification.end"

    public init() {}
}

/// Says whether the extension has all it needs for an answer: a call of the extension.
public struct ChangeClassificationReadiness: PointMessage {
    public static let name = "classification.ready"

    public var isReady: Bool

    public init(_ isReady: Bool) { self.isReady = isReady }
}
