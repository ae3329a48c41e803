// ViewFile: a file or folder that a confined program is given.

internal import CLinux
internal import Glibc

/// What was opened and checked, and the path by which the program knows it. Whatever lies at that path later, the program is given this.
public struct ViewFile: Sendable {
    /// Absolute.
    public let path: String
    /// For `O_PATH` at least. Any thread may use it.
    let descriptor: SharedDescriptor
    public let facts: FileFacts

    /// - Parameters:
    ///   - path: absolute; by this path the program will know the file.
    ///   - folder: the way there must not lead through it (`openResolved`).
    /// - Throws: what `openResolved` throws.
    public init(_ path: String, outside folder: FolderIdentity? = nil) throws(SystemError) {
        try self.init(path, opened: openResolved(path, outside: folder))
    }

    /// Of a file that is open already.
    public init(_ path: String, opened descriptor: consuming OwnedDescriptor) throws(SystemError) {
        self.path = path
        facts = try LinuxSystem.facts(of: descriptor)
        self.descriptor = SharedDescriptor(descriptor)
    }

    /// A file in this folder, reached by no link and without leaving it.
    ///
    /// - Throws: `ELOOP` at a link, `EXDEV` where `name` leads out, and what openat(2) has.
    public func file(_ name: String) throws(SystemError) -> ViewFile {
        try ViewFile("\(path)/\(name)", opened: openBeneath(descriptor.raw, name))
    }

    public var isFolder: Bool { facts.mode & S_IFMT == S_IFDIR }

    /// Whether somebody else could change what lies here: it belongs to neither root nor `user`, or everybody may write to it.
    public func isForeign(to user: UInt32) -> Bool {
        (facts.owner != 0 && facts.owner != user) || facts.mode & 0o002 != 0
    }

    /// The names in this folder, in the order of their bytes.
    ///
    /// - Throws: `EOVERFLOW` for more than `maximumCount`, `ENOTDIR`, and what openat(2) has.
    public func names(maximumCount: Int) throws(SystemError) -> [String] {
        let raw = openat(descriptor.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard raw >= 0 else { throw SystemError("openat") }
        return try listDirectory(OwnedDescriptor(owning: raw), maximumCount: maximumCount)
    }

    /// Opens a regular file of this folder for reading. Never hangs on a FIFO.
    ///
    /// - Throws: `ELOOP` for a link, `EINVAL` for what is no regular file, and what openat(2) has.
    public func read(_ name: String) throws(SystemError) -> OwnedDescriptor { try file(name).read() }

    /// Opens this file for reading, if it is a regular one; `EINVAL` else.
    public func read() throws(SystemError) -> OwnedDescriptor {
        guard facts.isRegularFile else { throw SystemError("open", code: EINVAL) }
        // The descriptor of before, for reading: its name is not looked up again.
        let raw = open("/proc/self/fd/\(descriptor.raw)", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard raw >= 0 else { throw SystemError("open") }
        return OwnedDescriptor(owning: raw)
    }

    /// What a symbolic link directly in this folder says; `nil` for what is none.
    public func linkTarget(_ name: String) -> String? { LinuxSystem.linkTarget(name, of: descriptor.raw) }
}
