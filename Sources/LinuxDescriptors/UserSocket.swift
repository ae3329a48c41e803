// UserSocket: where a user's daemon listens; the daemon and everybody who looks for it ask here.

internal import CLinux
internal import Glibc

/// The place of the user service's socket.
public enum UserSocket {
    /// `$XDG_RUNTIME_DIR`, else `/run/user/UID` if that folder is this user's; nil where there is neither.
    public static var runtimeFolder: String? {
        if let named = getenv("XDG_RUNTIME_DIR"), named.pointee != 0 { return String(cString: named) }
        let standard = "/run/user/\(getuid())"
        var status = stat()
        guard stat(standard, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid() else { return nil }
        return standard
    }

    /// The folder of the socket on a machine without a runtime folder, such as a container. Anybody may have made it, so a socket there is
    /// bound and connected to through `OwnFolder` only.
    public static var sharedFolder: String { "/tmp/exthost-\(geteuid())" }

    /// The folder in which a daemon that starts now listens. Nothing is made.
    public static var folder: String { runtimeFolder.map { $0 + "/exthost" } ?? sharedFolder }

    /// The path at which a client looks. A daemon may have been started before there was a runtime folder: its socket counts where the
    /// runtime folder has none.
    public static var path: String {
        let usual = folder + "/host.sock"
        if access(usual, F_OK) == 0 || (getenv("XDG_RUNTIME_DIR").map { $0.pointee != 0 } ?? false) { return usual }
        let shared = sharedFolder + "/host.sock"
        guard (try? OwnFolder.open(sharedFolder, makes: false)) != nil, access(shared, F_OK) == 0 else { return usual }
        return shared
    }

    /// Whether a socket lies in the folder that anybody may have made.
    static func isShared(folder: String) -> Bool { folder == sharedFolder }
}

/// A folder that belongs to this user alone, in a folder that others may write to.
package enum OwnFolder {
    /// Opens the folder. The descriptor is what was checked: no link is followed, its owner is this user, and nobody else may enter.
    ///
    /// - Parameter makes: whether a folder that is missing is made, with mode 0700.
    /// - Throws: `SystemError` with `EPERM` for a link, a file, another user's folder, or one that is open to others.
    package static func open(_ path: String, makes: Bool) throws(SystemError) -> OwnedDescriptor {
        if makes, mkdir(path, 0o700) != 0, errno != EEXIST { throw SystemError("mkdir") }
        // For a lock the folder is opened for reading.
        let raw = Glibc.open(
            path, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | (makes ? O_RDONLY : exthost_open_path_only))
        guard raw >= 0 else {
            throw errno == ENOTDIR || errno == ELOOP || errno == EACCES ? SystemError("open", code: EPERM) : SystemError("open")
        }
        let folder = OwnedDescriptor(owning: raw)
        var status = stat()
        guard fstat(folder.raw, &status) == 0 else { throw SystemError("fstat") }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else { throw SystemError("open", code: EPERM) }
        return folder
    }
}
