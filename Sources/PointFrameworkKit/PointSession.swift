// PointSession: one request at an extension point that has a framework.

package import Dispatch
package import ExtensionFoundation
import ExtensionItems
public import ExtensionPointKit
package import ExtensionWire
public import Foundation
import Locks

/// A request as the framework of its extension point sees it. Safe to use from any thread.
public final class PointSession: FrameworkSession, Sendable {
    /// The context of the request, of the class that the framework names. After the request: one of no request, whose
    /// answers and faults have no effect.
    public var context: NSExtensionContext { contexts.withLock { $0 } ?? NSExtensionContext() }

    private let contexts = Mutex<NSExtensionContext?>(nil)
    private let principals = Mutex(Principal())
    private let states = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])
    private let lent = Mutex<LentFiles>(LentFiles())
    private let framework: LinkedFramework
    private var port: CallPort { framework.port }
    private let activity: Activity
    private let views: ViewPublisher
    /// The queue on which calls begin.
    let queue: CallQueue
    private let requestQueue: DispatchQueue
    private let request: RequestIdentifier
    /// The streams that the host has offered.
    let streams: RequestStreams

    /// A holder of an object that only the author's code and the framework touch.
    private struct Principal: @unchecked Sendable {
        var object: NSObject?
    }

    /// The copies of the host's files, by the call at whose end they are deleted; nil: of the request.
    private struct LentFiles {
        var files: [ObjectIdentifier?: [TemporaryItemFile]] = [:]
        var isOver = false
    }

    init(
        _ request: RequestIdentifier, _ queue: DispatchQueue, _ framework: LinkedFramework, _ activity: Activity,
        _ views: ViewPublisher
    ) {
        self.request = request
        self.framework = framework
        requestQueue = queue
        self.activity = activity
        self.views = views
        self.queue = CallQueue(queue, activity)
        streams = RequestStreams(of: request, framework.port, activity)
    }

    package func adopt(_ context: NSExtensionContext) { contexts.withLock { $0 = context } }

    package func makePrincipal(_ type: NSObject.Type) throws -> NSObject {
        let object = try framework.support.makePrincipal(type, self)
        let kept = Principal(object: object)
        principals.withLock { $0 = kept }
        return object
    }

    package func end() {
        framework.close(request)
        streams.end(nil)
        activity.enter()
        requestQueue.async { [self] in
            framework.support.end(self)
            release()
            activity.leave()
        }
    }

    private func release() {
        contexts.withLock { $0 = nil }
        principals.withLock { $0 = Principal() }
        states.withLock { $0 = [:] }
        lent.withLock { $0 = LentFiles(isOver: true) }
    }

    /// Deletes the files that the host has lent for a call.
    func callEnded(_ call: IncomingCall) { lent.withLock { $0.files[ObjectIdentifier(call)] = nil } }

    /// The principal object; nil before it is made, and after the request.
    public var principal: NSObject? { principals.withLock { $0 }.object }

    /// The session of a context; nil for one that an author made, or whose extension point has no framework.
    public static func of(_ context: NSExtensionContext) -> PointSession? { context.point as? PointSession }

    /// Returns the framework's own state of this request, which `make` makes at the first use.
    public func state<State: AnyObject & Sendable>(_ type: State.Type, make: () -> State) -> State {
        states.withLock { states in
            if let state = states[ObjectIdentifier(type)] as? State { return state }
            let state = make()
            states[ObjectIdentifier(type)] = state
            return state
        }
    }

    /// Makes an object of a class that is known only at run time, by its `init()`, or by the extension's storyboard.
    public func makeObject(of type: NSObject.Type) -> NSObject {
        if let stored = type as? any MadeByStoryboard.Type, let storyboard = MainStoryboard.name {
            nonisolated(unsafe) var made: NSObject?
            // The kit makes objects with a view on the main queue.
            MainActor.assumeIsolated { made = stored.makeInitial(storyboard) }
            if let made { return made }
        }
        return MethodTables.initializer(of: type)?() as? NSObject ?? ExtensionFoundation.makeObject(of: type)
    }

    // MARK: Calls of the host

    /// Calls the host.
    ///
    /// - Throws: the host's error, an `ExtensionHostError`, or `CocoaError.userCancelled` after the task was cancelled.
    public func call<Message: PointMessage>(
        _ message: Message, _ options: CallPort.Options = CallPort.Options()
    ) async throws -> Message.Reply {
        try await port.call(message, of: request, options)
    }

    /// Calls the host without waiting. Calls reach the host in the order of these invocations.
    ///
    /// - Parameters:
    ///   - message: the call.
    ///   - options: the options.
    ///   - completion: called once, on any thread. A fence waits for it.
    /// - Returns: a function that cancels the call.
    @discardableResult
    public func send<Message: PointMessage>(
        _ message: Message, _ options: CallPort.Options = CallPort.Options(),
        completion: @escaping @Sendable (Result<Message.Reply, any Error>) -> Void = { _ in }
    ) -> @Sendable () -> Void {
        port.send(message, of: request, options) { [activity] answer in
            activity.enter()
            completion(answer)
            activity.leave()
        }
    }

    /// Opens the extension's end of a stream that the host has offered in a call. It ends with the request.
    ///
    /// The receivers run on a thread of the stream's.
    ///
    /// - Throws: `ExtensionHostError` `protocolViolation` if the offer is none, `quotaExceeded`, `internalError`,
    ///   `contextFinished` after the request.
    public func openStream(
        _ offer: PointStreamOffer, onEntries: @escaping PointStream.Receiver, onClose: @escaping PointStream.EndReceiver
    ) throws -> PointStream {
        try streams.open(offer, onEntries, onClose)
    }

    // MARK: Files

    /// Makes a copy of a file of the host's for the author's code, below the extension's temporary folder.
    ///
    /// The author may change and move the copy. It is deleted at the end of the call, or of the request. A `PointFile`
    /// that the framework has opened before goes to the host with its contents.
    ///
    /// - Parameters:
    ///   - file: the file from the arguments of a call.
    ///   - name: the suggested name. The copy's name is one path component without control characters.
    ///   - call: the call at whose end the copy is deleted; nil: at the end of the request.
    /// - Returns: the URL of the copy, in a folder of its own.
    /// - Throws: `SystemError`, such as `ENOSPC`; `ExtensionHostError` `contextFinished` after the request.
    public func lend(_ file: PointFile, named name: String, for call: IncomingCall? = nil) throws -> URL {
        try keep(try TemporaryItemFile(copying: file.descriptor.raw, named: name), until: call)
    }

    /// Returns a path for a file that the author's code makes, below the extension's temporary folder. Nothing is there.
    ///
    /// The file's folder is deleted at the end of the request. A `PointFile` that the framework has opened before goes to the
    /// host with its contents.
    ///
    /// - Parameter name: as for `lend`.
    /// - Throws: `SystemError`, such as `ENOSPC`; `ExtensionHostError` `contextFinished` after the request.
    public func place(named name: String) throws -> URL {
        try keep(try TemporaryItemFile(placeNamed: name), until: nil)
    }

    private func keep(_ file: TemporaryItemFile, until call: IncomingCall?) throws -> URL {
        let isStored = lent.withLock { lent in
            if !lent.isOver { lent.files[call.map { ObjectIdentifier($0) }, default: []].append(file) }
            return !lent.isOver
        }
        guard isStored else { throw ExtensionHostError(.contextFinished, "the request has ended") }
        return file.url
    }

    // MARK: The author's code

    /// Runs the author's code on the main actor. A fence waits for it.
    public func onMain<Value: Sendable>(_ body: @MainActor @Sendable () throws -> Value) async rethrows -> Value {
        activity.enter()
        defer { activity.leave() }
        return try await MainActor.run(body: body)
    }

    /// Runs the author's code on the main actor later. A fence waits for it.
    package func laterOnMain(_ body: @escaping @MainActor @Sendable () -> Void) {
        activity.enter()
        DispatchQueue.main.async { [activity] in
            body()
            activity.leave()
        }
    }

    /// Runs the author's code on a thread of its own, as Apple's systems call some methods. A fence waits for it.
    public func onThread(_ body: @escaping @Sendable () -> Void) { onQueue(.global(), body) }

    /// Runs the author's code on a queue, such as one that keeps an order. A fence waits for it.
    package func onQueue(_ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        activity.enter()
        queue.async { [activity] in
            body()
            activity.leave()
        }
    }

    /// Calls a method of the author's that takes a completion handler, and waits for the handler.
    ///
    /// The handler counts once. A second call of it is ignored and logged (`E_HANDLER_TWICE`). If the author's code
    /// releases the handler without a call, the wait ends with `handlerDropped`, and the log names the method.
    ///
    /// - Parameters:
    ///   - method: the name of the method, for the log.
    ///   - body: passes the handler to the author's method. An error that it throws ends the wait.
    /// - Throws: `ExtensionHostError` `handlerDropped`; `CancellationError` when the task is cancelled first.
    public func completion<Value: Sendable>(
        of method: String, _ body: @Sendable (@escaping @Sendable (Value) -> Void) async throws -> Void
    ) async throws -> Value {
        let answer = OneAnswer<Value>(method) { [weak self] fault in self?.context.reportFault(fault) }
        return try await withTaskCancellationHandler {
            do {
                let handler = answer.handler()
                do {
                    try await body(handler)
                } catch {
                    // The release of the handler is no fault of code that throws.
                    withExtendedLifetime(handler) { answer.fail(error) }
                }
            }
            return try await answer.value
        } onCancel: {
            answer.fail(CancellationError())
        }
    }

    /// Reports a misuse of the extension point by the author's code: on standard error and as `context.misused`.
    public func report(_ fault: String) { context.reportFault(fault) }

    /// Returns a function that reports a misuse likewise, also after the request.
    public func reporter() -> @Sendable (_ fault: String) -> Void { { [context] in context.reportFault($0) } }

    // MARK: The view

    private var interface: (any InterfacePrincipal)? { principal as? any InterfacePrincipal }

    /// Loads and shows the view of the principal object, if it has one.
    public func showView() async {
        await onMain { [self] in
            guard let interface else { return }
            interface.present()
            views.open(request, interface)
        }
    }

    /// Stops showing the view: calls `viewWillDisappear` and `viewDidDisappear`.
    public func hideView() async { await onMain { [self] in removeView() } }

    /// Does what `hideView()` does, for code on the main actor.
    @MainActor package func removeView() {
        views.hide(request)
        interface?.takeDown()
    }

    /// Performs a person's action on the view, such as `tap`.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` or `notPermitted` if it cannot be done.
    package func use(_ action: String, name: String) async throws {
        try await onMain { [self] in
            try interface?.perform(UseView(request: request, action: action, name: name))
        }
    }

    /// Returns the view of the principal object as it is now; nil if it has none.
    package func describeView() async -> ViewElement? {
        await onMain { [self] in interface.map { interface in InterfaceChanges.look { interface.describe() }.view } }
    }
}

/// The one answer of a completion handler.
private final class OneAnswer<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var isCalled = false
        var waiter: CheckedContinuation<Value, any Error>?
    }

    private let state = Mutex(State())
    private let method: String
    private let report: @Sendable (String) -> Void

    init(_ method: String, report: @escaping @Sendable (String) -> Void) {
        self.method = method
        self.report = report
    }

    /// Returns the handler. Its release answers, too.
    func handler() -> @Sendable (Value) -> Void {
        let token = Token(self)
        return { value in
            // A first call after the time limit is late, and no misuse.
            let isSecond = token.answer.state.withLock { state in
                defer { state.isCalled = true }
                return state.isCalled
            }
            if isSecond {
                token.answer.report(
                    "the completion handler of \(token.answer.method) was called again (E_HANDLER_TWICE)")
            } else {
                token.answer.finish(.success(value))
            }
        }
    }

    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state in
                    if state.result == nil { state.waiter = continuation }
                    return state.result
                }
                if let result { continuation.resume(with: result) }
            }
        }
    }

    func fail(_ error: any Error) { finish(.failure(error)) }

    @discardableResult
    private func finish(_ result: Result<Value, any Error>) -> Bool {
        let (isFirst, waiter) = state.withLock { state in
            guard state.result == nil else { return (false, CheckedContinuation<Value, any Error>?.none) }
            state.result = result
            defer { state.waiter = nil }
            return (true, state.waiter)
        }
        waiter?.resume(with: result)
        return isFirst
    }

    /// The handler's only reference to the answer.
    private final class Token: Sendable {
        let answer: OneAnswer

        init(_ answer: OneAnswer) { self.answer = answer }

        deinit {
            let error = ExtensionHostError(
                .handlerDropped, "\(answer.method) let go of its completion handler without calling it")
            if answer.finish(.failure(error)) { answer.report(error.message) }
        }
    }
}
