// URLSessionTask: the tasks of a session, under Apple's names. Source: Apple's documentation. Any thread may use a task.

public import ExtensionPointKit
public import Foundation
public import FoundationNetworking
internal import Locks
internal import TransferMessages

/// A task of a `URLSession`.
public class URLSessionTask: NSObject, @unchecked Sendable {
    // Unchecked: all is set once or behind the lock, also in the subclasses.

    /// The states of a task.
    public enum State: Int, Sendable { case running, suspended, canceling, completed }

    struct Values {
        var state = State.suspended
        var response: URLResponse?
        var error: (any Error)?
        var received: Int64 = 0, sent: Int64 = 0
        var toReceive: Int64 = -1, toSend: Int64 = -1
        var label: String?
        var earliest: Date?
        /// The error with which a refused task ends when it is resumed.
        var refusal: TransferFault?
    }

    /// Nil for a task of FoundationNetworking.
    let session: BackgroundSession?
    let forwarded: FoundationNetworking.URLSessionTask?
    let values: Mutex<Values>
    /// The author's session, until a task in the background has ended.
    var owner: URLSession?

    /// The number of the task within its session.
    public let taskIdentifier: Int
    /// The request that the task was made with.
    public let originalRequest: URLRequest?

    required init(
        session: BackgroundSession?, forwarded: FoundationNetworking.URLSessionTask?, number: Int, request: URLRequest?,
        values: Values
    ) {
        (self.session, self.forwarded, taskIdentifier) = (session, forwarded, number)
        originalRequest = request
        self.values = Mutex(values)
    }

    /// The present request; of a background session, the original one.
    public var currentRequest: URLRequest? { forwarded?.currentRequest ?? originalRequest }
    /// The answer of the server, once there is one.
    public var response: URLResponse? { forwarded.map(\.response) ?? values.withLock { $0.response } }
    /// The error of a task that has failed.
    public var error: (any Error)? { forwarded.map(\.error) ?? values.withLock { $0.error } }
    /// The state.
    public var state: State {
        forwarded.map { State(rawValue: $0.state.rawValue) ?? .running } ?? values.withLock { $0.state }
    }
    /// The number of bytes that were received.
    public var countOfBytesReceived: Int64 { forwarded?.countOfBytesReceived ?? values.withLock { $0.received } }
    /// The number of bytes of the body that were sent.
    public var countOfBytesSent: Int64 { forwarded?.countOfBytesSent ?? values.withLock { $0.sent } }
    /// The number of all bytes that are to be received; −1 if it is unknown.
    public var countOfBytesExpectedToReceive: Int64 {
        forwarded?.countOfBytesExpectedToReceive ?? values.withLock { $0.toReceive }
    }
    /// The number of all bytes that are to be sent; −1 if it is unknown.
    public var countOfBytesExpectedToSend: Int64 {
        forwarded?.countOfBytesExpectedToSend ?? values.withLock { $0.toSend }
    }
    /// A text of the author's. In the background it is stored when the task is resumed.
    public var taskDescription: String? {
        get { forwarded.map(\.taskDescription) ?? values.withLock { $0.label } }
        set {
            forwarded?.taskDescription = newValue
            values.withLock { $0.label = newValue }
        }
    }
    /// The time before which a task in the background does not begin. It is read when the task is resumed.
    public var earliestBeginDate: Date? {
        get { values.withLock { $0.earliest } }
        set { values.withLock { $0.earliest = newValue } }
    }
    /// An estimate, which has no effect.
    public var countOfBytesClientExpectsToSend: Int64 = NSURLSessionTransferSizeUnknown
    /// An estimate, which has no effect.
    public var countOfBytesClientExpectsToReceive: Int64 = NSURLSessionTransferSizeUnknown
    /// Has no effect in the background.
    public var priority: Float = URLSessionTask.defaultPriority
    /// The usual priority.
    public static let defaultPriority: Float = 0.5
    /// The low priority.
    public static let lowPriority: Float = 0.25
    /// The high priority.
    public static let highPriority: Float = 0.75

    /// Lets the task run.
    public func resume() {
        forwarded?.resume()
        session?.resume(self)
    }

    /// Stops the task until it is resumed.
    public func suspend() {
        forwarded?.suspend()
        session?.suspend(self)
    }

    /// Cancels the task. It ends with `NSURLErrorCancelled`.
    public func cancel() {
        forwarded?.cancel()
        session?.cancel(self, producesResumeData: false) { _ in }
    }
}

extension URLSessionTask: BackgroundTransferTask {
    public var backgroundTransfer: BackgroundTransfer? {
        session.map {
            BackgroundTransfer(
                session: $0.name, task: taskIdentifier, isUpload: self is URLSessionUploadTask,
                url: originalRequest?.url?.absoluteString ?? "")
        }
    }
    public var isSuspended: Bool { state == .suspended }
}

/// A task whose answer is in memory.
public class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// A task that sends a body.
public class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}

/// A task whose answer becomes a file.
public class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    /// Cancels the task, and keeps what it has received for another one.
    ///
    /// - Parameter completionHandler: called on any thread, with nil if nothing can be continued.
    public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        if let session {
            session.cancel(self, producesResumeData: true, completionHandler)
        } else if let forwarded = forwarded as? FoundationNetworking.URLSessionDownloadTask {
            forwarded.cancel(byProducingResumeData: completionHandler)
        }
    }
}
