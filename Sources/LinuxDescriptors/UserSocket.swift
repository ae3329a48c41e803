// UserSocket: the path of the socket of a user's daemon, for the daemon and its clients.

internal import CLinux
internal import Glibc

/// The paths of the user service's socket.
public enum UserSocket {
    /// The folder `$XDG_RUNTIME_DIR`, else `/run/user/UID` if that folder is this user's; nil if there is neither.
    public static var runtimeFolder: String? {
        if let named = getenv("XDG_RUNTIME_DIR"), named.pointee != 0 { return String(cString: named) }
        let standard = "/run/user/\(getuid())"
        var status = stat()
        guard stat(standard, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid() else {
            return nil
        }
        return standard
    }

    /// The folder of the socket on a machine without a runtime folder, such as a container.
    ///
    /// Anybody may have made it, so only `OwnFolder` is used to bind and connect a socket there.
    public static var sharedFolder: String { "/tmp/exthost-\(geteuid())" }

    /// The folder in which a daemon that starts now listens. This makes no folder.
    public static var folder: String { runtimeFolder.map { $0 + "/exthost" } ?? sharedFolder }

    /// The path at which a client connects.
    ///
    /// A daemon may have been started before there was a runtime folder: its socket counts if the runtime folder has
    /// none.
    public static var path: String {
        let usual = folder + "/host.sock"
        if access(usual, F_OK) == 0 || (getenv("XDG_RUNTIME_DIR").map { $0.pointee != 0 } ?? false) { return usual }
        let shared = sharedFolder + "/host.sock"
        guard (try? OwnFolder.open(sharedFolder, makes: false)) != nil, access(shared, F_OK) == 0 else { return usual }
        return shared
    }

    /// Whether a socket is in the folder that anybody may have made.
    static func isShared(folder: String) -> Bool { folder == sharedFolder }
}

/// A folder that belongs to this user alone, in a folder that others may write to.
package enum OwnFolder {
    /// Opens the folder.
    ///
    /// The check applies to the descriptor: no link is followed, its owner is this user, and no other user may enter.
    ///
    /// - Parameter makes: whether a missing folder is made, with mode 0700.
    /// - Throws: `SystemError` with `EPERM` for a link, a file, another user's folder, or one that is open to others.
    package static func open(_ path: String, makes: Bool) throws(SystemError) -> OwnedDescriptor {
        if makes, mkdir(path, 0o700) != 0, errno != EEXIST { throw SystemError("mkdir") }
        // The folder is opened for reading, which a lock needs.
        let raw = Glibc.open(
            path, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | (makes ? O_RDONLY : exthost_open_path_only))
        guard raw >= 0 else {
            throw errno == ENOTDIR || errno == ELOOP || errno == EACCES
                ? SystemError("open", code: EPERM) : SystemError("open")
        }
        let folder = OwnedDescriptor(owning: raw)
        var status = stat()
        guard fstat(folder.raw, &status) == 0 else { throw SystemError("fstat") }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else { throw SystemError("open", code: EPERM) }
        return folder
    }
}
