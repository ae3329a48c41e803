// TransferValues: sessions, tasks, responses and errors of background transfers, as the service and its clients see them.

public import ExtensionPointKit

/// The kinds of tasks. The service refuses an unrecognized kind.
public enum TransferKind: String, OpenEnumeration, Hashable {
    /// A request whose answer becomes a file.
    case download
    /// A request whose body is a file.
    case upload
    case unrecognized
}

/// The states of a task. A client takes an unrecognized state for `running`.
public enum TransferState: String, OpenEnumeration, Hashable {
    case suspended
    /// The task runs, or waits for its time.
    case running
    /// The task has ended, and its events were not acknowledged yet.
    case finished
    case unrecognized
}

/// A side that a session's events can be reserved for. The service refuses an unrecognized side.
public enum TransferReceiver: String, OpenEnumeration, Hashable {
    /// The containing app.
    case app
    /// An extension of the app.
    case `extension`
    /// The process that uses the session first.
    case any
    case unrecognized
}

/// A header field of HTTP.
public struct TransferHeader: Codable, Sendable, Hashable {
    public var name, value: String
    /// Makes a field.
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// The configuration of a background session.
public struct TransferConfiguration: Codable, Sendable, Hashable {
    /// The session's identifier, unique within an app and its extensions.
    public var identifier: String
    /// The app group whose container gets the files; absent: the client is an app, and names none.
    public var container: String?
    /// Whether the app is woken when all tasks have ended.
    public var sendsLaunchEvents = true
    /// Whether all tasks wait for a good time.
    public var isDiscretionary = false
    /// Seconds without a byte after which an attempt fails.
    public var requestTimeout: Double = 60
    /// Seconds after which a task fails.
    public var resourceTimeout: Double = 604_800
    /// Fields that each request has, unless it has its own.
    public var headers: [TransferHeader] = []
    /// The number of attempts that may run for one host name.
    public var connectionsPerHost = 6

    /// Makes a configuration with Apple's default values.
    public init(identifier: String, container: String?) { (self.identifier, self.container) = (identifier, container) }
}

/// A request of HTTP, without its body.
public struct TransferRequest: Codable, Sendable, Hashable {
    /// An absolute URL.
    public var url: String
    public var method: String
    public var headers: [TransferHeader]

    /// Makes a request; each value is described at its property.
    public init(url: String, method: String = "GET", headers: [TransferHeader] = []) {
        (self.url, self.method, self.headers) = (url, method, headers)
    }
}

/// The answer of a server, without its body.
public struct TransferResponse: Codable, Sendable, Hashable {
    /// The URL after all redirects.
    public var url: String
    public var status: Int
    public var headers: [TransferHeader]

    /// Makes a response; each value is described at its property.
    public init(url: String, status: Int, headers: [TransferHeader]) {
        (self.url, self.status, self.headers) = (url, status, headers)
    }
}

/// The reason why a task or a session has failed.
public struct TransferFault: Codable, Sendable, Hashable {
    /// A code of `NSURLErrorDomain`.
    public var code: Int
    /// The cause, as text for people.
    public var message: String
    /// The data from which another task can go on.
    public var resumeData: [UInt8]?

    /// Makes an error; each value is described at its property.
    public init(_ code: Int, _ message: String, resumeData: [UInt8]? = nil) {
        (self.code, self.message, self.resumeData) = (code, message, resumeData)
    }
}

/// A task as the service stores it.
public struct TransferTask: Codable, Sendable, Hashable {
    /// The number within its session, from 1.
    public var number: Int
    public var kind: TransferKind
    public var request: TransferRequest
    public var state: TransferState
    /// The bytes that were received, or sent for an upload.
    public var bytes: Int
    /// All bytes that are to be received, or sent; absent: unknown.
    public var expected: Int?
    public var response: TransferResponse?
    /// `taskDescription` of the task.
    public var label: String?

    /// Makes a description; each value is described at its property.
    public init(
        number: Int, kind: TransferKind, request: TransferRequest, state: TransferState, bytes: Int, expected: Int?,
        response: TransferResponse?, label: String?
    ) {
        (self.number, self.kind, self.request, self.state) = (number, kind, request, state)
        (self.bytes, self.expected, self.response, self.label) = (bytes, expected, response, label)
    }
}

/// A session as tools see it.
public struct TransferSessionRecord: Codable, Sendable, Hashable {
    /// The identifier of the containing app.
    public var app: String
    public var identifier: String
    public var container: String?
    /// The identifier of the extension or app that uses the session now.
    public var user: String?
    /// The numbers of tasks that have not ended, of tasks that have, and of events that nobody has acknowledged.
    public var unfinished, finished, events: Int
    /// The side that the events are reserved for.
    public var receiver: TransferReceiver

    /// Makes a record; each value is described at its property.
    public init(
        app: String, identifier: String, container: String?, user: String?, unfinished: Int, finished: Int,
        events: Int, receiver: TransferReceiver
    ) {
        (self.app, self.identifier, self.container, self.user) = (app, identifier, container, user)
        (self.unfinished, self.finished, self.events, self.receiver) = (unfinished, finished, events, receiver)
    }
}
