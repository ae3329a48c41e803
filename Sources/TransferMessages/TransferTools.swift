// TransferTools: the calls of tools to the service of background transfers.

public import ExtensionPointKit

/// The session that a tool means.
public struct TransferSessionName: Codable, Sendable, Hashable {
    /// The identifier of the containing app; absent: the identifier of the session is enough.
    public var app: String?
    public var identifier: String
    /// Makes a name; each value is described at its property.
    public init(app: String? = nil, identifier: String) { (self.app, self.identifier) = (app, identifier) }
}

/// Lists the sessions.
public struct ListTransferSessions: PointMessage {
    public static let name = "transfers.list"

    public struct Reply: Codable, Sendable {
        public var sessions: [TransferSessionRecord]
        /// Makes a reply.
        public init(_ sessions: [TransferSessionRecord]) { self.sessions = sessions }
    }

    /// Makes the call.
    public init() {}
}

/// Shows a session with its tasks.
public struct ShowTransferSession: PointMessage {
    public static let name = "transfers.show"

    public struct Reply: Codable, Sendable {
        public var session: TransferSessionRecord
        public var tasks: [TransferTask]
        /// Makes a reply; each value is described at its property.
        public init(session: TransferSessionRecord, tasks: [TransferTask]) {
            (self.session, self.tasks) = (session, tasks)
        }
    }

    public var session: TransferSessionName
    /// Makes the call.
    public init(_ session: TransferSessionName) { self.session = session }
}

/// Lets discretionary tasks begin now.
public struct AllowTransfers: PointMessage {
    public static let name = "transfers.allow"
    /// The session; absent: all.
    public var session: TransferSessionName?
    /// Makes the call.
    public init(_ session: TransferSessionName?) { self.session = session }
}

/// Reserves the events of a session for the app or for its extensions, and wakes the app if events wait for it.
public struct DeliverTransferEvents: PointMessage {
    public static let name = "transfers.deliver"
    public var session: TransferSessionName
    public var receiver: TransferReceiver
    /// Makes the call; each value is described at its property.
    public init(_ session: TransferSessionName, to receiver: TransferReceiver) {
        (self.session, self.receiver) = (session, receiver)
    }
}

/// Cancels one task of a session, or all.
public struct StopTransfers: PointMessage {
    public static let name = "transfers.stop"
    public var session: TransferSessionName
    /// The task; absent: all.
    public var task: Int?
    /// Makes the call; each value is described at its property.
    public init(_ session: TransferSessionName, task: Int? = nil) { (self.session, self.task) = (session, task) }
}
