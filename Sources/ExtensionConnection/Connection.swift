// Connection: one end of a packet connection: framing, serials, credit and a bounded queue. Knows no loop and no thread.

public import ExtensionWire
import Glibc
public import LinuxDescriptors
import PropertyListCoding

/// One end of a connection. The owner says when to read and when to write, and gives isolation; every call returns at once.
///
/// Credit: each side grants the other a window of packets and bytes (hello, welcome) and gives back what it has read
/// (`release`). A sender without credit queues; a peer that sends without credit is in violation. Only `credit` and the
/// error before a close travel outside this count, with serial 0, so that they cannot wait behind what they unblock.
public struct Connection: ~Copyable, Sendable {
    /// Packets and bytes that may wait before the peer is taken not to read.
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
    /// What was sent and is kept, then what is still to be sent, from `queueHead` on.
    private var queue: [Outgoing] = []
    private var queueHead = 0
    private var queuedBytes = 0
    /// The peer takes nothing more; what it had sent may still be to be read.
    private var isPeerDeaf = false

    /// Whether what was sent is kept until the peer has dealt with it, so that it can be sent again on another socket.
    private var isResumable = false
    /// Packets at the front of the queue that the peer has dealt with, and the serial of the last of them.
    private var keptHead = 0
    private var lastConfirmed: UInt32 = 0
    private var isDetached = false
    /// Something received holds descriptors open at its sender's.
    private var owesAtOnce = false
    /// nil, but for faults on demand.
    private var incoming: DisturbedPackets?
    private var outgoing: DisturbedPackets?

    /// Takes over a connected `SOCK_SEQPACKET` socket.
    public init(socket: consuming Socket, granting window: Window = .standard) {
        self.socket = socket
        credit = CreditAccount(granting: window)
    }

    /// For polling; owned by the connection.
    public var descriptor: Int32 { socket.raw }

    /// Packets that have not been sent.
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
        let packet = try EncodedPacket(message, payload: payload, descriptors: descriptors, serial: serial, replyTo: replyTo)
        append(Outgoing(serial: serial, bytes: packet.bytes, descriptors: packet.descriptors, counted: counted))
        nextSerial = nextSerial == .max ? 1 : nextSerial + 1
        return serial
    }

    /// What has been sent so far, credit apart: what is sent again over another socket counts again.
    public private(set) var sent = Window(packets: 0, bytes: 0)

    /// Sends the error that ends a connection, past the queue, as far as the socket takes it now. Nothing is received
    /// afterwards: what were left unread in a socket that is closed would reach the peer as `ECONNRESET` before the
    /// error does.
    public mutating func sendLastWords(_ error: ExtensionHostError) {
        // First, for a peer that cannot send any more may not wait for what it is told.
        if let packet = try? EncodedPacket(ErrorReply(error)) { _ = try? socketSend(packet.bytes, []) }
        socket.stopReceiving()
    }

    /// Sends what is queued, as far as credit and the socket allow.
    ///
    /// For a peer that has gone it is dropped, without an error: only `receive` ends the connection with `.closed`, after
    /// everything that the peer had sent before.
    public mutating func flush() throws(ConnectionError) -> Progress {
        // What waits is sent on the next socket, whose first packet is the peer's.
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

    /// From here on, right after the handshake, what is sent is kept until the peer has dealt with it, as its credit tells.
    /// Both sides do so or neither.
    public mutating func makeResumable() {
        isResumable = true
        lastConfirmed = nextSerial == 1 ? .max : nextSerial - 1
    }

    /// Goes on numbering what is sent after `serial`: a peer that spoke with an earlier daemon must not take a question of this one for one of that
    /// one's. Right after the welcome; the peer calls `skipReceived`.
    public mutating func skipSent(to serial: UInt32) { nextSerial = max(nextSerial, serial == .max ? 1 : serial + 1) }

    /// The same at the other side.
    public mutating func skipReceived(to serial: UInt32) { lastReceived = max(lastReceived, serial == .max ? 0 : serial) }

    /// The serial of the next message.
    public var upcomingSerial: UInt32 { nextSerial }

    /// The socket is of no more use. Messages can be queued; they are sent when there is another.
    public mutating func detach() { isDetached = true }

    /// Forgets the session: what is queued from here on is the first of the next one, which `attach` begins with
    /// `peerReceived` 1, the hello. Detached, as after `detach`.
    public mutating func beginAnew() {
        queue.removeAll()
        (queueHead, keptHead, queuedBytes) = (0, 0, 0)
        // The hello's, and the welcome's.
        (nextSerial, lastConfirmed, lastReceived) = (2, 1, 1)
        isDetached = true
    }

    /// Goes on over `socket`, whose handshake said that the peer had received everything up to `peerReceived`: what it had
    /// not is sent again by the next `flush`, under the serials it had. Everything that either side received counts as dealt
    /// with, so both have their whole credit again.
    ///
    /// - Throws: `badIdentity` for a serial that cannot be; the connection is as it was.
    public mutating func attach(_ socket: consuming Socket, peerReceived: UInt32) throws(ProtocolError) {
        let first = try firstAfter(peerReceived)
        self.socket = socket
        lastConfirmed = peerReceived
        keptHead = first
        queueHead = first
        dropDealtWith()
        queuedBytes = queue.reduce(0) { $0 + $1.bytes.count }
        credit.startAnew()
        // What was on its way over the old one is sent again.
        (incoming, outgoing) = (nil, nil)
        owesAtOnce = false
        isPeerDeaf = false
        isDetached = false
    }

    /// Throws what `attach` would for this serial.
    public func checkReceived(_ peerReceived: UInt32) throws(ProtocolError) { _ = try firstAfter(peerReceived) }

    /// The place of the first packet that the peer has not received.
    private func firstAfter(_ peerReceived: UInt32) throws(ProtocolError) -> Int {
        if peerReceived == lastConfirmed { return keptHead }
        guard let last = queue[keptHead..<queueHead].firstIndex(where: { $0.serial == peerReceived }) else {
            throw .badIdentity("nothing was sent, or is kept, under the serial \(peerReceived)")
        }
        return last + 1
    }

    /// The socket for another connection to go on over; this one is not to be used again.
    public consuming func release() -> Socket { socket }

    /// The same socket under another descriptor, when this connection cannot be given up in place.
    public borrowing func duplicateSocket() throws(SystemError) -> Socket { Socket(try socket.descriptor.duplicate()) }

    /// Ends the socket for both sides; what has arrived can still be received (shutdown(2)).
    public borrowing func shutDown() { _ = Glibc.shutdown(socket.raw, Int32(SHUT_RDWR)) }

    /// The process at the other end, `nil` when it is gone.
    public borrowing func peerProcess() throws(SystemError) -> OwnedDescriptor? { try socket.peerProcess() }

    /// The peer has dealt with the oldest `count` of what is kept.
    private mutating func confirm(_ count: Int) {
        guard isResumable else { return }
        // Within what was sent: the credit was checked against what was used.
        let end = min(keptHead + count, queueHead)
        guard end > keptHead else { return }
        lastConfirmed = queue[end - 1].serial
        // Its memory and descriptors go now; the place in the queue goes with the others.
        for index in keptHead..<end {
            queue[index].bytes = []
            queue[index].descriptors = []
        }
        keptHead = end
        if keptHead == queue.count { dropDealtWith() }
    }

    /// Whether the packet was sent. A peer that is gone is noted.
    private mutating func socketSend(_ bytes: [UInt8], _ descriptors: [SharedDescriptor]) throws(ConnectionError) -> Bool {
        do {
            return try socket.send(bytes, descriptors: descriptors)
        } catch {
            guard error.code == EPIPE || error.code == ECONNRESET else { throw .system(error) }
            isPeerDeaf = true
            return false
        }
    }

    // MARK: Receiving

    /// The next packet, or nil when none waits. Credit is handled here and never returned.
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
                // A peer may shut the reading side alone; it is of no more use either.
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
                        TravellingPacket(bytes: Array(bytes), descriptors: descriptors), try? PacketHeader(packet: bytes))
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

    /// Whether nothing more can come; asked when a receive brought no bytes, which an empty packet does as well.
    private var peerHasClosed: Bool {
        // POLLRDHUP of poll(2), which the C library's module leaves out.
        let hangup: Int16 = 0x2000
        var entry = pollfd(fd: socket.raw, events: hangup, revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    private mutating func accept(_ bytes: UnsafeRawBufferPointer, _ descriptors: [SharedDescriptor]) throws(ProtocolError)
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
        // One place is the payload's, whoever passes the packet on may need it.
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
            kind: kind, serial: header.serial, replyTo: header.replyTo, dictionary: dictionary, payload: .sealed(memory),
            descriptors: Array(descriptors.dropFirst()), cost: cost)
    }

    // MARK: Faults on demand

    /// Whether packets wait here, and not in the socket.
    public var hasArrivals: Bool { incoming?.arrived.isEmpty == false }

    /// Lets something befall the next packet that is received, or noise come with the next `receive`.
    public mutating func disturbNextReceived(_ disturbance: PacketDisturbance) {
        incoming = incoming ?? DisturbedPackets()
        incoming?.disturb(disturbance)
    }

    /// Lets something befall the next packet that is sent, or noise go before it.
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

    /// Whether the packet has left the queue. What a socket without room does not take is lost, as packets of a bad line are.
    private mutating func sendDisturbed(_ packet: Outgoing) throws(ConnectionError) -> Bool {
        let header = packet.bytes.withUnsafeBytes { try? PacketHeader(packet: $0) }
        outgoing?.pass(TravellingPacket(bytes: packet.bytes, descriptors: packet.descriptors), header)
        while let next = outgoing?.takeArrived() { _ = try socketSend(next.bytes, next.descriptors) }
        if outgoing?.isOver == true { outgoing = nil }
        return true
    }

    // MARK: Credit

    /// Says that a packet has been dealt with, so that its sender gets its credit back with the next `flush`: together with
    /// that of others, once half the window is owed.
    public mutating func release(_ cost: Window) { credit.owe(cost) }

    /// Gives back what is owed, before everything queued: the peer may need it to read what is. False when the socket is full.
    private mutating func grantCredit() throws(ConnectionError) -> Bool {
        guard credit.isDue(atOnce: owesAtOnce), !isPeerDeaf else { return true }
        let packet = try EncodedPacket(Credit(credit.owed))
        guard try socketSend(packet.bytes, []) else { return isPeerDeaf }
        credit.giveBack()
        owesAtOnce = false
        return true
    }
}
