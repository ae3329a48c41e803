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
    /// The queue of the receivers, as the thread of a ring.
    private let queue: CallQueue
    private let receiver: PointStream.Receiver
    private let ended: PointStream.EndReceiver
    private let state: Mutex<State>
    /// The number of entries that came.
    private let arrived = Mutex(0)

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
        var endIsSent = false
        var error: (any Error)?
        /// Threads that wait for room.
        var sleepers: [DispatchSemaphore] = []
    }

    private static let mostOpenCalls = 4
    private static let mostEntries = 256
    private static let mostBytes = 1 << 18

    /// - Parameter isMaker: whether this side has made the stream, and the other opens it.
    init(
        _ number: Int, of request: RequestIdentifier, isMaker: Bool, _ port: CallPort, _ activity: Activity,
        capacity: Int, _ receiver: @escaping PointStream.Receiver, _ ended: @escaping PointStream.EndReceiver
    ) {
        (self.number, self.request, self.port, self.capacity) = (number, request, port, capacity)
        (self.receiver, self.ended) = (receiver, ended)
        queue = CallQueue(DispatchQueue(label: "org.exthost.stream"), activity)
        state = Mutex(State(isOpen: !isMaker, owesOpening: !isMaker))
    }

    /// Tells the maker that this end is open.
    func start() { pump() }

    // MARK: Writing

    func send(_ entries: [[UInt8]]) throws {
        var rest = entries[...]
        while true {
            rest = rest.dropFirst(try sendNow(rest))
            if rest.isEmpty { return }
            let semaphore = DispatchSemaphore(value: 0)
            let mustWait = state.withLock { state in
                guard !state.isClosed, !fits(rest[rest.startIndex], state) else { return false }
                state.sleepers.append(semaphore)
                return true
            }
            if mustWait { semaphore.wait() }
        }
    }

    func sendNow(_ entries: ArraySlice<[UInt8]>) throws -> Int {
        let count = try state.withLock { state in
            if state.isClosed { throw state.error ?? ExtensionHostError.streamIsClosed }
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
        while let (entries, options) = nextCall() {
            let bytes = entries.entries.reduce(0) { $0 + 4 + $1.count }
            port.send(entries, of: request, options) { [self] answer in
                let sleepers = state.withLock { state in
                    state.openCalls -= 1
                    state.bytes -= bytes
                    defer { state.sleepers = [] }
                    return state.sleepers
                }
                for sleeper in sleepers { sleeper.signal() }
                if case .failure(let error) = answer { return close(error) }
                pump()
            }
        }
    }

    private func nextCall() -> (StreamEntries, CallPort.Options)? {
        state.withLock { state in
            guard state.isOpen, state.openCalls < Self.mostOpenCalls, state.error == nil else { return nil }
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
            return (entries, CallPort.Options(isRepeatable: true))
        }
    }

    // MARK: Reading

    /// Performs a call of the other side, and answers it when its entries have been received: with `protocolViolation` if
    /// entries are missing, with `contextFinished` after the end.
    func perform(_ call: IncomingCall, _ message: StreamEntries) {
        call.perform(on: queue) { [self] in
            try take(message)
            return try PointEncoder.encode(Nothing())
        }
    }

    private func take(_ message: StreamEntries) throws {
        let isNew = try arrived.withLock { arrived in
            guard message.first <= arrived else {
                throw ExtensionHostError(.protocolViolation, "entries of the stream are missing")
            }
            // A call that is repeated after a restart of the daemon.
            guard message.first == arrived else { return false }
            arrived += message.entries.count
            return true
        }
        guard isNew else { return }
        state.withLock { $0.isOpen = true }
        pump()
        if state.withLock({ $0.isClosed }) { throw ExtensionHostError.streamIsClosed }
        guard message.entries.allSatisfy({ $0.count <= PointStream.largestEntry }) else {
            throw ExtensionHostError(.payloadTooLarge, "an entry of the stream is too large")
        }
        if !message.entries.isEmpty { receiver(message.entries) }
        if message.ends == true { close(nil, isTheirs: true) }
    }

    // MARK: The end

    func close(_ error: (any Error)?) { close(error, isTheirs: false) }

    private func close(_ error: (any Error)?, isTheirs: Bool) {
        let (isFirst, sleepers) = state.withLock { state in
            guard !state.isClosed else { return (false, [DispatchSemaphore]()) }
            state.isClosed = true
            state.error = error
            // Nobody would receive what waits.
            if error != nil || isTheirs {
                state.waiting = []
                state.endIsSent = true
            }
            defer { state.sleepers = [] }
            return (true, state.sleepers)
        }
        guard isFirst else { return }
        for sleeper in sleepers { sleeper.signal() }
        pump()
        ended(error)
    }
}
