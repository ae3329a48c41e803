// StandInDaemon: the daemon's end of a channel, on a thread of its own, doing what a test tells it.

import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem

enum StandInDaemon {
    /// What it does with a packet; false closes the connection.
    typealias Behaviour = (inout Connection, Packet) throws -> Bool

    static let welcome = Welcome(version: .current, window: .standard, token: [1, 2, 3], host: "Photos#1")

    /// The client's socket. The thread ends with the connection.
    static func start(_ behaviour: sending @escaping Behaviour) throws -> Socket {
        let pair = try SocketPair()
        // A noncopyable value crosses the closure's border as its number.
        let raw = pair.second.release().release()
        // The closure is handed over whole: nobody else has it.
        nonisolated(unsafe) let behaviour = behaviour
        try startThread(named: "stand-in") {
            var connection = Connection(socket: Socket(OwnedDescriptor(owning: raw)))
            // Whatever ends the connection ends the thread; the tests see it from their own end.
            try? serve(&connection, behaviour)
        }
        return pair.first
    }

    /// One that says hello's answer itself, and leaves the rest to `behaviour`.
    static func startWelcoming(_ behaviour: sending @escaping Behaviour) throws -> Socket {
        nonisolated(unsafe) let behaviour = behaviour
        return try start { connection, packet in
            guard packet.kind == .hello else { return try behaviour(&connection, packet) }
            connection.openCredit(try packet.message(Hello.self).window)
            try connection.enqueue(welcome)
            return true
        }
    }

    private static func serve(_ connection: inout Connection, _ behaviour: Behaviour) throws {
        let buffer = ReceiveBuffer()
        while true {
            while let packet = try connection.receive(into: buffer) {
                let goesOn = try behaviour(&connection, packet)
                connection.release(packet.cost)
                _ = try connection.flush()
                if !goesOn { return }
            }
            let writes = try connection.flush() == .waitingForSocket
            var entry = pollfd(fd: connection.descriptor, events: Int16(writes ? POLLIN | POLLOUT : POLLIN), revents: 0)
            _ = poll(&entry, 1, -1)
        }
    }
}
