// SocketPath: listening and connecting at a path of any length in the file system.

internal import CLinux
internal import Glibc

extension Socket {
    /// Listens at `path` with a socket of exactly these permissions, non-blocking.
    ///
    /// A socket left behind by a process that is gone is replaced. Throws `EADDRINUSE` if another process listens
    /// there, or if the path is not a socket: nothing else is ever removed. A lock on the directory separates two
    /// daemons that start at once. The directory must be readable for the lock; only the lock may make this wait, some
    /// microseconds. Remove the path when done with it.
    public static func listen(
        at path: String, backlog: Int32 = 128, permissions: UInt32 = 0o600
    ) throws(SystemError) -> Socket {
        var place = try SocketPath(path, forListening: true)
        try place.lock()
        // A daemon that ends removes its own folder, perhaps while this one waited for the lock.
        while try place.isGone() {
            place = try SocketPath(path, forListening: true)
            try place.lock()
        }
        let socket = try unbound()
        // The inode takes its mode from the socket, less the umask: it is never wider than requested, even briefly.
        guard fchmod(socket.raw, permissions) == 0 else { throw SystemError("fchmod") }
        do {
            try place.call(bind, "bind", socket.raw)
        } catch {
            guard error.code == EADDRINUSE, try place.isStale() else { throw error }
            guard unlinkat(place.directory.raw, place.name, 0) == 0 else { throw SystemError("unlink") }
            try place.call(bind, "bind", socket.raw)
        }
        guard fchmodat(place.directory.raw, place.name, permissions, 0) == 0 else { throw SystemError("chmod") }
        guard Glibc.listen(socket.raw, backlog) == 0 else { throw SystemError("listen") }
        return socket
    }

    /// Removes the socket at `path`, whose listener ends; also removes its folder if it is the empty
    /// `UserSocket.sharedFolder`.
    public static func remove(at path: String) throws(SystemError) {
        let place = try SocketPath(path, forListening: true)
        try place.lock()
        guard unlinkat(place.directory.raw, place.name, 0) == 0 || errno == ENOENT else { throw SystemError("unlink") }
        place.removeFolder()
    }

    /// Connects to the listener at `path`; the socket is non-blocking afterwards.
    ///
    /// Throws `ENOENT` if nothing is there, `ECONNREFUSED` if no process listens, `EPROTOTYPE` if it is another kind of
    /// socket. While the queue of waiting connections is full it waits for room, at most `patience` milliseconds, and
    /// then throws `EAGAIN`.
    public static func connect(to path: String, patience: Int = 10_000) throws(SystemError) -> Socket {
        let place = try SocketPath(path, forListening: false)
        let socket = try unbound()
        // On AF_UNIX only a blocking socket waits in connect(2), for as long as SO_SNDTIMEO says (socket(7)).
        var limit = timeval(tv_sec: patience / 1000, tv_usec: patience % 1000 * 1000)
        var none = timeval()
        let size = socklen_t(MemoryLayout<timeval>.size)
        guard setsockopt(socket.raw, SOL_SOCKET, SO_SNDTIMEO, &limit, size) == 0 else {
            throw SystemError("setsockopt")
        }
        try socket.setNonBlocking(false)
        try place.call(Glibc.connect, "connect", socket.raw)
        try socket.setNonBlocking(true)
        guard setsockopt(socket.raw, SOL_SOCKET, SO_SNDTIMEO, &none, size) == 0 else { throw SystemError("setsockopt") }
        return socket
    }
}

extension Socket {
    /// Returns the path that a listening socket was bound to; nil for one without a path.
    public static func path(of descriptor: Int32) throws(SystemError) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw SystemError("getsockname") }
        guard address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        // An address without a path, and an abstract one, has a zero byte first (unix(7)).
        let path = withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return path.isEmpty ? nil : path
    }
}

/// A directory, held open, and a name in it.
///
/// An address has room for 107 bytes (unix(7)); through `/proc/self/fd` every directory has a short name.
private struct SocketPath: ~Copyable {
    let directory: OwnedDescriptor
    let name: String
    private let path: String
    /// The path of a shared folder, which anybody may have made; nil otherwise.
    ///
    /// Only the descriptor that was checked is used.
    private let sharedFolder: String?

    init(_ path: String, forListening: Bool) throws(SystemError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw SystemError("bind", code: EINVAL) }
        var parent = "."
        var name = path
        if let slash = path.lastIndex(of: "/") {
            parent = slash == path.startIndex ? "/" : String(path[..<slash])
            name = String(path[path.index(after: slash)...])
        }
        if UserSocket.isShared(folder: parent) {
            directory = try OwnFolder.open(parent, makes: forListening)
            sharedFolder = parent
        } else {
            let raw = Glibc.open(parent, O_DIRECTORY | O_CLOEXEC | (forListening ? O_RDONLY : exthost_open_path_only))
            guard raw >= 0 else { throw SystemError("open") }
            directory = OwnedDescriptor(owning: raw)
            sharedFolder = nil
        }
        self.name = name
        self.path = path
    }

    func lock() throws(SystemError) {
        while flock(directory.raw, LOCK_EX) != 0 {
            guard errno == EINTR else { throw SystemError("flock") }
        }
    }

    /// Whether the folder has been removed since it was opened.
    func isGone() throws(SystemError) -> Bool {
        var status = stat()
        guard fstat(directory.raw, &status) == 0 else { throw SystemError("fstat") }
        return status.st_nlink == 0
    }

    /// Removes the folder that was made for the socket alone.
    ///
    /// No other user can have replaced it: it is this user's, in a sticky folder.
    func removeFolder() {
        if let sharedFolder { rmdir(sharedFolder) }
    }

    /// Whether the name is a socket at which no process listens.
    func isStale() throws(SystemError) -> Bool {
        var status = stat()
        guard fstatat(directory.raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw SystemError("stat") }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return false }
        let probe = try Socket.unbound()
        do {
            try call(Glibc.connect, "connect", probe.raw)
            return false
        } catch {
            return error.code == ECONNREFUSED
        }
    }

    /// Calls bind(2) or connect(2) with this address.
    func call(
        _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ functionName: String, _ socket: Int32
    ) throws(SystemError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        var text = Array(path.utf8)
        if text.count >= room || sharedFolder != nil { text = Array("/proc/self/fd/\(directory.raw)/\(name)".utf8) }
        guard text.count < room else { throw SystemError(functionName, code: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text) }
        let outcome = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                while true {
                    let code = function(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                    if code == 0 || errno != EINTR { return code }
                }
            }
        }
        guard outcome == 0 else { throw SystemError(functionName) }
    }
}
