// FlowMultiplexer: the flows of one request, whose events travel in calls, one call at a time.

import Locks
public import PointMessages

/// The flows between a proxy and its host, on either side. Safe to use from any thread.
///
/// Events reach the other side in the order in which they are sent. A flow that does not read stops no other.
public final class FlowMultiplexer: Sendable {
    /// The function that sends events, and calls its handler once: whether the other side has taken them.
    public typealias Sender = @Sendable (_ entries: [FlowEntry], _ taken: @escaping @Sendable (Bool) -> Void) -> Void

    private struct State {
        var channels: [Int: FlowChannel] = [:]
        /// The events that are not sent. Each flow has a few at most: a piece, a question for one, and its ends.
        var waiting: [FlowEntry] = []
        var isSending = false
        var isOver = false
    }

    private let state = Mutex(State())
    private let sender: Sender

    /// Makes the flows of a request.
    public init(sender: @escaping Sender) { self.sender = sender }

    /// The number of flows that have not ended.
    public var count: Int { state.withLock { $0.channels.count } }

    /// Whether the request has ended, or a call of it has failed.
    public var isOver: Bool { state.withLock { $0.isOver } }

    /// Adds a flow.
    ///
    /// - Returns: nil if there are 512 flows, or one with this number, or the request has ended.
    public func add(_ number: Int, isDatagrams: Bool, _ events: FlowChannel.Events = .init()) -> FlowChannel? {
        state.withLock { state in
            guard !state.isOver, state.channels.count < FlowService.mostFlows, state.channels[number] == nil else {
                return nil
            }
            let channel = FlowChannel(number, isDatagrams: isDatagrams, self, events)
            state.channels[number] = channel
            return channel
        }
    }

    /// Removes a flow that nobody uses. Its events are not called.
    public func remove(_ number: Int) { state.withLock { $0.channels[number] = nil } }

    /// Takes events of the other side. Those of a flow that has ended were on their way, and have no effect.
    public func receive(_ entries: [FlowEntry]) {
        // The sender of an honest side sends no more in a call.
        guard entries.count <= FlowService.mostEntries else { return close(.internal) }
        for entry in entries { state.withLock { $0.channels[entry.flow] }?.receive(entry) }
    }

    /// Ends all flows with an error, because the request has ended.
    public func close(_ error: FlowError) {
        let channels = state.withLock { state in
            (state.isOver, state.waiting) = (true, [])
            defer { state.channels = [:] }
            return Array(state.channels.values)
        }
        for channel in channels { channel.abort(error) }
    }

    /// Appends an event. The caller holds the lock of the flow, so that its events keep their order.
    func append(_ entry: FlowEntry) {
        state.withLock { state in
            if !state.isOver { state.waiting.append(entry) }
        }
    }

    /// Whether an event of a kind has not been sent, so the other side cannot have reacted to it.
    func isWaiting(_ number: Int, _ kind: FlowEntry.Kind) -> Bool {
        state.withLock { $0.waiting.contains { $0.flow == number && $0.kind == kind } }
    }

    /// Sends what waits, unless a call is open.
    func flush() {
        let entries = state.withLock { state -> [FlowEntry] in
            guard !state.isSending, !state.waiting.isEmpty else { return [] }
            state.isSending = true
            var count = 0
            var bytes = 0
            for entry in state.waiting.prefix(FlowService.mostEntries) {
                bytes += entry.bytes?.count ?? 0
                for datagram in entry.datagrams ?? [] { bytes += datagram.bytes.count }
                if count > 0, bytes > FlowService.mostBytes { break }
                count += 1
            }
            defer { state.waiting.removeFirst(count) }
            return Array(state.waiting.prefix(count))
        }
        guard !entries.isEmpty else { return }
        sender(entries) { [weak self] isTaken in
            guard let self else { return }
            state.withLock { $0.isSending = false }
            if isTaken { flush() } else { close(.aborted) }
        }
    }
}
