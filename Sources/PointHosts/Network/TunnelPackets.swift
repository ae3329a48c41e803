// TunnelPackets: the packets of a tunnel's interface, at the host.

import ExtensionPointKit
import Locks
import PointMessages

/// The interface of a tunnel: the packets of the machine's programs and of the provider. Safe to use from any thread.
///
/// It stays when a provider ends, and serves the next. Its packets keep their order in each direction.
public final class TunnelPackets: Sendable {
    /// The packets that wait for the provider at most. A further one replaces the oldest, as in an interface's queue.
    public static let queueLimit = 1_024
    /// The bytes and the packets that the provider gets at once: what a stream passes on in one piece.
    private static let batchLimit = (bytes: 256 << 10, packets: 256)

    /// The packets so far.
    public struct Counters: Sendable, Hashable {
        /// The packets of programs.
        public var sent = 0
        /// The packets of programs that the provider has got, and their bytes.
        public var delivered = 0
        /// The bytes of these packets.
        public var deliveredBytes = 0
        /// The packets of programs that were replaced, because the provider did not read them in time.
        public var dropped = 0
        /// The packets of programs that found no interface: no tunnel was up, or its end came first.
        public var lost = 0
        /// The packets of the provider for programs, and their bytes.
        public var received = 0
        /// The bytes of these packets.
        public var receivedBytes = 0
        /// Entries of the provider that are no IP packets.
        public var invalid = 0
        /// Packets of the provider while the interface had no settings.
        public var refused = 0
        /// Packets of programs that were no IP packets.
        public var malformed = 0

        /// Makes counters at zero.
        public init() {}
    }

    /// A receiver of the provider's packets. It is called for one batch at a time.
    public typealias Receiver = @Sendable ([[UInt8]]) -> Void

    private struct State {
        var stream: PointStream?
        /// The number of the session. Entries of an earlier one do not count.
        var session = 0
        var isUp = false
        /// Whether the provider has asked for packets.
        var isAsked = false
        var queue = PacketQueue()
        var counters = Counters()
        var waiting: [CheckedContinuation<Void, Never>] = []
        var receivers: [Int: Receiver] = [:]
        var lastReceiver = 0
        var capture: PacketCapture?
    }

    private let state = Mutex(State())

    init() {}

    /// The packets so far.
    public var counters: Counters { state.withLock { $0.counters } }

    /// The number of packets that wait for the provider.
    public var waitingPackets: Int { state.withLock { $0.queue.count } }

    /// Records the packets of both directions from now on; nil: none.
    public func record(to capture: PacketCapture?) { state.withLock { $0.capture = capture } }

    /// Adds a receiver of the provider's packets.
    ///
    /// - Returns: a function that removes it.
    @discardableResult
    public func onPackets(_ receiver: @escaping Receiver) -> @Sendable () -> Void {
        let number = state.withLock { state in
            state.lastReceiver += 1
            state.receivers[state.lastReceiver] = receiver
            return state.lastReceiver
        }
        return { [self] in state.withLock { $0.receivers[number] = nil } }
    }

    // MARK: To the provider

    /// Sends packets of the machine's programs into the tunnel. It does not wait.
    public func send(_ packets: [[UInt8]]) {
        let capture = state.withLock { state -> PacketCapture? in
            state.counters.sent += packets.count
            for packet in packets {
                guard TunnelPacket.isPacket(packet[...], family: TunnelPacket.family(of: packet)) else {
                    state.counters.malformed += 1
                    continue
                }
                guard state.isUp else {
                    state.counters.lost += 1
                    continue
                }
                if state.queue.append(packet, most: Self.queueLimit) { state.counters.dropped += 1 }
            }
            return state.capture
        }
        capture?.add(packets)
        deliver()
    }

    /// Waits until at most half of the queue is in use, or no tunnel is up. Then 512 packets have room.
    public func waitForRoom() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isDue = state.withLock { state in
                if Self.hasRoom(state) { return true }
                state.waiting.append(continuation)
                return false
            }
            if isDue { continuation.resume() }
        }
    }

    private static func hasRoom(_ state: State) -> Bool { !state.isUp || state.queue.count <= queueLimit / 2 }

    /// Returns those who wait for room, if there is some.
    private static func due(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        guard hasRoom(state) else { return [] }
        defer { state.waiting = [] }
        return state.waiting
    }

    /// Answers the provider's question, if there is one and packets for it.
    private func deliver() {
        let (stream, batch, due) = state.withLock { state in
            guard state.isAsked, state.isUp, let stream = state.stream, state.queue.count > 0 else {
                return (PointStream?.none, [[UInt8]](), [CheckedContinuation<Void, Never>]())
            }
            state.isAsked = false
            let batch = state.queue.take(bytes: Self.batchLimit.bytes, packets: Self.batchLimit.packets)
            return (stream, batch, Self.due(&state))
        }
        guard let stream else { return }
        for continuation in due { continuation.resume() }
        // A batch is smaller than the stream, and the provider asks again after it. If one has asked without reading, it
        // loses packets, and nobody here waits for it.
        let count = (try? stream.sendNow(batch[...])) ?? 0
        state.withLock { state in
            state.counters.delivered += count
            state.counters.deliveredBytes += batch.prefix(count).reduce(0) { $0 + $1.count }
            state.counters.lost += batch.count - count
        }
    }

    // MARK: From the provider

    func receive(_ entries: [[UInt8]], of session: Int) {
        var packets: [[UInt8]] = []
        packets.reserveCapacity(entries.count)
        var (isAsked, invalid) = (false, 0)
        for entry in entries {
            if entry == TunnelPacket.question {
                isAsked = true
            } else if let packet = TunnelPacket.packet(of: entry) {
                packets.append(packet)
            } else {
                invalid += 1
            }
        }
        let (receivers, capture) = state.withLock { state -> ([Receiver], PacketCapture?) in
            guard session == state.session else { return ([], nil) }
            state.counters.invalid += invalid
            if isAsked { state.isAsked = true }
            guard state.isUp else {
                state.counters.refused += packets.count
                return ([], nil)
            }
            state.counters.received += packets.count
            state.counters.receivedBytes += packets.reduce(0) { $0 + $1.count }
            return (state.receivers.sorted { $0.key < $1.key }.map(\.value), state.capture)
        }
        if !packets.isEmpty {
            capture?.add(packets)
            for receiver in receivers { receiver(packets) }
        }
        if isAsked { deliver() }
    }

    // MARK: The session

    /// Begins a session.
    ///
    /// - Returns: its number.
    func begin() -> Int {
        state.withLock { state in
            state.session += 1
            state.isAsked = false
            return state.session
        }
    }

    func attach(_ stream: PointStream) { state.withLock { $0.stream = stream } }

    /// The interface has settings, or none.
    func setUp(_ isUp: Bool) {
        let due = state.withLock { state in
            state.isUp = isUp
            if !isUp { state.counters.lost += state.queue.removeAll() }
            return Self.due(&state)
        }
        for continuation in due { continuation.resume() }
        if isUp { deliver() }
    }

    /// The session has ended. What waits is lost.
    func detach() {
        setUp(false)
        let stream = state.withLock { state in
            state.isAsked = false
            state.session += 1
            defer { state.stream = nil }
            return state.stream
        }
        stream?.close()
    }
}

/// Packets in their order, of which the oldest may go.
struct PacketQueue: Sendable {
    private var packets: [[UInt8]] = []
    private var first = 0

    var count: Int { packets.count - first }

    /// - Returns: whether the oldest packet had to go.
    mutating func append(_ packet: [UInt8], most: Int) -> Bool {
        packets.append(packet)
        guard count > most else { return false }
        packets[first] = []
        first += 1
        compact()
        return true
    }

    /// Takes the oldest packets: at least one, and no more than so many bytes and packets.
    mutating func take(bytes limit: Int, packets most: Int) -> [[UInt8]] {
        var (end, bytes) = (first, 0)
        while end < packets.count, end == first || bytes + packets[end].count <= limit && end - first < most {
            bytes += packets[end].count
            end += 1
        }
        defer {
            first = end
            if first == packets.count { (packets, first) = ([], 0) } else { compact() }
        }
        return Array(packets[first..<end])
    }

    /// - Returns: the number of packets that were in it.
    mutating func removeAll() -> Int {
        defer { (packets, first) = ([], 0) }
        return count
    }

    private mutating func compact() {
        guard first > packets.count / 2 else { return }
        packets.removeSubrange(..<first)
        first = 0
    }
}
