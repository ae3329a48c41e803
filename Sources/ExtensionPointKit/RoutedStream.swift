// RoutedStream: a stream whose entries are calls through the daemon.

import Dispatch
import ExtensionItems
import ExtensionWire
import Locks

/// A stream of calls, a few of which are open at a time. The other side answers each after its receiver has returned.
final class RoutedStream: StreamCarrier {
    let capacity: Int
    private let number: Int
    private let request: RequestIdentifier
    private let port: CallPort
    /// The queue of the receivers, as the thread of a ring, and the executor of calls on it.
    private let receivers = DispatchQueue(label: "org.exthost.stream")
    private let queue: CallQueue
    private let activity: Activity
    private let receiver: PointStream.Receiver
    private let ended: PointStream.EndReceiver
    /// A function that removes the stream from its request's. The other side has heard of the end by then.
    private let removed: @Sendable () -> Void
    private let state: Mutex<State>
    private let arrivals = Mutex(Arrivals())
    /// The turn of those who send.
    private let turn = Mutex(())

    private struct State {
        var waiting: [[UInt8]] = []
        /// The bytes that the other side has not taken, those of open calls included.
        var bytes = 0
        var sent = 0
        /// Whether the other side has its end. The one that opens it says so by a call without entries.
        var isOpen: Bool
        var owesOpening: Bool
        var openCalls = 0
        var isClosed = false
        /// Whether calls that have come before the end are still received.
        var drains = false
        /// Whether a thread sends, and may wait for room.
        var isSending = false
        var endIsSent = false
        /// Whether the other side takes no more entries. Those that it has sent may still come.
        var isRefused = false
        /// Whether the other side has ended the stream, or cannot be told any more.
        var isTheirs = false
        var error: (any Error)?
        /// Threads that wait for room.
        var sleepers: [DispatchSemaphore] = []
    }

    /// The calls of the other side in the order of their entries. Calls that are repeated after a restart of the
    /// daemon, or sent by two threads, may come in another.
    private struct Arrivals {
        /// The number of entries whose calls have begun.
        var begun = 0
        /// Calls whose predecessors have not come, by the number of their first entry.
        var early: [Int: (call: IncomingCall, message: StreamEntries)] = [:]
    }

    private static let mostOpenCalls = 4
    private static let mostEntries = 256
    private static let mostBytes = 1 << 18
    /// The bounds of the time until a call is made again for which the daemon had no room.
    private static let firstWait = Duration.milliseconds(1)
    private static let longestWait = Duration.milliseconds(64)

    /// - Parameters:
    ///   - isMaker: whether this side has made the stream, and the other opens it.
    ///   - removed: called once, when no further call of the stream needs this object.
    init(
        _ number: Int, of request: RequestIdentifier, isMaker: Bool, _ port: CallPort, _ activity: Activity,
        capacity: Int, _ receiver: @escaping PointStream.Receiver, _ ended: @escaping PointStream.EndReceiver,
        removed: @escaping @Sendable () -> Void
    ) {
        (self.number, self.request, self.port, self.capacity) = (number, request, port, capacity)
        (self.receiver, self.ended, self.removed) = (receiver, ended, removed)
        queue = CallQueue(receivers, activity)
        self.activity = activity
        state = Mutex(State(isOpen: !isMaker, owesOpening: !isMaker))
    }

    /// Tells the maker that this end is open.
    func start() { pump() }

    // MARK: Writing

    func send(_ entries: [[UInt8]]) throws {
        try turn.withLock { _ in
            state.withLock { $0.isSending = true }
            defer { state.withLock { $0.isSending = false } }
            var rest = entries[...]
            while true {
                rest = rest.dropFirst(try enqueue(rest, isTurn: true))
                guard let next = rest.first else { return }
                let semaphore = DispatchSemaphore(value: 0)
                let mustWait = state.withLock { state in
                    guard !state.isClosed, !state.isRefused, !fits(next, state) else { return false }
                    state.sleepers.append(semaphore)
                    return true
                }
                if mustWait { semaphore.wait() }
            }
        }
    }

    func sendNow(_ entries: ArraySlice<[UInt8]>) throws -> Int { try enqueue(entries, isTurn: false) }

    private func enqueue(_ entries: ArraySlice<[UInt8]>, isTurn: Bool) throws -> Int {
        let count = try state.withLock { state in
            if state.isClosed || state.isRefused { throw state.error ?? ExtensionHostError.streamIsClosed }
            if state.isSending, !isTurn { return 0 }
            var count = 0
            for entry in entries {
                guard fits(entry, state) else { break }
                state.waiting.append(entry)
                state.bytes += 4 + entry.count
                count += 1
            }
            return count
        }
        pump()
        return count
    }

    private func fits(_ entry: [UInt8], _ state: State) -> Bool { state.bytes + 4 + entry.count <= capacity }

    /// Sends what waits, as calls.
    private func pump() {
        while let entries = nextCall() { send(entries, wait: Self.firstWait) }
    }

    /// Makes a call, again if the daemon has no room for it.
    ///
    /// - Parameter wait: the time until it is made again. Until then the call counts as open, so that the bounds hold.
    ///   The other side has the calls in the order of their entries, whichever of them are made again.
    private func send(_ entries: StreamEntries, wait: Duration) {
        port.send(entries, of: request, CallPort.Options(isRepeatable: true)) { [self] answer in
            let code: ExtensionHostError.Code? =
                if case .failure(let error as ExtensionHostError) = answer { error.code } else { nil }
            // Too many packets wait for the other side, and nothing announces room.
            let isUnsent = code == .quotaExceeded
            if isUnsent, isStillDue(entries) { return sendAgain(entries, after: wait) }
            finish(entries, answer, isRefused: code == .contextFinished, isUnsent: isUnsent)
        }
    }

    private func isStillDue(_ entries: StreamEntries) -> Bool {
        state.withLock { state in
            guard !state.isTheirs else { return false }
            return entries.ends == true || !state.isRefused && state.error == nil
        }
    }

    private func sendAgain(_ entries: StreamEntries, after wait: Duration) {
        // A fence waits for the entries, and so does a virtual clock.
        activity.enter()
        // Receivers may wait for room on their own queue.
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(wait / .nanoseconds(1)))) { [self] in
            send(entries, wait: min(wait * 2, Self.longestWait))
            activity.leave()
        }
    }

    private func finish(_ entries: StreamEntries, _ answer: Result<Nothing, any Error>, isRefused: Bool, isUnsent: Bool)
    {
        let bytes = entries.entries.reduce(0) { $0 + 4 + $1.count }
        let sleepers = state.withLock { state in
            state.openCalls -= 1
            state.bytes -= bytes
            // The other side has closed the stream. Its last call says so, after all its entries.
            if isRefused { (state.isRefused, state.waiting) = (true, []) }
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.signal() }
        if entries.ends == true { return removed() }
        if case .failure(let error) = answer, !isRefused, !isUnsent { return close(error) }
        pump()
    }

    private func nextCall() -> StreamEntries? {
        state.withLock { state in
            guard state.isOpen, state.openCalls < Self.mostOpenCalls else { return nil }
            if state.error != nil {
                guard !state.endIsSent else { return nil }
                state.endIsSent = true
                state.openCalls += 1
                return StreamEntries(stream: number, first: state.sent, entries: [], ends: true, hasFailed: true)
            }
            guard !state.isRefused || state.isClosed else { return nil }
            var count = 0
            var bytes = 0
            for entry in state.waiting.prefix(Self.mostEntries) {
                bytes += entry.count
                count += 1
                if bytes >= Self.mostBytes { break }
            }
            let isEnd = state.isClosed && count == state.waiting.count && !state.endIsSent
            guard count > 0 || isEnd || state.owesOpening else { return nil }
            state.owesOpening = false
            let entries = StreamEntries(
                stream: number, first: state.sent, entries: Array(state.waiting.prefix(count)), ends: isEnd ? true : nil
            )
            state.waiting.removeFirst(count)
            state.sent += count
            state.openCalls += 1
            state.endIsSent = isEnd
            return entries
        }
    }

    // MARK: Reading

    /// Performs a call of the other side, and answers it when its entries have been received: with `protocolViolation`
    /// if entries are missing, with `contextFinished` after the end.
    func perform(_ call: IncomingCall, _ message: StreamEntries) {
        if message.hasFailed == true {
            close(
                ExtensionHostError(.interrupted, "the other side of the stream has failed"), isTheirs: true,
                drains: false)
            call.perform(on: queue) { try PointEncoder.encode(Nothing()) }
            return
        }
        typealias Due = (call: IncomingCall, message: StreamEntries, isNew: Bool)
        let due: [Due]? = arrivals.withLock { arrivals in
            if message.first > arrivals.begun {
                guard arrivals.early.count < Self.mostOpenCalls else { return nil }
                arrivals.early[message.first] = (call, message)
                return []
            }
            // A call that is repeated after a restart of the daemon is answered when the first has been performed.
            guard message.first == arrivals.begun else { return [(call, message, false)] }
            var due: [Due] = [(call, message, true)]
            arrivals.begun += message.entries.count
            while let next = arrivals.early.removeValue(forKey: arrivals.begun) {
                due.append((next.call, next.message, true))
                arrivals.begun += next.message.entries.count
            }
            return due
        }
        guard let due else {
            call.answer(.failure(ExtensionHostError(.protocolViolation, "entries of the stream are missing")))
            return
        }
        for (call, message, isNew) in due {
            call.perform(on: queue) { [self] in
                if isNew { try take(message) }
                return try PointEncoder.encode(Nothing())
            }
        }
    }

    private func take(_ message: StreamEntries) throws {
        state.withLock { $0.isOpen = true }
        pump()
        if state.withLock({ $0.isClosed && !$0.drains }) { throw ExtensionHostError.streamIsClosed }
        guard message.entries.allSatisfy({ $0.count <= PointStream.largestEntry }) else {
            throw ExtensionHostError(.payloadTooLarge, "an entry of the stream is too large")
        }
        if !message.entries.isEmpty { receiver(message.entries) }
        if message.ends == true { close(nil, isTheirs: true, drains: false) }
    }

    // MARK: The end

    func close(_ error: (any Error)?) { close(error, isTheirs: false, drains: false) }

    func abandon() { state.withLock { $0.isClosed = true } }

    func requestEnded(_ error: (any Error)?) { close(error, isTheirs: true, drains: true) }

    /// - Parameter isTheirs: whether the other side has ended the stream, or cannot be told any more.
    private func close(_ error: (any Error)?, isTheirs: Bool, drains: Bool) {
        let (isFirst, sleepers) = state.withLock { state in
            guard !state.isClosed else { return (false, [DispatchSemaphore]()) }
            (state.isClosed, state.drains, state.error) = (true, drains, error)
            // Nobody would receive entries that wait.
            if error != nil || isTheirs { state.waiting = [] }
            if isTheirs { (state.isTheirs, state.endIsSent) = (true, true) }
            defer { state.sleepers = [] }
            return (true, state.sleepers)
        }
        guard isFirst else { return }
        for sleeper in sleepers { sleeper.signal() }
        pump()
        if isTheirs { removed() }
        arrivals.withLock { $0.early = [:] }
        // The receiver of the end may hold what the caller holds. Entries that have come are before it on the queue.
        activity.enter()
        receivers.async { [self] in
            ended(error)
            activity.leave()
        }
    }
}
