// handshake: what a peer says first, to a client that waits for its welcome and to a daemon that waits for a hello.

import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding

// Unsafe: libFuzzer calls the target from one thread.
nonisolated(unsafe) private let buffer = ReceiveBuffer()
private let descriptors = TapeDescriptors()

/// The first byte: bit 0, who waits; bit 1, whether the peer closes behind its packets; bit 2, whether there is a
/// session to go on with. The rest is a tape.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    _ = (buffer, descriptors)
    let free = lowestFreeDescriptor()
    do {
        var input = InputReader(start, count)
        let options = input.byte()
        let pair = try SocketPair()
        let peer = StrangePeer(socket: pair.first)
        var serial: UInt32 = 1
        while !input.isAtEnd {
            var packet = TapePacket(&input)
            for _ in 0..<packet.copies {
                if packet.hasDueSerial { packet.put(serial: serial) }
                serial += 1
                // What finds no room is lost.
                try? peer.send(packet.bytes, descriptors: descriptors.beside(packet).map(\.raw))
            }
        }
        if options & 2 != 0 { _ = shutdown(peer.socket.raw, Int32(SHUT_RDWR)) }
        if options & 1 != 0 { client(pair.second) } else { daemon(pair.second, hasSession: options & 4 != 0) }
    } catch {
        finding("the pair of sockets failed: \(error)")
    }
    must(lowestFreeDescriptor() == free, "a descriptor was left open")
    return 0
}

private func client(_ socket: consuming Socket) {
    let hello = Hello(role: .host, name: "fuzz", sdk: "fuzz")
    do {
        let (channel, welcome) = try Channel.open(socket: socket, hello: hello, patience: 0)
        must((try? Welcome(dictionary: welcome.dictionary)) != nil, "a welcome that cannot be read again")
        for _ in 0..<3 { _ = try? channel.send(Fence()) }
        channel.close()
    } catch {
        // The peer's own words, maybe: empty or long as it likes.
        _ = "\(error)"
    }
}

private func daemon(_ socket: consuming Socket, hasSession: Bool) {
    var connection = Connection(socket: socket)
    do throws(ConnectionError) {
        guard let first = try connection.receive(into: buffer) else { return }
        let hello: Hello
        do {
            hello = try first.message()
            let version = try Handshake.settle(hello)
            must(hello.minimum <= version && version <= hello.maximum, "a version that the peer does not speak")
            must(ProtocolVersion.lowest <= version && version <= .current, "a version that is not spoken here")
        } catch {
            throw .violation(error)
        }
        if hasSession, let resumption = hello.resumption { return goOn(after: resumption.received) }
        connection.openCredit(hello.window)
        let welcome = Welcome(
            version: .current, window: .standard, token: Handshake.token(), received: hello.resumption?.received,
            host: hello.name
        )
        try connection.enqueue(welcome, replyTo: first.serial)
        for _ in 0..<3 { try connection.enqueue(Fence()) }
        while true {
            _ = try connection.flush()
            guard let packet = try connection.receive(into: buffer) else { return }
            if let reader = MessageReader.all[packet.kind] { _ = reader.accepts(packet.dictionary) }
            connection.release(packet.cost)
        }
    } catch {
        checkText(of: error)
        if case .system = error { finding("the socket failed: \(error)") }
        connection.sendLastWords(ExtensionHostError(.protocolViolation, "\(error)"))
    }
}

/// A session of six packets, all sent, of which two were dealt with. A client that had received everything up to
/// `serial`, as it says, goes on with it.
private func goOn(after serial: UInt32) {
    do {
        let window = Window(packets: 4, bytes: 4096)
        let pair = try SocketPair()
        var session = Connection(socket: pair.first)
        var client = Connection(socket: pair.second, granting: window)
        session.openCredit(window)
        session.makeResumable()
        for _ in 1...6 { try session.enqueue(Fence()) }
        _ = try session.flush()
        for _ in 1...2 { if let packet = try client.receive(into: buffer) { client.release(packet.cost) } }
        _ = try client.flush()
        must(try session.receive(into: buffer)?.kind == nil, "a credit that is a packet")
        _ = try session.flush()
        let next = try SocketPair()
        do {
            try session.attach(next.first, peerReceived: serial)
            must((2...6).contains(serial), "a session that goes on after \(serial)")
        } catch {
            checkText(of: error)
            must(!(2...6).contains(serial), "a session that cannot go on after \(serial)")
            return
        }
        _ = try session.flush()
        // What is left, under its serials: whoever counts from `serial` on finds no gap.
        let end = StrangePeer(socket: next.second)
        var due = serial
        while let packet = nextSerial(on: end.socket) {
            due += 1
            must(packet == due, "\(packet) where \(due) was due")
        }
        must(due == 6, "the session stops at \(due) after \(serial)")
    } catch {
        finding("a session failed: \(error)")
    }
}

/// The serial of the next packet that waits; nil when none does.
private func nextSerial(on socket: borrowing Socket) -> UInt32? {
    var header = [UInt8](repeating: 0, count: PacketHeader.size)
    let count = recv(socket.raw, &header, header.count, Int32(MSG_DONTWAIT))
    guard count == header.count else { return nil }
    return header[8..<12].reversed().reduce(0) { $0 << 8 | UInt32($1) }
}
