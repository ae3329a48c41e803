// Link: two connections that face each other over a real socket pair.

import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem

struct Link: ~Copyable {
    var near: Connection
    var far: Connection
    private let buffer = ReceiveBuffer()

    /// Each end grants the other `window`.
    init(window: Window = .standard) throws {
        let pair = try SocketPair()
        near = Connection(socket: pair.first, granting: window)
        far = Connection(socket: pair.second, granting: window)
        near.openCredit(window)
        far.openCredit(window)
    }

    /// What the far end finds now, without releasing it.
    mutating func received() throws(ConnectionError) -> [Packet] {
        var packets: [Packet] = []
        while let packet = try far.receive(into: buffer) { packets.append(packet) }
        return packets
    }

    /// Lets the near end read the credit that was sent to it.
    mutating func takeCredit() throws(ConnectionError) -> Packet? { try near.receive(into: buffer) }

    /// Sends from near to far all that is queued, releasing each packet as it is read. Gives up when nothing moves.
    mutating func pump() throws(ConnectionError) -> [Packet] {
        var packets: [Packet] = []
        while true {
            let progress = try near.flush()
            let arrived = try received()
            for packet in arrived {
                far.release(packet.cost)
                packets.append(packet)
            }
            _ = try far.flush()
            _ = try takeCredit()
            if progress == .drained || arrived.isEmpty { return packets }
        }
    }
}

/// Until the other end is closed: a process that another test starts may hold a copy of it until its exec.
func awaitHangUp(_ descriptor: Int32) throws {
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    while true {
        let count = poll(&entry, 1, 60_000)
        if count > 0 { return }
        guard count < 0, errno == EINTR else { throw ConnectionError.system(SystemError("poll", code: ETIME)) }
    }
}

/// The violation in an error of a connection.
func violation(_ error: (any Error)?) -> ProtocolError? {
    if case .violation(let violation) = error as? ConnectionError { violation } else { nil }
}
