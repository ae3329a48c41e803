// Connection: one end of a packet connection: framing, serials, credit and a bounded queue, without a loop or a thread.

public import ExtensionWire
import Glibc
public import LinuxDescriptors
import PropertyListCoding

/// One end of a connection.
///
/// The owner decides when to read and when to write, and gives isolation; every call returns at once.
///
/// Credit: each side grants the other a window of packets and bytes (hello, welcome) and gives back what it has read
/// (`release`). A sender without credit queues; a peer that sends without credit is in violation. Only `credit` and the
/// error before a close travel outside this count, with serial 0, so that they cannot wait behind the packets that they
/// unblock.
public struct Connection: ~Copyable, Sendable {
    /// The limit of packets and bytes that may wait; beyond it the peer counts as not reading.
    public static let queueLimit = Window(packets: 4096, bytes: 8 * 1024 * 1024)

    public enum Progress: Sendable, Hashable {
        case drained
        /// The socket is full: flush again when it is writable.
        case waitingForSocket
        /// The peer owes credit: flush again after the next packet from it.
        case waitingForCredit
    }

    private struct Outgoing: Sendable {
        var serial: UInt32
        var bytes: [UInt8]
        var descriptors: [SharedDescriptor]
        var counted: Bool
    }

    private var socket: Socket
    private var credit: CreditAccount
    private var nextSerial: UInt32 = 1
    /// The serial of the last packet received.
    public private(set) var lastReceived: UInt32 = 0
    /// The packets that were sent and are stored; then, from `queueHead` on, those that have not been sent.
    private var queue: [Outgoing] = []
    private var queueHead = 0
    private var queuedBytes = 0
    /// Whether the peer receives nothing more; packets that it had sent may still be unread.
    private var isPeerDeaf = false

    /// Whether sent packets are stored until the peer has dealt with them, so that they can be sent again on another
    /// socket.
    private var isResumable = false
    /// The number of packets at the front of the queue that the peer has dealt with, and the serial of the last of
    /// them.
    private var keptHead = 0
    private var lastConfirmed: UInt32 = 0
    private var isDetached = false
    /// Whether a received packet holds descriptors open at its sender; its credit is returned at once.
    private var owesAtOnce = false
    /// The disturbed packets of each direction; nil without faults on demand.
    private var incoming: DisturbedPackets?
    private var outgoing: DisturbedPackets?

    /// Takes over a connected `SOCK_SEQPACKET` socket.
    public init(socket: consuming Socket, granting window: Window = .standard) {
        self.socket = socket
        credit = CreditAccount(granting: window)
    }

    /// The descriptor for polling; owned by the connection.
    public var descriptor: Int32 { socket.raw }

    /// The number of packets that have not been sent.
    public var queuedPackets: Int { queue.count - queueHead }

    /// Sets what the peer granted, from its hello or welcome.
    public mutating func openCredit(_ window: Window) { credit.open(window) }

    // MARK: Sending

    /// Queues a message; `flush` sends it. Returns its serial, which an answer will name.
    @discardableResult
    public mutating func enqueue<M: Message>(
        _ message: M, payload: Payload = .none, descriptors: [SharedDescriptor] = [], replyTo: UInt32 = 0
    ) throws(ConnectionError) -> UInt32 {
        guard queuedPackets < Self.queueLimit.packets, queuedBytes < Self.queueLimit.bytes else {
            throw .queueFull(packets: queuedPackets)
        }
        let serial = nextSerial
        let counted = M.kind != .hello && M.kind != .welcome
        let packet = try EncodedPacket(
            message, payload: payload, descriptors: descriptors, serial: serial, replyTo: replyTo)
        append(Outgoing(serial: serial, bytes: packet.bytes, descriptors: packet.descriptors, counted: counted))
        nextSerial = nextSerial == .max ? 1 : nextSerial + 1
        return serial
    }

    /// The packets and bytes sent so far, without credit; a packet sent again over another socket counts again.
    public private(set) var sent = Window(packets: 0, bytes: 0)

    /// Sends the error that ends a connection, past the queue, as far as the socket takes it now.
    ///
    /// Nothing is received afterwards: unread packets in a closed socket would reach the peer as `ECONNRESET` before
    /// the error does.
    public mutating func sendLastWords(_ error: ExtensionHostError) {
        // The send comes first, because it is the last chance: a peer that cannot send may not wait for the error.
        if let packet = try? EncodedPacket(ErrorReply(error)) { _ = try? socketSend(packet.bytes, []) }
        socket.stopReceiving()
    }

    /// Sends the queued packets, as far as credit and the socket allow.
    ///
    /// If the peer has gone, the packets are dropped without an error. Only `receive` ends the connection, with
    /// `.closed`, after everything that the peer had sent before.
    public mutating func flush() throws(ConnectionError) -> Progress {
        // Waiting packets are sent on the next socket, whose first packet is the peer's.
        if isDetached { return .waitingForCredit }
        guard try grantCredit() else { return .waitingForSocket }
        while queueHead < queue.count, !isPeerDeaf {
            let next = queue[queueHead]
            if next.counted, !credit.covers(next.bytes.count) { return .waitingForCredit }
            guard try outgoing == nil ? socketSend(next.bytes, next.descriptors) : sendDisturbed(next) else {
                if isPeerDeaf { break }
                return .waitingForSocket
            }
            if next.counted { credit.spend(next.bytes.count) }
            queueHead += 1
            queuedBytes -= next.bytes.count
            sent.packets += 1
            sent.bytes += next.bytes.count
            if !isResumable { keptHead = queueHead }
        }
        if isPeerDeaf {
            if isResumable { return .waitingForCredit }
            queueHead = queue.count
            keptHead = queueHead
            queuedBytes = 0
        }
        if keptHead == queue.count { dropDealtWith() }
        return .drained
    }

    private mutating func append(_ outgoing: Outgoing) {
        if keptHead > 64, keptHead * 2 > queue.count { dropDealtWith() }
        queue.append(outgoing)
        queuedBytes += outgoing.bytes.count
    }

    private mutating func dropDealtWith() {
        if keptHead == queue.count { queue.removeAll(keepingCapacity: true) } else { queue.removeFirst(keptHead) }
        queueHead -= keptHead
        keptHead = 0
    }

    // MARK: Going on over another socket

    /// Stores sent packets from here on until the peer has dealt with them, as its credit tells.
    ///
    /// It is called right after the handshake, by both sides or by neither.
    public mutating func makeResumable() {
        isResumable = true
        lastConfirmed = nextSerial == 1 ? .max : nextSerial - 1
    }

    /// Numbers the following packets from after `serial`.
    ///
    /// Call it right after the welcome; the peer calls `skipReceived`.
    ///
    /// A peer that was connected to an earlier daemon must not confuse this daemon's questions with those of the
    /// earlier one.
    public mutating func skipSent(to serial: UInt32) { nextSerial = max(nextSerial, serial == .max ? 1 : serial + 1) }

    /// Skips the serials that the peer skipped with `skipSent`.
    public mutating func skipReceived(to serial: UInt32) {
        lastReceived = max(lastReceived, serial == .max ? 0 : serial)
    }

    /// The serial of the next message.
    public var upcomingSerial: UInt32 { nextSerial }

    /// Detaches the connection from its socket. Messages can be queued; they are sent after `attach`.
    public mutating func detach() { isDetached = true }

    /// Forgets the session. Messages queued from here on begin the next one.
    ///
    /// `attach` begins that session with `peerReceived` 1, the hello. The connection is detached, as after `detach`.
    public mutating func beginAnew() {
        queue.removeAll()
        (queueHead, keptHead, queuedBytes) = (0, 0, 0)
        // The serials are the hello's and the welcome's.
        (nextSerial, lastConfirmed, lastReceived) = (2, 1, 1)
        isDetached = true
    }

    /// Resumes over `socket`, whose handshake said that the peer had received everything up to `peerReceived`.
    ///
    /// The next `flush` sends again what the peer had not received, under the same serials. Everything that either side
    /// received counts as dealt with, so both have their whole credit again.
    ///
    /// - Throws: `badIdentity` for an impossible serial; the connection is unchanged.
    public mutating func attach(_ socket: consuming Socket, peerReceived: UInt32) throws(ProtocolError) {
        let first = try firstAfter(peerReceived)
        self.socket = socket
        lastConfirmed = peerReceived
        keptHead = first
        queueHead = first
        dropDealtWith()
        queuedBytes = queue.reduce(0) { $0 + $1.bytes.count }
        credit.startAnew()
        // Packets on their way over the old socket are sent again.
        (incoming, outgoing) = (nil, nil)
        owesAtOnce = false
        isPeerDeaf = false
        isDetached = false
    }

    /// Throws what `attach` would for this serial.
    public func checkReceived(_ peerReceived: UInt32) throws(ProtocolError) { _ = try firstAfter(peerReceived) }

    /// Returns the index of the first packet that the peer has not received.
    private func firstAfter(_ peerReceived: UInt32) throws(ProtocolError) -> Int {
        if peerReceived == lastConfirmed { return keptHead }
        guard let last = queue[keptHead..<queueHead].firstIndex(where: { $0.serial == peerReceived }) else {
            throw .badIdentity("no packet with the serial \(peerReceived) was sent, or is still stored")
        }
        return last + 1
    }

    /// Returns the socket for another connection to use; this one must not be used again.
    public consuming func release() -> Socket { socket }

    /// Returns the same socket under another descriptor, for a connection that cannot be consumed in place.
    public borrowing func duplicateSocket() throws(SystemError) -> Socket { Socket(try socket.descriptor.duplicate()) }

    /// Ends the socket for both sides; what has arrived can still be received (shutdown(2)).
    public borrowing func shutDown() { _ = Glibc.shutdown(socket.raw, Int32(SHUT_RDWR)) }

    /// The process at the other end, `nil` when it is gone.
    public borrowing func peerProcess() throws(SystemError) -> OwnedDescriptor? { try socket.peerProcess() }

    /// Confirms that the peer has dealt with the oldest `count` stored packets.
    private mutating func confirm(_ count: Int) {
        guard isResumable else { return }
        // The count is within the sent packets: the credit was checked against the used one.
        let end = min(keptHead + count, queueHead)
        guard end > keptHead else { return }
        lastConfirmed = queue[end - 1].serial
        // The packet's memory and descriptors are released now; its place in the queue is removed with the others.
        for index in keptHead..<end {
            queue[index].bytes = []
            queue[index].descriptors = []
        }
        keptHead = end
        if keptHead == queue.count { dropDealtWith() }
    }

    /// Sends the packet; returns whether it was sent. Notes a peer that is gone.
    private mutating func socketSend(_ bytes: [UInt8], _ descriptors: [SharedDescriptor]) throws(ConnectionError)
        -> Bool
    {
        do {
            return try socket.send(bytes, descriptors: descriptors)
        } catch {
            guard error.code == EPIPE || error.code == ECONNRESET else { throw .system(error) }
            isPeerDeaf = true
            return false
        }
    }

    // MARK: Receiving

    /// Returns the next packet, or nil when none waits. Credit is handled here and never returned.
    public mutating func receive(into buffer: ReceiveBuffer) throws(ConnectionError) -> Packet? {
        while !isDetached {
            if incoming != nil, let arrived = incoming?.takeArrived() {
                if incoming?.isOver == true { incoming = nil }
                if let packet = try acceptDisturbed(arrived) { return packet }
                continue
            }
            let received: ReceivedPacket
            do {
                received = try socket.receive(into: buffer.bytes)
            } catch {
                throw .system(error)
            }
            switch received {
            case .wouldBlock:
                // A peer may shut down its reading side alone; it is of no more use then either.
                if isPeerDeaf { throw .closed }
                return nil
            case .endOfFile: throw peerHasClosed ? .closed : .violation(.empty)
            case .truncated: throw .violation(.oversized(bytes: buffer.bytes.count))
            case .controlTruncated: throw .violation(.tooManyDescriptors)
            case .packet(let length, let descriptors):
                let packet: Packet?
                let bytes = UnsafeRawBufferPointer(rebasing: buffer.bytes[..<length])
                if incoming != nil {
                    incoming?.pass(
                        TravellingPacket(bytes: Array(bytes), descriptors: descriptors),
                        try? PacketHeader(packet: bytes))
                    continue
                }
                do {
                    packet = try accept(bytes, descriptors)
                } catch {
                    throw .violation(error)
                }
                if let packet { return packet }
            }
        }
        return nil
    }

    /// Whether nothing more can arrive; checked when a receive brought no bytes, which an empty packet does as well.
    private var peerHasClosed: Bool {
        // POLLRDHUP of poll(2), which the C library's module leaves out.
        let hangup: Int16 = 0x2000
        var entry = pollfd(fd: socket.raw, events: hangup, revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    private mutating func accept(_ bytes: UnsafeRawBufferPointer, _ descriptors: [SharedDescriptor])
        throws(ProtocolError)
        -> Packet?
    {
        let header = try PacketHeader(packet: bytes)
        guard let kind = MessageKind(rawValue: header.kind) else { throw .unknownKind(header.kind) }
        let dictionary: PropertyListDictionary
        do {
            let body = UnsafeRawBufferPointer(rebasing: bytes[PacketHeader.size...])
            guard case .dictionary(let value) = try PropertyList(binary: body, limits: .packet) else {
                throw ProtocolError.notADictionary
            }
            dictionary = value
        } catch let error as ProtocolError {
            throw error
        } catch {
            throw .badPropertyList("\(error)")
        }
        if kind == .credit {
            guard header.serial == 0 else { throw .serialOutOfOrder(expected: 0, got: header.serial) }
            let window = try Credit(dictionary: dictionary).window
            try credit.add(window)
            confirm(window.packets)
            return nil
        }
        let isLastWords = kind == .error && header.replyTo == 0
        var cost = Window(packets: 0, bytes: 0)
        if isLastWords {
            guard header.serial == 0 else { throw .serialOutOfOrder(expected: 0, got: header.serial) }
        } else {
            let due = lastReceived == .max ? 1 : lastReceived + 1
            guard header.serial == due else { throw .serialOutOfOrder(expected: due, got: header.serial) }
            lastReceived = due
            if kind != .hello, kind != .welcome { cost = try credit.charge(bytes.count) }
        }
        // One place is reserved for the payload, which the next sender of the packet may need.
        if !descriptors.isEmpty { owesAtOnce = isResumable }
        let beside = header.flags.contains(.sealedPayload) ? descriptors.count - 1 : descriptors.count
        guard beside < PacketLimits.descriptors else { throw .tooManyDescriptors }
        guard header.flags.contains(.sealedPayload) else {
            let payload = dictionary[Key.payload.rawValue]?.data.map(Payload.inline) ?? .none
            return Packet(
                kind: kind, serial: header.serial, replyTo: header.replyTo, dictionary: dictionary, payload: payload,
                descriptors: descriptors, cost: cost)
        }
        guard let memory = descriptors.first else { throw .missingPayloadDescriptor }
        return Packet(
            kind: kind, serial: header.serial, replyTo: header.replyTo, dictionary: dictionary,
            payload: .sealed(memory),
            descriptors: Array(descriptors.dropFirst()), cost: cost)
    }

    // MARK: Faults on demand

    /// Whether received packets wait in this connection, outside the socket.
    public var hasArrivals: Bool { incoming?.arrived.isEmpty == false }

    /// Disturbs the next packet that is received, or inserts noise before the next `receive`.
    public mutating func disturbNextReceived(_ disturbance: PacketDisturbance) {
        incoming = incoming ?? DisturbedPackets()
        incoming?.disturb(disturbance)
    }

    /// Disturbs the next packet that is sent, or inserts noise before it.
    public mutating func disturbNextSent(_ disturbance: PacketDisturbance) {
        outgoing = outgoing ?? DisturbedPackets()
        outgoing?.disturb(disturbance)
    }

    private mutating func acceptDisturbed(_ packet: TravellingPacket) throws(ConnectionError) -> Packet? {
        var outcome = Result<Packet?, ProtocolError>.success(nil)
        packet.bytes.withUnsafeBytes { bytes in
            outcome = Result { () throws(ProtocolError) in try accept(bytes, packet.descriptors) }
        }
        do {
            return try outcome.get()
        } catch {
            throw .violation(error)
        }
    }

    /// Sends a packet with its disturbance; returns whether the packet has left the queue.
    ///
    /// A packet that a full socket does not take is lost, as on a bad line.
    private mutating func sendDisturbed(_ packet: Outgoing) throws(ConnectionError) -> Bool {
        let header = packet.bytes.withUnsafeBytes { try? PacketHeader(packet: $0) }
        outgoing?.pass(TravellingPacket(bytes: packet.bytes, descriptors: packet.descriptors), header)
        while let next = outgoing?.takeArrived() { _ = try socketSend(next.bytes, next.descriptors) }
        if outgoing?.isOver == true { outgoing = nil }
        return true
    }

    // MARK: Credit

    /// Counts a packet as dealt with. The next `flush` returns its credit, once half the window is owed.
    public mutating func release(_ cost: Window) { credit.owe(cost) }

    /// Returns the owed credit before everything queued: the peer may need it to read the queue.
    ///
    /// False when the socket is full.
    private mutating func grantCredit() throws(ConnectionError) -> Bool {
        guard credit.isDue(atOnce: owesAtOnce), !isPeerDeaf else { return true }
        let packet = try EncodedPacket(Credit(credit.owed))
        guard try socketSend(packet.bytes, []) else { return isPeerDeaf }
        credit.giveBack()
        owesAtOnce = false
        return true
    }
}
