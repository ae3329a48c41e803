// ReconnectSocket: the reconnection of a process that can reach no socket by its path.

package import ExtensionWire
import Glibc
package import LinuxDescriptors

/// The socket by which new connections are passed to the daemon (docs/protocol.md, section 2.1).
package final class ReconnectSocket: Sendable {
    private let socket: Socket

    private init(_ socket: consuming Socket) { self.socket = socket }

    /// Takes the socket that the daemon gave this process; nil if the daemon is older.
    package static func take() -> ReconnectSocket? {
        guard let number = getenv("EXTHOST_EXTENSION_DOOR").flatMap({ Int32(String(cString: $0)) }) else { return nil }
        unsetenv("EXTHOST_EXTENSION_DOOR")
        guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else { return nil }
        return ReconnectSocket(Socket(OwnedDescriptor(owning: number)))
    }

    /// Makes a new connection, and passes the other end to the daemon.
    package func connect() throws(ExtensionHostError) -> Socket {
        do {
            let pair = try SocketPair()
            let far = SharedDescriptor(pair.second.release())
            guard try socket.send([0], descriptors: [far]) else { throw SystemError("sendmsg", code: EAGAIN) }
            return pair.first
        } catch {
            throw ExtensionHostError(.noDaemon, "the daemon does not accept a new connection", cause: "\(error)")
        }
    }
}
