// DaemonAddress: the path of the daemon's socket, and the connection to it.

import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem

/// The path of a daemon's socket. Nothing is opened until something connects to it.
public struct DaemonAddress: Sendable, Hashable, CustomStringConvertible {
    /// The path as given; it may be longer than a socket address.
    public let path: String

    /// Makes the address of a daemon that listens at `path`.
    public init(path: String) { self.path = path }

    /// The path of the system service's socket.
    public static let system = DaemonAddress(path: "/run/exthost/host.sock")

    /// The path of the user service's socket.
    ///
    /// It is below `$XDG_RUNTIME_DIR`, else `/run/user/UID`, else in the folder `/tmp/exthost-UID`, which must belong
    /// to this user alone.
    public static var user: DaemonAddress { DaemonAddress(path: UserSocket.path) }

    /// The path `$EXTHOST_SOCKET` if it is set, else the user service's.
    public static var standard: DaemonAddress {
        environment("EXTHOST_SOCKET").map(DaemonAddress.init(path:)) ?? user
    }

    public var description: String { path }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Connects and shakes hands, on a thread that may wait.
    ///
    /// A lost connection is replaced automatically while the daemon stores its session; an absent daemon is tried again
    /// for `patience`.
    ///
    /// - Throws: `ExtensionHostError` `notAvailableToExtensions` in an extension, which cannot be a host.
    func open(
        _ hello: Hello, patience: Duration, comesBack: Bool = true, waitsForSuccessorOnly: Bool = false
    ) async throws -> (channel: Channel, welcome: Welcome) {
        HostMark.keep()
        guard !ProcessRole.isExtension else {
            throw ExtensionHostError.notAvailableToExtensions(
                "ExtensionHost", reason: "a host calls an extension, so an extension cannot be a host",
                remedy: "Import only ExtensionFoundation, and call other extensions from the containing app")
        }
        var reconnection =
            comesBack
            ? Reconnection(patience: patience) { _ throws(ExtensionHostError) in try connect() } : Reconnection?.none
        reconnection?.waitsForSuccessorOnly = waitsForSuccessorOnly
        // The handover uses a lock, which the thread sanitizer sees; it does not see a continuation.
        let opened = OneShot<Result<(Channel, Welcome), any Error>>()
        do {
            try startThread(named: "exthost-open") { [reconnection] in
                opened.set(
                    Result { try Channel.open(socket: try connectFirst(), hello: hello, reconnection: reconnection) })
            }
        } catch {
            throw ExtensionHostError(
                .internalError, "there is no thread to connect", remedy: "End some, or raise ulimit -u",
                cause: "\(error)")
        }
        let (channel, welcome) = try await opened.value.get()
        return (channel, welcome)
    }

    /// Connects; the error tells an app that the daemon launched why it reaches none.
    private func connectFirst() throws(ExtensionHostError) -> Socket {
        do {
            return try connect()
        } catch {
            guard ProcessRole.isLaunchedApp else { throw error }
            throw ExtensionHostError(
                .notSimulated,
                "an app that the daemon launched is confined: it can connect to no socket, and cannot be a host",
                remedy: "Start the host by itself, or launch it unconfined: exthostd --sandbox none",
                cause: error.description)
        }
    }

    private static func notOwn(_ folder: String) -> ExtensionHostError {
        ExtensionHostError(
            .notPermitted, "other users can access \(folder), the folder of the daemon's socket",
            remedy: "Remove it, or set XDG_RUNTIME_DIR to a folder of your own for the daemon and for its clients")
    }

    /// Connects; the error names the daemon's address and says how to start it.
    func connect() throws(ExtensionHostError) -> Socket {
        do {
            return try Socket.connect(to: path)
        } catch {
            if error.code == EPERM, path.hasPrefix(UserSocket.sharedFolder + "/") {
                throw Self.notOwn(UserSocket.sharedFolder)
            }
            if error.code == EACCES || error.code == EPERM {
                throw ExtensionHostError(
                    .notPermitted, "this user may not open \(path)", remedy: "Start a daemon of your own with exthostd",
                    cause: "\(error)")
            }
            throw ExtensionHostError(.noDaemon, "no daemon answers at \(path)", cause: "\(error)")
        }
    }
}
