// BackgroundSession: a background session as a client of the service.

internal import ExtensionPointKit
internal import Foundation
internal import FoundationNetworking
internal import LinuxDescriptors
internal import Locks
internal import TransferMessages

/// A session of this process at the service. Its events are delivered one after the other.
final class BackgroundSession: @unchecked Sendable {
    // Unchecked: delegate and queue are set once, and the rest is behind the lock.

    private struct State {
        /// The session of the author, until it is invalid; nil for one without a delegate, which nothing would end.
        var owner: URLSession?
        /// The session of the author, as long as the author or a task has it.
        weak var author: URLSession?
        var tasks: [Int: URLSessionTask] = [:]
        /// The errors of tasks that were cancelled because they could not be resumed.
        var faults: [Int: TransferFault] = [:]
        var isOver = false
        /// The reason why no task can be added any more.
        var fault: TransferFault?
        var isInvalidating = false
        /// The number of the next task that the service has refused.
        var local = 1 << 40
    }

    private let configuration: TransferConfiguration
    let delegate: (any URLSessionDelegate)?
    private let queue: OperationQueue
    /// The events, in their order. It is suspended until the session is open.
    private let events = DispatchQueue(label: "org.exthost.transfers")
    private let state = Mutex(State())
    private var connection: TransferConnection { .shared }

    init(_ configuration: TransferConfiguration, _ delegate: (any URLSessionDelegate)?, _ queue: OperationQueue) {
        (self.configuration, self.delegate, self.queue) = (configuration, delegate, queue)
    }

    /// The identifier of the session.
    var name: String { configuration.identifier }

    /// The tasks that have not ended.
    var unfinishedTasks: [URLSessionTask] {
        state.withLock { $0.tasks.values.sorted { $0.taskIdentifier < $1.taskIdentifier } }.filter {
            $0.state != .completed
        }
    }

    /// Opens the session at the service.
    func open(_ owner: URLSession) {
        state.withLock { ($0.owner, $0.author) = (delegate == nil ? nil : owner, owner) }
        guard connection.add(self, name) else {
            return lose(
                TransferFault(-996, "this process has a session \(name) with a delegate; invalidate that first"),
                isInvalid: true)
        }
        // One without a delegate shares the session of the one that has a delegate, which is open.
        guard connection.session(name) === self else { return }
        events.suspend()
        do {
            let reply = try connection.call(OpenTransferSession(configuration))
            let tasks = reply.tasks.map(make)
            state.withLock { state in
                for task in tasks { state.tasks[task.taskIdentifier] = task }
            }
            if let fault = reply.fault { lose(fault, isInvalid: true) }
        } catch {
            lose(TransferFault(-997, "\(error)"), isInvalid: true)
        }
        events.resume()
    }

    /// Makes the object of a task that the service knows.
    private func make(_ task: TransferTask) -> URLSessionTask {
        var request = URL(string: task.request.url).map { URLRequest(url: $0) }
        request?.httpMethod = task.request.method
        for header in task.request.headers { request?.setValue(header.value, forHTTPHeaderField: header.name) }
        var values = URLSessionTask.Values()
        values.state = task.state == .suspended ? .suspended : .running
        (values.response, values.label) = (task.response.flatMap(response), task.label)
        let type: URLSessionTask.Type
        if task.kind == .upload {
            (type, values.sent, values.toSend) = (
                URLSessionUploadTask.self, Int64(task.bytes), Int64(task.expected ?? -1)
            )
        } else {
            type = URLSessionDownloadTask.self
            (values.received, values.toReceive) = (Int64(task.bytes), Int64(task.expected ?? -1))
        }
        return own(type.init(session: self, forwarded: nil, number: task.number, request: request, values: values))
    }

    /// Lets a task keep the author's session, whose delegate gets the task's end.
    private func own<Task: URLSessionTask>(_ task: Task) -> Task {
        if delegate != nil { task.owner = state.withLock { $0.author } }
        return task
    }

    private func response(_ response: TransferResponse) -> HTTPURLResponse? {
        guard let url = URL(string: response.url) else { return nil }
        let fields = response.headers.map { ($0.name, $0.value) }
        return HTTPURLResponse(
            url: url, statusCode: response.status, httpVersion: "HTTP/1.1",
            headerFields: Dictionary(fields) { "\($0), \($1)" })
    }

    private func error(_ fault: TransferFault, _ task: URLSessionTask? = nil) -> NSError {
        var facts: [String: Any] = [NSLocalizedDescriptionKey: fault.message]
        if let url = task?.originalRequest?.url {
            facts[NSURLErrorFailingURLErrorKey] = url
        }
        if let data = fault.resumeData { facts["NSURLSessionDownloadTaskResumeData"] = Data(data) }
        return NSError(domain: NSURLErrorDomain, code: fault.code, userInfo: facts)
    }

    // MARK: Tasks

    func download(_ request: URLRequest) -> URLSessionDownloadTask {
        guard request.httpBody == nil, request.httpBodyStream == nil else {
            return refused(
                URLSessionDownloadTask.self, request, TransferFault(-1, "a download in the background has no body"))
        }
        return add(URLSessionDownloadTask.self, .download, request)
    }

    func download(resuming data: Data) -> URLSessionDownloadTask {
        add(URLSessionDownloadTask.self, .download, nil, resumeData: [UInt8](data))
    }

    func upload(_ request: URLRequest, _ file: URL) -> URLSessionUploadTask {
        do throws(SystemError) {
            return add(URLSessionUploadTask.self, .upload, request, file: try PointFile(readingAt: file.path))
        } catch {
            return refused(URLSessionUploadTask.self, request, TransferFault(-1100, "\(file.path): \(error)"))
        }
    }

    private func add<Task: URLSessionTask>(
        _ type: Task.Type, _ kind: TransferKind, _ request: URLRequest?, file: PointFile? = nil,
        resumeData: [UInt8]? = nil
    ) -> Task {
        if let fault = state.withLock({ $0.fault }) { return refused(type, request, fault) }
        let headers = (request?.allHTTPHeaderFields ?? [:]).map { TransferHeader($0.key, $0.value) }
        let call = AddTransferTask(
            session: name, kind: kind,
            request: TransferRequest(
                url: request?.url?.absoluteString ?? "", method: request?.httpMethod ?? "GET",
                headers: headers.sorted { $0.name < $1.name }), file: file, resumeData: resumeData)
        do {
            let reply = try connection.call(call)
            guard let number = reply.task else {
                return refused(type, request, reply.fault ?? TransferFault(-1, "the service has refused the task"))
            }
            let task = own(Task(session: self, forwarded: nil, number: number, request: request, values: .init()))
            // The events may go to another session of this process.
            (connection.session(name) ?? self).state.withLock { $0.tasks[number] = task }
            return task
        } catch {
            return refused(type, request, fault(of: error))
        }
    }

    /// The error of a task whose call has failed.
    private func fault(of error: any Error) -> TransferFault {
        let isLost = (error as? ExtensionHostError)?.code == .connectionLost
        return TransferFault(isLost ? -997 : -1, "\(error)")
    }

    /// Makes a task that ends with an error when it is resumed.
    private func refused<Task: URLSessionTask>(_ type: Task.Type, _ request: URLRequest?, _ fault: TransferFault)
        -> Task
    {
        let number = state.withLock { state in
            state.local += 1
            return state.local
        }
        var values = URLSessionTask.Values()
        values.refusal = fault
        return own(Task(session: self, forwarded: nil, number: number, request: request, values: values))
    }

    func resume(_ task: URLSessionTask) {
        let (begins, refusal, earliest, label) = task.values.withLock { values in
            let begins = values.state == .suspended
            if begins { values.state = .running }
            return (begins, values.refusal, values.earliest, values.label)
        }
        guard begins else { return }
        if let refusal {
            note(refusal, of: task)
            return enqueue { $0.fail(task, refusal) }
        }
        do {
            // When this returns, the transfer goes on without this process.
            _ = try connection.call(
                ResumeTransferTask(
                    session: name, task: task.taskIdentifier, earliestBegin: earliest?.timeIntervalSince1970,
                    label: label, isOpened: ServicePort.isOpenedApp ? true : nil))
        } catch {
            let fault = fault(of: error)
            note(fault, of: task)
            let receiver = connection.session(name) ?? self
            receiver.state.withLock { $0.faults[task.taskIdentifier] = fault }
            // It is still suspended there. Its end by this call gets the error of the other one.
            connection.send(
                CancelTransferTask(session: name, task: task.taskIdentifier, producesResumeData: false)
            ) { answer in
                if case .failure = answer { receiver.enqueue { $0.fail(task, fault) } }
            }
        }
    }

    /// Sets the error of a task that will not run, before its delegate hears of it.
    private func note(_ fault: TransferFault, of task: URLSessionTask) {
        let error = error(fault, task)
        task.values.withLock { $0.error = error }
    }

    func suspend(_ task: URLSessionTask) {
        let stops = task.values.withLock { values in
            guard values.state == .running, values.refusal == nil else { return false }
            values.state = .suspended
            return true
        }
        guard stops else { return }
        connection.send(SuspendTransferTask(session: name, task: task.taskIdentifier)) { answer in
            guard case .failure = answer else { return }
            task.values.withLock { if $0.state == .suspended { $0.state = .running } }
        }
    }

    func cancel(_ task: URLSessionTask, producesResumeData: Bool, _ completion: @escaping @Sendable (Data?) -> Void) {
        let refusal = task.values.withLock { values in
            if values.state != .completed { values.state = .canceling }
            return values.refusal
        }
        guard refusal == nil else { return completion(nil) }
        connection.send(
            CancelTransferTask(session: name, task: task.taskIdentifier, producesResumeData: producesResumeData)
        ) { reply in
            completion((try? reply.get().resumeData).map { Data($0) })
        }
    }

    // MARK: Events

    /// Adds an event behind those that wait.
    func enqueue(_ body: @escaping @Sendable (BackgroundSession) -> Void) { events.async { [self] in body(self) } }

    /// Calls the delegate on its queue, and waits until it has returned.
    private func tell(_ body: @escaping (URLSession, any URLSessionDelegate) -> Void) {
        guard let owner = state.withLock({ $0.owner ?? $0.author }), let delegate else { return }
        // Both are used by one operation, while this thread waits for it.
        nonisolated(unsafe) let (call, receiver) = (body, delegate)
        queue.addOperations([BlockOperation { call(owner, receiver) }], waitUntilFinished: true)
    }

    private func task(_ number: Int) -> URLSessionTask? { state.withLock { $0.tasks[number] } }

    func progressed(_ event: TransferProgress) {
        guard let task = task(event.task) else { return }
        let (bytes, expected) = (Int64(event.bytes), Int64(event.expected ?? -1))
        let isUpload = task is URLSessionUploadTask
        task.values.withLock { values in
            if isUpload {
                (values.sent, values.toSend) = (bytes, expected)
            } else {
                (values.received, values.toReceive) = (bytes, expected)
            }
        }
        tell { session, delegate in
            if let task = task as? URLSessionDownloadTask {
                (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                    session, downloadTask: task, didWriteData: Int64(event.added), totalBytesWritten: bytes,
                    totalBytesExpectedToWrite: expected)
            } else {
                (delegate as? any URLSessionTaskDelegate)?.urlSession(
                    session, task: task, didSendBodyData: Int64(event.added), totalBytesSent: bytes,
                    totalBytesExpectedToSend: expected)
            }
        }
    }

    func continued(_ event: TransferContinuation) {
        guard let task = task(event.task) as? URLSessionDownloadTask else { return }
        tell { session, delegate in
            (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                session, downloadTask: task, didResumeAtOffset: Int64(event.offset),
                expectedTotalBytes: Int64(event.expected ?? -1))
        }
    }

    func completed(_ event: TransferCompletion) {
        guard let task = task(event.task) else { return }
        let fault = state.withLock { $0.faults[event.task] } ?? event.fault
        // Without a delegate nobody gets the event here, so it waits for another session.
        guard delegate != nil else { return fail(task, fault) }
        let container = connection.container(event.container)
        // So it does where this process cannot read its file.
        guard event.file == nil || container != nil else { return }
        task.values.withLock { values in
            values.response = event.response.flatMap(response) ?? values.response
            if event.kind == .upload { values.sent = Int64(event.bytes) } else { values.received = Int64(event.bytes) }
        }
        tell { session, delegate in
            if let task = task as? URLSessionDownloadTask, let file = event.file, let container {
                (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                    session, downloadTask: task, didFinishDownloadingTo: container.appendingPathComponent(file))
            }
            if let task = task as? URLSessionDataTask, let body = event.body {
                (delegate as? any URLSessionDataDelegate)?.urlSession(session, dataTask: task, didReceive: Data(body))
            }
        }
        fail(task, fault, acknowledging: event.event)
    }

    /// Confirms an event before the next one is delivered. One that is not confirmed comes again.
    private func acknowledge(_ event: Int) {
        _ = try? connection.call(AcknowledgeTransferEvent(session: name, event: event))
    }

    func eventsFinished(_ event: TransferEventsFinished) {
        guard delegate != nil else { return }
        tell { session, delegate in delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session) }
        acknowledge(event.event)
    }

    /// Ends a task, with an error or without, and confirms its event.
    private func fail(_ task: URLSessionTask, _ fault: TransferFault?, acknowledging event: Int? = nil) {
        let error = fault.map { self.error($0, task) }
        let isNew = task.values.withLock { values in
            defer { (values.state, values.error) = (.completed, error) }
            return values.state != .completed
        }
        let wasKnown = state.withLock { state in
            state.faults[task.taskIdentifier] = nil
            return state.tasks.removeValue(forKey: task.taskIdentifier) != nil
        }
        defer { if wasKnown { task.owner = nil } }
        if isNew {
            tell { session, delegate in
                (delegate as? any URLSessionTaskDelegate)?.urlSession(session, task: task, didCompleteWithError: error)
            }
        }
        // The session's end would make the event wait for another process.
        if let event { acknowledge(event) }
        finishInvalidation()
    }

    /// Ends the session's use with an error, which all its tasks get.
    ///
    /// - Parameters:
    ///   - fault: the error.
    ///   - isInvalid: whether the session was never open.
    func lose(_ fault: TransferFault, isInvalid: Bool = false) {
        state.withLock { $0.fault = fault }
        connection.remove(self, name)
        enqueue { session in
            for task in session.unfinishedTasks { session.fail(task, fault) }
            let error = session.error(fault)
            if isInvalid { session.tell { $1.urlSession($0, didBecomeInvalidWithError: error) } }
            // Later tasks fail at once, and keep the author's session themselves.
            session.state.withLock { ($0.owner, $0.isOver) = (nil, true) }
        }
    }

    /// Makes the session invalid when its tasks have ended.
    func invalidate() {
        state.withLock { state in
            state.isInvalidating = true
            state.fault = state.fault ?? TransferFault(-999, "the session was invalidated")
        }
        enqueue { $0.finishInvalidation() }
    }

    private func finishInvalidation() {
        let isDue = state.withLock { state in
            guard state.isInvalidating, state.tasks.isEmpty, !state.isOver else { return false }
            state.isOver = true
            return true
        }
        guard isDue else { return }
        // Another session of this process may use it.
        if connection.remove(self, name) { connection.send(CloseTransferSession(session: name)) }
        tell { $1.urlSession($0, didBecomeInvalidWithError: nil) }
        state.withLock { $0.owner = nil }
    }
}
