// URLSession: a session, under Apple's name. Source: Apple's documentation.

public import Foundation
public import FoundationNetworking

/// A session: a background one is a client of the service, and every other is FoundationNetworking's.
///
/// Any thread may use it. A session lives until it is invalidated.
open class URLSession: NSObject, @unchecked Sendable {
    // Unchecked: as on Apple's systems. All is set once but `sessionDescription`, which is the author's own.

    /// The answers to a challenge.
    public typealias AuthChallengeDisposition = FoundationNetworking.URLSession.AuthChallengeDisposition
    /// The answers to a response.
    public typealias ResponseDisposition = FoundationNetworking.URLSession.ResponseDisposition
    /// The answers to a delayed request.
    public typealias DelayedRequestDisposition = FoundationNetworking.URLSession.DelayedRequestDisposition

    /// The configuration, as it was when the session was made.
    public let configuration: URLSessionConfiguration
    /// The delegate, which the session holds until it is invalid.
    public var delegate: (any URLSessionDelegate)? { background?.delegate ?? forwarding?.delegate }
    /// The queue on which the delegate is called.
    public let delegateQueue: OperationQueue
    /// A text of the author's.
    open var sessionDescription: String?

    private let background: BackgroundSession?
    private let forwarding: ForwardingDelegate?
    private let forwarded: FoundationNetworking.URLSession?

    /// The session without a delegate that a process has.
    open class var shared: URLSession { sharedSession }
    private static let sharedSession = URLSession(configuration: .default)

    /// Makes a session without a delegate.
    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    /// Makes a session. A background session is opened before this returns; if that fails, the delegate gets
    /// `urlSession(_:didBecomeInvalidWithError:)`.
    ///
    /// - Parameters:
    ///   - configuration: is copied.
    ///   - delegate: gets the events.
    ///   - queue: the queue of the delegate; nil: a serial one.
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        let copy = configuration.copy(with: nil) as? URLSessionConfiguration ?? configuration
        let usual = OperationQueue()
        usual.maxConcurrentOperationCount = 1
        (self.configuration, delegateQueue) = (copy, queue ?? usual)
        if let transfer = copy.transfer {
            background = BackgroundSession(transfer, delegate, delegateQueue)
            (forwarding, forwarded) = (nil, nil)
        } else {
            let forwarding = ForwardingDelegate(delegate)
            (background, self.forwarding) = (nil, forwarding)
            forwarded = FoundationNetworking.URLSession(
                configuration: copy.forwarded, delegate: delegate == nil ? nil : forwarding,
                delegateQueue: delegateQueue)
        }
        super.init()
        // Without a delegate nothing would let go of it again.
        if delegate != nil { forwarding?.owner = self }
        background?.open(self)
    }

    private func refuse(_ text: String) -> Never { fatalError("a background session \(text)") }

    private func forward(_ name: String) -> FoundationNetworking.URLSession {
        guard let forwarded else { refuse("has no \(name): it takes downloads, and uploads from files") }
        return forwarded
    }

    private func wrap<Task: URLSessionTask>(_ type: Task.Type, _ task: FoundationNetworking.URLSessionTask) -> Task {
        let wrapped = Task(
            session: nil, forwarded: task, number: task.taskIdentifier, request: task.originalRequest, values: .init())
        if delegate != nil { forwarding?.add(wrapped) }
        return wrapped
    }

    // MARK: Downloads and uploads

    /// Makes a download.
    open func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

    /// Makes a download.
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        background?.download(request) ?? wrap(URLSessionDownloadTask.self, forward("task").downloadTask(with: request))
    }

    /// Makes a download that goes on where another was cancelled.
    open func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        background?.download(resuming: resumeData)
            ?? wrap(URLSessionDownloadTask.self, forward("task").downloadTask(withResumeData: resumeData))
    }

    /// Makes an upload of a file.
    open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        background?.upload(request, fileURL)
            ?? wrap(URLSessionUploadTask.self, forward("task").uploadTask(with: request, fromFile: fileURL))
    }

    /// Makes an upload of data. A background session ends the program: it uploads files only.
    open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        wrap(URLSessionUploadTask.self, forward("upload from data").uploadTask(with: request, from: bodyData))
    }

    /// Makes an upload of a stream. A background session ends the program: it uploads files only.
    open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        wrap(URLSessionUploadTask.self, forward("upload of a stream").uploadTask(withStreamedRequest: request))
    }

    /// Makes a task of a web socket. A background session ends the program.
    open func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        forward("web socket").webSocketTask(with: request)
    }

    /// Makes a task of a web socket. A background session ends the program.
    open func webSocketTask(with url: URL, protocols: [String] = []) -> URLSessionWebSocketTask {
        forward("web socket").webSocketTask(with: url, protocols: protocols)
    }

    /// Makes a task whose answer is in memory. A background session ends the program.
    open func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

    /// Makes a task whose answer is in memory. A background session ends the program.
    open func dataTask(with request: URLRequest) -> URLSessionDataTask {
        wrap(URLSessionDataTask.self, forward("data task").dataTask(with: request))
    }

    // MARK: Completion handlers, which a background session ends the program for

    /// Makes a task that calls the handler at its end.
    open func dataTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        wrap(
            URLSessionDataTask.self,
            forward("completion handlers").dataTask(with: request, completionHandler: completionHandler))
    }

    /// Makes a task that calls the handler at its end.
    open func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask { dataTask(with: URLRequest(url: url), completionHandler: completionHandler) }

    /// Makes a task that calls the handler at its end.
    open func downloadTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        wrap(
            URLSessionDownloadTask.self,
            forward("completion handlers").downloadTask(with: request, completionHandler: completionHandler))
    }

    /// Makes a task that calls the handler at its end.
    open func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url), completionHandler: completionHandler) }

    /// Makes a task that calls the handler at its end.
    open func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        wrap(
            URLSessionUploadTask.self,
            forward("completion handlers").uploadTask(
                with: request, fromFile: fileURL, completionHandler: completionHandler))
    }

    /// Makes a task that calls the handler at its end.
    open func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        wrap(
            URLSessionUploadTask.self,
            forward("completion handlers").uploadTask(
                with: request, from: bodyData, completionHandler: completionHandler))
    }

    /// Makes a task that goes on where another was cancelled, and calls the handler at its end.
    open func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        wrap(
            URLSessionDownloadTask.self,
            forward("completion handlers").downloadTask(
                withResumeData: resumeData, completionHandler: completionHandler))
    }

    /// Loads an answer into a file.
    open func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        try await forward("completion handlers").download(for: request)
    }

    /// Loads an answer into a file.
    open func download(from url: URL) async throws -> (URL, URLResponse) {
        try await download(for: URLRequest(url: url))
    }

    /// Uploads data.
    open func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) {
        try await forward("completion handlers").upload(for: request, from: bodyData)
    }

    /// Uploads a file.
    open func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse) {
        try await forward("completion handlers").upload(for: request, fromFile: fileURL)
    }

    /// Loads an answer into memory.
    open func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await forward("completion handlers").data(for: request)
    }

    /// Loads an answer into memory.
    open func data(from url: URL) async throws -> (Data, URLResponse) { try await data(for: URLRequest(url: url)) }

    // MARK: The session

    /// Asks for the tasks that have not ended. The handler is called on the delegate queue.
    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        if let background {
            let tasks = background.unfinishedTasks
            delegateQueue.addOperation { completionHandler(tasks) }
        } else {
            forwarded?.getAllTasks { [self] tasks in
                completionHandler(tasks.map { forwarding?.task($0) ?? wrap(URLSessionTask.self, $0) })
            }
        }
    }

    /// Asks for the tasks that have not ended, by their kinds.
    open func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask])
            -> Void
    ) {
        getAllTasks { tasks in
            completionHandler(
                tasks.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask },
                tasks.compactMap { $0 as? URLSessionUploadTask }, tasks.compactMap { $0 as? URLSessionDownloadTask })
        }
    }

    /// The tasks that have not ended.
    open var allTasks: [URLSessionTask] {
        get async { await withCheckedContinuation { done in getAllTasks { done.resume(returning: $0) } } }
    }

    /// Writes the session's stores to the disk. A background session has none.
    open func flush(completionHandler: @escaping @Sendable () -> Void) {
        guard let forwarded else { return delegateQueue.addOperation(completionHandler) }
        forwarded.flush(completionHandler: completionHandler)
    }

    /// Empties the session's stores. A background session has none.
    open func reset(completionHandler: @escaping @Sendable () -> Void) {
        guard let forwarded else { return delegateQueue.addOperation(completionHandler) }
        forwarded.reset(completionHandler: completionHandler)
    }

    /// Makes the session invalid when its tasks have ended.
    open func finishTasksAndInvalidate() {
        background?.invalidate()
        forwarded?.finishTasksAndInvalidate()
    }

    /// Cancels all tasks, and makes the session invalid.
    open func invalidateAndCancel() {
        if let background {
            for task in background.unfinishedTasks { task.cancel() }
            background.invalidate()
        }
        forwarded?.invalidateAndCancel()
    }
}
