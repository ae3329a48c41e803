// ExtensionRequest: a request as the host that began it sees it.

import ExtensionConnection
import ExtensionItems
public import ExtensionProtocol
public import Foundation
import Locks
public import ExtensionPointKit

/// A request that a host began. It ends in exactly one outcome, whichever process dies. Safe to use from any thread.
public final class ExtensionRequest: Sendable {
    /// The identifier by which the daemon, its log and the bus know the request.
    public let identifier: RequestIdentifier
    /// The extension's identifier.
    public let extensionIdentifier: String

    /// The attachments' providers, by the numbers that the extension uses.
    let table: ProviderTable
    /// The loads in progress.
    let served = ServedLoads()
    /// The process's pid, or nil when the request ended before a process had it.
    let begun = OneShot<Result<Int?, ExtensionHostError>>()
    /// The pid of the process that waits for a debugger; nil once none waits.
    let heldProcess = OneShot<Int?>()
    let finished = OneShot<(outcome: RequestOutcome, message: Finished?, why: ExtensionHostError?)>()
    let ended = OneShot<(record: ExitRecord, timings: Timings)?>()
    /// The extension's last view.
    let shown = ShownView()
    private let actions = Mutex(0)
    /// The number of a person's actions that have begun. One that was not possible does not count.
    package var actionCount: Int { actions.withLock { $0 } }
    func noteAction(_ count: Int = 1) { actions.withLock { $0 += count } }
    /// Sends an action of any name.
    package let useAction: @Sendable (UseView) async throws -> (Int, ViewElement)?
    /// A function that repeats the begin to another daemon; nil if no daemon could use it.
    let resaid = Mutex<(@Sendable () -> Void)?>(nil)

    /// Whether the daemon reports the delivery.
    private let isReported: Bool

    /// The number of the channel's session in which it began, once it has.
    let session = Atomic(Int.max)

    /// The handlers of the extension's calls.
    let handlers: PointHandlers
    private let callQueue = Mutex<CallQueue?>(nil)
    private let calls: CallPort
    private let activity: Activity
    private let madeStreams = Mutex<(streams: RequestStreams?, isOver: Bool)>((nil, false))

    /// The queue on which the handlers begin, in the order of the calls. Most requests need none.
    private var queue: CallQueue {
        callQueue.withLock { queue in
            if let queue { return queue }
            let made = CallQueue(DispatchQueue(label: "org.exthost.calls"), activity)
            queue = made
            return made
        }
    }

    func beginAgain() { resaid.withLock { $0 }?() }

    private let cancelAction: @Sendable (RequestIdentifier) async throws -> Void

    init(
        identifier: RequestIdentifier, extensionIdentifier: String, table: ProviderTable, calls: CallPort,
        activity: Activity, handlers: PointHandlers, isReported: Bool,
        cancel: @escaping @Sendable (RequestIdentifier) async throws -> Void,
        use: @escaping @Sendable (UseView) async throws -> (Int, ViewElement)?
    ) {
        self.identifier = identifier
        self.extensionIdentifier = extensionIdentifier
        self.table = table
        self.calls = calls
        self.activity = activity
        self.handlers = handlers
        self.isReported = isReported
        cancelAction = cancel
        useAction = use
    }

    /// Waits until the extension has the request, or the request has ended before that.
    ///
    /// Returns the process's pid; nil if the request ended before a process had it.
    ///
    /// - Throws: `ExtensionHostError` `noSuchExtension`, `connectionLost`: as `HostApplication.begin`.
    @discardableResult
    public func delivered() async throws -> Int? { try await begun.value.get() }

    /// Waits until the process that will be debugged runs, if the request was begun so; returns its pid.
    ///
    /// Returns nil if the request is delivered or has ended: no debugger is awaited any more.
    public func held() async -> Int? { await heldProcess.value }

    /// The outcome of the request. The getter waits for it, even if its task is cancelled. Every caller gets the same.
    public var outcome: RequestOutcome {
        get async { await finished.value.outcome }
    }

    /// Whether the request has no outcome yet.
    package var isOpen: Bool { finished.current == nil }

    /// The reason for the end, in words, if the daemon or the system decided: with a remedy if there is one.
    public var explanation: ExtensionHostError? {
        get async { await finished.value.why }
    }

    /// The refusals of the extension's confinement while the request was open, each once for a process; the first 16.
    ///
    /// Empty if the extension is not confined, or the daemon is older.
    public var refusals: [RefusalRecord] {
        get async { await finished.value.message?.refusals ?? [] }
    }

    /// The pid of the process that serves, or served, the request; nil as long as none does, or this host does not
    /// know.
    public var processIdentifier: Int? {
        if let pid = finished.current?.message?.pid { return pid }
        return (try? begun.current?.get()) ?? nil
    }

    /// The host's state when the request ended.
    public var hostState: HostStateName? {
        get async { await finished.value.message?.hostState }
    }

    /// The seconds from creation to each step, as known when the request ended.
    public var timings: Timings {
        get async { await finished.value.message?.timings ?? Timings() }
    }

    /// The way in which the process ended; nil if no process served the request, or the connection was lost.
    ///
    /// The getter waits until the process has ended. A shared process continues after the request.
    public var exit: (record: ExitRecord, timings: Timings)? {
        get async { await ended.value }
    }

    /// The known facts about the process's end; nil if it has not ended.
    public var currentExit: (record: ExitRecord, timings: Timings)? {
        ended.current ?? nil
    }

    /// The loads of this request's attachments in progress, each by its progress.
    ///
    /// The units are the load handler's; for files they are bytes.
    public var servedLoads: [Progress] { served.running }

    /// The number of this request's answered loads, and of this host's load handlers that still run.
    public var loadCount: (done: Int, open: Int) {
        let count = served.count
        return (count.done, count.open)
    }

    /// Cancels the request; the outcome is `cancelled(.cancelledByHost)` unless it ended before.
    ///
    /// - Throws: `ExtensionHostError` `noSuchRequest` if it has ended already, `connectionLost`.
    public func cancel() async throws { try await cancelAction(identifier) }

    // MARK: Calls

    /// Calls the extension, and returns its reply. Waits until the extension has the request.
    ///
    /// The cancellation of the task cancels the call.
    ///
    /// - Parameters:
    ///   - message: the call, which the extension point lists under `Accepts`.
    ///   - limit: the time after which the extension is told that the call expires; nil: as the extension point says.
    ///   - grace: the further time after which the call fails with `timedOut`; nil: none.
    ///   - isRepeatable: whether the call is made again if the daemon was replaced meanwhile. The extension may then
    ///     perform it twice.
    /// - Throws: the error of the extension's author; `CocoaError.userCancelled` after a cancellation;
    ///   `ExtensionHostError` `timedOut`, `contextFinished` if the request ends, `noSuchRequest` if it has ended before,
    ///   `interrupted` if the extension's process ends, `handlerDropped`, `notImplemented`, `frameworkMissing`, `notPermitted`, `quotaExceeded`,
    ///   `connectionLost`.
    @discardableResult
    public func call<Message: PointMessage>(
        _ message: Message, limit: Duration? = nil, grace: Duration? = nil, isRepeatable: Bool = false
    ) async throws -> Message.Reply {
        try await waitForDelivery()
        let options = CallPort.Options(limit: limit, grace: grace, isRepeatable: isRepeatable)
        return try await calls.call(message, of: identifier, options)
    }

    private func waitForDelivery() async throws {
        guard isReported else {
            throw ExtensionHostError(
                .invalidArgument, "nobody reports when the extension has this request, so it takes no calls",
                remedy: "Begin it with begin(_:items:), or with start(_:items:) and reportsDelivery")
        }
        try await delivered()
    }

    /// Calls the extension without waiting. Calls begin there in the order of these invocations.
    ///
    /// The extension must have the request (`delivered()`). The errors are those of `call`.
    ///
    /// - Parameters:
    ///   - message: the call.
    ///   - limit: as for `call`.
    ///   - grace: as for `call`.
    ///   - isRepeatable: as for `call`.
    ///   - completion: called once, on any thread.
    /// - Returns: a function that cancels the call.
    @discardableResult
    public func send<Message: PointMessage>(
        _ message: Message, limit: Duration? = nil, grace: Duration? = nil, isRepeatable: Bool = false,
        completion: @escaping @Sendable (Result<Message.Reply, any Error>) -> Void = { _ in }
    ) -> @Sendable () -> Void {
        let options = CallPort.Options(limit: limit, grace: grace, isRepeatable: isRepeatable)
        return calls.send(message, of: identifier, options, completion: completion)
    }

    /// Makes a call by its name, as `send` does.
    @discardableResult
    package func send(
        _ name: String, _ arguments: EncodedValue, _ options: CallPort.Options,
        completion: @escaping @Sendable (CallPort.Answer) -> Void
    ) -> @Sendable () -> Void {
        calls.call(name, of: identifier, arguments, options, completion: completion)
    }

    /// Calls the extension, and returns its reply after the parts.
    ///
    /// - Parameters:
    ///   - message: the call.
    ///   - limit: as for `call(_:limit:grace:isRepeatable:)`. Each part restarts it.
    ///   - grace: as for `call(_:limit:grace:isRepeatable:)`.
    ///   - onPart: takes a part, in their order. It runs on the connection's thread, so it must not block. An error that it
    ///     throws cancels the call, and is thrown.
    public func call<Message: PointMessage>(
        _ message: Message, limit: Duration? = nil, grace: Duration? = nil,
        onPart: @escaping @Sendable (Message.Part) throws -> Void
    ) async throws -> Message.Reply {
        try await waitForDelivery()
        let refusal = OneShot<any Error>()
        let options = CallPort.Options(limit: limit, grace: grace) { value, taken in
            if refusal.current == nil {
                do {
                    try onPart(try PointDecoder.decode(Message.Part.self, from: value))
                } catch {
                    refusal.set(error)
                }
            }
            taken()
        }
        return try await withThrowingTaskGroup(of: Message.Reply.self) { group in
            group.addTask { [self] in try await calls.call(message, of: identifier, options) }
            group.addTask { throw await refusal.value }
            defer {
                group.cancelAll()
                refusal.set(CancellationError())
            }
            guard let reply = try await group.next() else { throw CancellationError() }
            return reply
        }
    }

    /// Calls the extension, and returns the parts of its reply as they come. The sequence ends with the reply.
    ///
    /// A part counts as taken when the sequence has given it out. The extension sends at most 8 parts ahead. Iterate
    /// the sequence once.
    public func parts<Message: PointMessage>(
        of message: Message, limit: Duration? = nil, grace: Duration? = nil
    ) -> CallParts<Message.Part> {
        CallParts { [self] receive in
            try await waitForDelivery()
            let options = CallPort.Options(limit: limit, grace: grace, onPart: receive)
            _ = try await calls.call(message, of: identifier, options)
        }
    }

    // MARK: Streams

    /// Makes a stream of entries between this host and the extension. Its offer goes to the extension in a call, and is
    /// not kept: it holds the extension's end.
    ///
    /// Under a virtual clock, and while a session is recorded, the entries go through the daemon. Otherwise the two
    /// processes share memory. The receivers run on a thread of the stream's.
    ///
    /// - Parameters:
    ///   - capacity: the bytes of each direction that may be under way; at most 16 MiB.
    ///   - onEntries: receives the extension's entries.
    ///   - onClose: called once at the end, with `interrupted` if the extension's process has ended.
    /// - Throws: `ExtensionHostError` `connectionLost`, `quotaExceeded`, `internalError`, `contextFinished` after
    ///   the request.
    public func makeStream(
        capacity: Int = 1 << 20, onEntries: @escaping PointStream.Receiver, onClose: @escaping PointStream.EndReceiver
    ) async throws -> (stream: PointStream, offer: PointStreamOffer) {
        let isRouted = try await calls.channel.ask(GetStreamCarrier()).isRouted
        return try streams.make(isRouted: isRouted, capacity: capacity, onEntries, onClose)
    }

    /// The streams. Most requests have none.
    private var streams: RequestStreams {
        madeStreams.withLock { state in
            if let streams = state.streams { return streams }
            let made = RequestStreams(of: identifier, calls, activity)
            if state.isOver { made.end(nil) }
            state.streams = made
            return made
        }
    }

    /// Begins a call of the extension's.
    func begin(_ call: IncomingCall) {
        guard call.name == RequestStreams.callName else { return handlers.begin(call, on: queue) }
        streams.begin(call)
    }

    /// Ends the streams, because the request has ended.
    func endStreams(_ error: ExtensionHostError?) {
        let streams = madeStreams.withLock { state in
            state.isOver = true
            return state.streams
        }
        streams?.end(error)
    }
}
