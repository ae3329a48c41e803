// ClientHandshake: hello and welcome, from the client's side, before anything else is sent.

import ExtensionWire
import Glibc
import LinuxDescriptors

/// A connection whose handshake is done.
public struct ClientHandshake: ~Copyable {
    /// Milliseconds that a daemon has for its welcome.
    public static let patience: Int32 = 10_000

    var connection: Connection
    let welcome: Welcome

    /// Sends hello on `socket` and waits for the welcome, at most `patience` milliseconds.
    ///
    /// - Throws: the error that the daemon answered; `noDaemon` if it did not answer; `connectionLost`.
    static func perform(
        on socket: consuming Socket, hello: Hello, patience: Int32 = patience
    ) throws(ExtensionHostError) -> ClientHandshake {
        var connection = Connection(socket: socket, granting: hello.window)
        let welcome: Welcome
        do {
            try connection.enqueue(hello)
            _ = try connection.flush()
            welcome = try awaitWelcome(on: &connection, patience: patience)
        } catch let error as ExtensionHostError {
            throw error
        } catch {
            throw Channel.lost(error)
        }
        connection.openCredit(welcome.window)
        return ClientHandshake(connection: connection, welcome: welcome)
    }

    private static func awaitWelcome(on connection: inout Connection, patience: Int32) throws -> Welcome {
        let buffer = ReceiveBuffer()
        while true {
            if let packet = try connection.receive(into: buffer) {
                if packet.kind == .error { throw try packet.message(ErrorReply.self).error }
                return try packet.message()
            }
            var entry = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, patience)
            if ready == 0 {
                throw ExtensionHostError(
                    .noDaemon, "the daemon did not answer the hello within \(patience) ms",
                    remedy: "Read its log, and check whether the socket belongs to exthostd")
            }
            if ready < 0, errno != EINTR { throw SystemError("poll") }
        }
    }
}
