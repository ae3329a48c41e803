// RuntimeFolder: where a service's socket lies.

import ExtensionProtocol
import Glibc
import LinuxSystem
import Logging

/// The folder of the daemon's socket, made if it is not there.
enum RuntimeFolder {
    static func socketPath(scope: Scope, logger: Logger) throws -> String {
        try path(scope: scope, logger: logger) + "/host.sock"
    }

    static func path(scope: Scope, logger: Logger) throws -> String {
        let folder = scope == .system ? systemFolder : try userFolder(logger) + "/exthost"
        // Whoever may use the system's daemon has to get to its socket.
        if mkdir(folder, scope == .system ? 0o755 : 0o700) != 0, errno != EEXIST {
            throw ExtensionHostError(
                .notPermitted, "the socket's folder \(folder) cannot be made",
                remedy: "Make it, set XDG_RUNTIME_DIR to a folder of your own, or use --ephemeral",
                cause: "\(SystemError("mkdir"))")
        }
        return folder
    }

    /// systemd's `RuntimeDirectory=` (systemd.exec(5)) where it is set.
    private static var systemFolder: String {
        guard let named = getenv("RUNTIME_DIRECTORY"), named.pointee != 0 else { return "/run/exthost" }
        return String(String(cString: named).prefix { $0 != ":" })
    }

    /// `$XDG_RUNTIME_DIR`, else `/run/user/UID`, else a private folder in the temporary directory, which is said.
    private static func userFolder(_ logger: Logger) throws -> String {
        if let named = getenv("XDG_RUNTIME_DIR"), named.pointee != 0 { return String(cString: named) }
        let standard = "/run/user/\(getuid())"
        if access(standard, W_OK) == 0 { return standard }
        let hidden = try TemporaryDirectory(prefix: "exthost-runtime").path
        logger.warning(
            "there is no XDG_RUNTIME_DIR and no \(standard): the socket is below \(hidden); clients need EXTHOST_SOCKET to find it"
        )
        return hidden
    }
}
