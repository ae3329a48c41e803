// LosablePair: two connections that can lose their socket, with what is on the way, and get another.

import ExtensionConnection
import ExtensionProtocol
import LinuxSystem

/// Two ends that can lose their sockets, with what is on the way, and get new ones.
struct LosablePair: ~Copyable {
    var near: Connection
    var far: Connection
    let buffer = ReceiveBuffer()

    /// Each end grants the other `window`.
    init(window: Window = .standard) throws {
        let pair = try SocketPair()
        near = Connection(socket: pair.first, granting: window)
        far = Connection(socket: pair.second, granting: window)
        near.openCredit(window)
        far.openCredit(window)
        near.makeResumable()
        far.makeResumable()
    }

    mutating func reconnect() throws {
        near.detach()
        far.detach()
        let (nearReceived, farReceived) = (near.lastReceived, far.lastReceived)
        let pair = try SocketPair()
        // The first packet of a connection has the serial 1; before any, what was received is the handshake's, as it
        // were.
        try near.attach(pair.first, peerReceived: farReceived == 0 ? .max : farReceived)
        try far.attach(pair.second, peerReceived: nearReceived == 0 ? .max : nearReceived)
    }

    mutating func attachNear(received: UInt32) throws {
        let pair = try SocketPair()
        try near.attach(pair.first, peerReceived: received)
    }

    /// Reads one packet at the far end, if one is there, and deals with it.
    mutating func readFar() throws -> Packet? {
        let packet = try far.receive(into: buffer)
        if let packet { far.release(packet.cost) }
        return packet
    }

    mutating func readNear() throws -> Packet? {
        let packet = try near.receive(into: buffer)
        if let packet { near.release(packet.cost) }
        return packet
    }

    mutating func flush() throws {
        _ = try near.flush()
        _ = try far.flush()
    }
}

func fault(_ number: Int) -> ContextFault { ContextFault(request: RequestIdentifier(), detail: "\(number)") }

extension Packet {
    var number: Int? { (try? message(ContextFault.self)).flatMap { Int($0.detail) } }
}
