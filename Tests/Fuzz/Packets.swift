// packets: a sequence of packets from a peer without rules, over a real socket pair, into Connection.receive.

import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding

// Unsafe: libFuzzer calls the target from one thread.
nonisolated(unsafe) private let buffer = ReceiveBuffer()
private let descriptors = TapeDescriptors()
private let grant = Window.smallest

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // Made before the count: both open something when they are first used.
    _ = (buffer, descriptors)
    let free = lowestFreeDescriptor()
    var input = InputReader(start, count)
    play(&input)
    must(lowestFreeDescriptor() == free, "a descriptor was left open")
    return 0
}

private func play(_ input: inout InputReader) {
    do {
        let pair = try SocketPair()
        var receiver = Receiver(Connection(socket: pair.second, granting: grant))
        let peer = StrangePeer(socket: pair.first)
        while !input.isAtEnd {
            var packet = TapePacket(&input)
            for _ in 0..<packet.copies {
                if packet.hasDueSerial { packet.put(serial: receiver.dueSerial) }
                let beside = descriptors.beside(packet)
                do {
                    try peer.send(packet.bytes, descriptors: beside.map(\.raw))
                } catch let error as SystemError where error.code == EAGAIN {
                    // Full: the receiver reads, and this one is lost.
                    guard receiver.readAll(keeping: packet.isKept) else { return }
                    continue
                }
                receiver.expect(packet, descriptors: beside.count)
                if packet.isReadAtOnce { guard receiver.readAll(keeping: packet.isKept) else { return } }
            }
        }
        // It closes without having read what was sent to it, and its packets are all there still.
        _ = consume peer
        receiver.readEnd()
    } catch {
        finding("the pair of sockets failed: \(error)")
    }
}

/// The receiving end, and what it should meet.
private struct Receiver: ~Copyable {
    private var connection: Connection
    private var expected: [(bytes: [UInt8], descriptors: Int)] = []
    private var next = 0
    private var held = Window(packets: 0, bytes: 0)
    private(set) var dueSerial: UInt32 = 1

    init(_ connection: consuming Connection) {
        self.connection = connection
        self.connection.openCredit(Window(packets: 3, bytes: 400))
        // Something that waits for credit, so that the peer's credit is of use.
        for _ in 0..<6 { _ = try? self.connection.enqueue(Fence()) }
        _ = try? self.connection.flush()
    }

    mutating func expect(_ packet: TapePacket, descriptors: Int) {
        expected.append((packet.bytes, descriptors))
        guard let kind = MessageKind(rawValue: packet.kind), kind != .credit else { return }
        if kind == .error, packet.bytes.count >= PacketHeader.size, packet.bytes[12..<16].allSatisfy({ $0 == 0 }) {
            return
        }
        dueSerial += 1
    }

    /// Reads what has come; false when the connection ended, which only a violation may do here.
    mutating func readAll(keeping: Bool) -> Bool {
        do {
            while let packet = try connection.receive(into: buffer) { try take(packet, keeping: keeping) }
            _ = try connection.flush()
            must(expected[next...].allSatisfy { isCredit($0.bytes) }, "a packet was passed over")
            return true
        } catch .violation(let error) {
            checkText(of: error)
            connection.sendLastWords(ExtensionHostError(.protocolViolation, "\(error)"))
            return false
        } catch {
            finding("the connection ended without a violation: \(error)")
        }
    }

    mutating func readEnd() {
        do {
            while let packet = try connection.receive(into: buffer) { try take(packet, keeping: false) }
            finding("the end was not seen")
        } catch .closed {
            // An empty packet looks like the end, and is it for a peer that has gone.
            let due = expected[next...].prefix { !$0.bytes.isEmpty }
            must(due.allSatisfy { isCredit($0.bytes) }, "a packet of a peer that closed was lost")
        } catch .violation(let error) {
            checkText(of: error)
        } catch {
            finding("a closed peer is taken for: \(error)")
        }
    }

    private mutating func take(_ packet: Packet, keeping: Bool) throws(ConnectionError) {
        while next < expected.count, isCredit(expected[next].bytes) { next += 1 }
        must(next < expected.count, "a packet that nobody sent: \(packet)")
        let (bytes, count) = expected[next]
        next += 1
        guard let header = try? bytes.withUnsafeBytes({ try PacketHeader(packet: $0) }),
            let body = try? PropertyList(binary: Array(bytes[PacketHeader.size...]), limits: .packet).dictionary
        else { finding("a packet was taken that cannot be read") }
        must(packet.kind.rawValue == header.kind && packet.serial == header.serial, "another header than was sent")
        must(packet.replyTo == header.replyTo, "another answer than was sent")
        must(isSame(.dictionary(packet.dictionary), .dictionary(body)), "another body than was sent")
        switch packet.payload {
        case .sealed:
            must(header.flags == .sealedPayload && packet.descriptors.count == count - 1, "a payload out of nothing")
        case .inline(let inline):
            must(body["payload"]?.data == inline && packet.descriptors.count == count, "another payload")
        case .none: must(header.flags == [] && packet.descriptors.count == count, "a payload or descriptor lost")
        }
        do { _ = try packet.payload.bytes() } catch { checkText(of: error) }

        let isFree = packet.serial == 0 || packet.kind == .hello || packet.kind == .welcome
        must(
            packet.cost == (isFree ? Window(packets: 0, bytes: 0) : Window(packets: 1, bytes: bytes.count)),
            "a wrong cost")
        held.packets += packet.cost.packets
        held.bytes += packet.cost.bytes
        must(held.packets <= grant.packets && held.bytes <= grant.bytes, "more was taken than granted")
        guard !keeping else { return }
        connection.release(held)
        held = Window(packets: 0, bytes: 0)
    }

    private func isCredit(_ bytes: [UInt8]) -> Bool { bytes.prefix(2).elementsEqual([0x03, 0x00]) }
}
