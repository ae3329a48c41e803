// DaemonAddress: where the daemon listens.

import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem

/// The path of a daemon's socket.
public struct DaemonAddress: Sendable, Hashable, CustomStringConvertible {
    public let path: String

    public init(path: String) { self.path = path }

    /// The system service's socket.
    public static let system = DaemonAddress(path: "/run/exthost/host.sock")

    /// The user service's socket: below `$XDG_RUNTIME_DIR`, else `/run/user/UID`.
    public static var user: DaemonAddress {
        let runtime = environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())"
        return DaemonAddress(path: "\(runtime)/exthost/host.sock")
    }

    /// `$EXTHOST_SOCKET` if it is set, else the user service's.
    public static var standard: DaemonAddress {
        environment("EXTHOST_SOCKET").map(DaemonAddress.init(path:)) ?? user
    }

    public var description: String { path }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Connects and shakes hands, on a thread that may wait.
    func open(_ hello: Hello) async throws -> (channel: Channel, welcome: Welcome) {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try startThread(named: "exthost-open") {
                    continuation.resume(with: Result { try Channel.open(socket: try connect(), hello: hello) })
                }
            } catch {
                continuation.resume(throwing: ExtensionHostError(.internalError, "no thread to connect with", cause: "\(error)"))
            }
        }
    }

    /// Connects; the error says which daemon was meant and how to start it.
    func connect() throws(ExtensionHostError) -> Socket {
        do {
            return try Socket.connect(to: path)
        } catch {
            throw ExtensionHostError(
                error.code == EACCES || error.code == EPERM ? .notPermitted : .noDaemon, "no daemon answers at \(path)",
                remedy: "Start one with exthostd, or name another with EXTHOST_SOCKET or --socket", cause: "\(error)")
        }
    }
}
