// TransferEvents: the messages of the service to the client that uses a session. None has an answer.

public import ExtensionPointKit

/// The progress of a task. It may be lost, but the last one before the end of a task.
public struct TransferProgress: PointMessage {
    public static let name = "transfers.progress"
    public var session: String
    public var task: Int
    /// The bytes since the last progress.
    public var added: Int
    /// The bytes that were received, or sent for an upload.
    public var bytes: Int
    /// All bytes that are to be received, or sent; absent: unknown.
    public var expected: Int?

    /// Makes an event; each value is described at its property.
    public init(session: String, task: Int, added: Int, bytes: Int, expected: Int?) {
        (self.session, self.task) = (session, task)
        (self.added, self.bytes, self.expected) = (added, bytes, expected)
    }
}

/// The continuation of a download with the bytes that it has. It may be lost.
public struct TransferContinuation: PointMessage {
    public static let name = "transfers.continued"
    public var session: String
    public var task: Int
    /// The number of bytes that are not loaded again.
    public var offset: Int
    /// The size of the whole file; absent: unknown.
    public var expected: Int?

    /// Makes an event; each value is described at its property.
    public init(session: String, task: Int, offset: Int, expected: Int?) {
        (self.session, self.task, self.offset, self.expected) = (session, task, offset, expected)
    }
}

/// The end of a task. It is sent until it is acknowledged.
public struct TransferCompletion: PointMessage {
    public static let name = "transfers.completed"
    public var session: String
    /// The number of the event; later events of the session have greater ones.
    public var event: Int
    public var task: Int
    public var kind: TransferKind
    /// The path of the downloaded file in the container; absent: there is none.
    public var file: String?
    /// The app group whose container has the file; absent: the own container of the app has it.
    public var container: String?
    /// The beginning of an upload's answer, at most 64 KiB; absent: the answer has no body.
    public var body: [UInt8]?
    /// The bytes that were received, or sent for an upload.
    public var bytes: Int
    public var response: TransferResponse?
    /// The error; absent: the server has answered.
    public var fault: TransferFault?

    /// Makes an event; each value is described at its property.
    public init(
        session: String, event: Int, task: Int, kind: TransferKind, file: String?, container: String?, body: [UInt8]?,
        bytes: Int, response: TransferResponse?, fault: TransferFault?
    ) {
        (self.session, self.event, self.task, self.kind) = (session, event, task, kind)
        (self.file, self.container, self.body, self.bytes) = (file, container, body, bytes)
        (self.response, self.fault) = (response, fault)
    }
}

/// All events that waited for a client were sent. It is sent until it is acknowledged.
public struct TransferEventsFinished: PointMessage {
    public static let name = "transfers.eventsFinished"
    public var session: String
    /// The number of the event.
    public var event: Int
    /// Makes an event; each value is described at its property.
    public init(session: String, event: Int) { (self.session, self.event) = (session, event) }
}

/// The client may use the session no more: a tool has given it to another process, or the app was removed.
public struct TransferSessionLost: PointMessage {
    public static let name = "transfers.sessionLost"
    public var session: String
    /// The error of the session and of its tasks.
    public var fault: TransferFault
    /// Makes an event; each value is described at its property.
    public init(session: String, fault: TransferFault) { (self.session, self.fault) = (session, fault) }
}
