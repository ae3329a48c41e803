// RuntimeFolder: the folder of a service's socket.

import ExtensionProtocol
import Glibc
import LinuxSystem
import Logging

/// The folder of the daemon's socket, created if it is missing.
enum RuntimeFolder {
    static func socketPath(scope: Scope, logger: Logger) throws -> String {
        try path(scope: scope, logger: logger) + "/host.sock"
    }

    static func path(scope: Scope, logger: Logger) throws -> String {
        let folder = scope == .system ? systemFolder : UserSocket.folder
        if scope == .user, UserSocket.runtimeFolder == nil {
            try makeSharedFolder(folder)
            logger.notice(
                "there is no XDG_RUNTIME_DIR and no /run/user/\(getuid()): the socket is in \(folder), where clients also search for it"
            )
            return folder
        }
        // Every user of the system's daemon must reach its socket.
        if mkdir(folder, scope == .system ? 0o755 : 0o700) != 0, errno != EEXIST {
            throw ExtensionHostError(
                .notPermitted, "the socket's folder \(folder) cannot be made",
                remedy: "Make it, set XDG_RUNTIME_DIR to a folder of your own, or use --ephemeral",
                cause: "\(SystemError("mkdir"))")
        }
        return folder
    }

    /// The private socket of the systemd that started this daemon: the system's, or its user's.
    static func serviceManager(scope: Scope) -> String {
        let folder = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? "/run/user/\(getuid())"
        return (scope == .system ? "/run" : folder) + "/systemd/private"
    }

    /// The folder of systemd's `RuntimeDirectory=` (systemd.exec(5)) if that is set.
    private static var systemFolder: String {
        guard let named = getenv("RUNTIME_DIRECTORY"), named.pointee != 0 else { return "/run/exthost" }
        return String(String(cString: named).prefix { $0 != ":" })
    }

    /// Creates the folder in a place where every user may write.
    ///
    /// Another user may have created it before: then the daemon refuses to serve there.
    private static func makeSharedFolder(_ folder: String) throws(ExtensionHostError) {
        do {
            _ = try OwnFolder.open(folder, makes: true)
        } catch {
            throw ExtensionHostError(
                .notPermitted, "other users can access the socket's folder \(folder), or it cannot be made",
                remedy: "Remove it, set XDG_RUNTIME_DIR to a folder of your own, or use --ephemeral", cause: "\(error)")
        }
    }
}
