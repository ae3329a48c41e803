// NEPacketTunnelFlow: the packets of a tunnel's interface.

import Dispatch
import ExtensionItems
import ExtensionPointKit
public import Foundation
import Locks
import PointFrameworkKit
import PointMessages

/// A packet with the number of its protocol.
public final class NEPacket: NSObject, Sendable {
    public let data: Data
    /// The number of the protocol: `AF_INET` 2, or `AF_INET6` 30 as on Apple's systems.
    public let protocolFamily: Int32

    /// Makes a packet.
    public init(data: Data, protocolFamily: UInt8) {
        (self.data, self.protocolFamily) = (data, Int32(protocolFamily))
    }
}

/// The packets of a tunnel's interface. Safe to use from any thread.
public final class NEPacketTunnelFlow: NSObject, Sendable {
    /// A handler of packets with the numbers of their protocols.
    private typealias Handler = @Sendable ([[UInt8]]) -> Void

    private struct State {
        var stream: PointStream?
        /// Whether the host has been asked for packets that have not come.
        var isAsked = false
        /// Packets that came together with others, and nobody has read yet.
        var packets: [[UInt8]] = []
        /// The handlers that wait for packets, the oldest first.
        var waiting: [Handler] = []
    }

    private let state = Mutex(State())
    /// The queue of handlers whose packets are there already.
    private let handlers = DispatchQueue(label: "org.exthost.packets")

    override init() {}

    // MARK: The author's side

    /// Reads packets. The handler is called once, with at least one packet; call it again for the next.
    ///
    /// - Parameter completionHandler: gets the packets and the numbers of their protocols: `AF_INET` 2, `AF_INET6` 30.
    public func readPackets(completionHandler: @escaping ([Data], [NSNumber]) -> Void) {
        let handler = AuthorCode(completionHandler)
        read { packets in
            handler.object(
                packets.map { Data($0) }, packets.map { NSNumber(value: TunnelPacket.family(of: $0)) })
        }
    }

    /// The form of `readPackets(completionHandler:)` that waits.
    public func readPackets() async -> ([Data], [NSNumber]) {
        await withCheckedContinuation { continuation in
            let handler = WaitingReader(continuation, ([], []))
            readPackets { handler.resume(($0, $1)) }
        }
    }

    /// Reads packets as objects. The handler is called once.
    public func readPacketObjects(completionHandler: @escaping ([NEPacket]) -> Void) {
        let handler = AuthorCode(completionHandler)
        read { packets in
            handler.object(
                packets.map { NEPacket(data: Data($0), protocolFamily: TunnelPacket.family(of: $0)) })
        }
    }

    /// The form of `readPacketObjects(completionHandler:)` that waits.
    public func readPacketObjects() async -> [NEPacket] {
        await withCheckedContinuation { continuation in
            let handler = WaitingReader(continuation, [])
            readPacketObjects { handler.resume($0) }
        }
    }

    /// Writes packets. It waits while the host takes earlier ones.
    ///
    /// - Returns: false if the tunnel is down, or there are not as many protocols as packets.
    @discardableResult
    public func writePackets(_ packets: [Data], withProtocols protocols: [NSNumber]) -> Bool {
        guard packets.count == protocols.count else { return false }
        return write(zip(packets, protocols).map { TunnelPacket.written($0, family: $1.intValue) })
    }

    /// Writes packets as objects.
    ///
    /// - Returns: false if the tunnel is down.
    @discardableResult
    public func writePacketObjects(_ packets: [NEPacket]) -> Bool {
        write(packets.map { TunnelPacket.written($0.data, family: Int($0.protocolFamily)) })
    }

    private func write(_ entries: [[UInt8]]) -> Bool {
        guard let stream = state.withLock({ $0.stream }) else { return false }
        do {
            // The host drops what is larger than a packet can be.
            try stream.send(entries.map { $0.count > TunnelPacket.largest + 2 ? Array($0.prefix(2)) : $0 })
            return true
        } catch {
            return false
        }
    }

    private func read(_ handler: @escaping Handler) {
        let (packets, asks) = state.withLock { state -> ([[UInt8]], PointStream?) in
            if !state.packets.isEmpty, state.waiting.isEmpty {
                defer { state.packets = [] }
                return (state.packets, nil)
            }
            state.waiting.append(handler)
            return ([], Self.question(&state))
        }
        if packets.isEmpty {
            if let asks { ask(asks) }
        } else {
            hand(packets, handler)
        }
    }

    /// Returns the stream if the host is to be asked for packets now.
    private static func question(_ state: inout State) -> PointStream? {
        guard !state.waiting.isEmpty, state.packets.isEmpty, !state.isAsked, let stream = state.stream else {
            return nil
        }
        state.isAsked = true
        return stream
    }

    private func ask(_ stream: PointStream) { try? stream.send([TunnelPacket.question]) }

    /// Calls a handler on the queue of the packets. A fence waits for it.
    private func hand(_ packets: [[UInt8]], _ handler: @escaping Handler) {
        Activity.process.enter()
        handlers.async {
            handler(packets)
            Activity.process.leave()
        }
    }

    // MARK: The host's side

    func open(_ offer: PointStreamOffer, _ session: PointSession) throws {
        let stream = try session.openStream(
            offer, onEntries: { [weak self] in self?.receive($0) }, onClose: { [weak self] _ in self?.close() })
        let asks = state.withLock { state in
            state.stream = stream
            return Self.question(&state)
        }
        if let asks { ask(asks) }
    }

    private func receive(_ entries: [[UInt8]]) {
        let (handler, packets) = state.withLock { state -> (Handler?, [[UInt8]]) in
            state.isAsked = false
            state.packets += entries
            guard !state.waiting.isEmpty else { return (nil, []) }
            defer { state.packets = [] }
            return (state.waiting.removeFirst(), state.packets)
        }
        // Not on this thread: a handler that writes may wait for the host.
        if let handler { hand(packets, handler) }
        let asks = state.withLock { Self.question(&$0) }
        if let asks { ask(asks) }
    }

    /// The tunnel is down. Handlers are not called any more.
    func close() {
        // The handlers are released outside the lock: their end is the author's code, and may use the flow.
        let last = state.withLock { state in
            defer { state = State() }
            return state
        }
        last.stream?.close()
    }
}

/// A reader that waits. It gets no packets if its tunnel ends.
private final class WaitingReader<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, Never>?>
    private let nothing: Value

    init(_ continuation: CheckedContinuation<Value, Never>, _ nothing: Value) {
        self.continuation = Mutex(continuation)
        self.nothing = nothing
    }

    deinit { resume(nothing) }

    func resume(_ value: Value) {
        let waiting = continuation.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        waiting?.resume(returning: value)
    }
}
