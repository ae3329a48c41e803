// ViewFile: a file or folder that a confined program may use.

internal import CLinux
internal import Glibc

/// A file that was opened and checked, and the path by which the program knows it.
///
/// The program gets this file, whatever lies at that path later.
public struct ViewFile: Sendable {
    /// The absolute path.
    public let path: String
    /// The descriptor, opened with `O_PATH` at least. Any thread may use it.
    let descriptor: SharedDescriptor
    public let facts: FileFacts

    /// Opens and checks a file.
    ///
    /// - Parameters:
    ///   - path: absolute; the program will know the file by this path.
    ///   - folder: no path to the file may lead through this folder (`openResolved`).
    /// - Throws: what `openResolved` throws.
    public init(_ path: String, outside folder: FolderIdentity? = nil) throws(SystemError) {
        try self.init(path, opened: openResolved(path, outside: folder))
    }

    /// Takes over a file that is open already.
    public init(_ path: String, opened descriptor: consuming OwnedDescriptor) throws(SystemError) {
        self.path = path
        facts = try LinuxSystem.facts(of: descriptor)
        self.descriptor = SharedDescriptor(descriptor)
    }

    /// Opens a file in this folder, without following links or leaving the folder.
    ///
    /// - Throws: `ELOOP` at a link, `EXDEV` if `name` leads out, and the errors of openat(2).
    public func file(_ name: String) throws(SystemError) -> ViewFile {
        try ViewFile("\(path)/\(name)", opened: openBeneath(descriptor.raw, name))
    }

    public var isFolder: Bool { facts.mode & S_IFMT == S_IFDIR }

    /// Whether somebody else could change the file: it belongs to neither root nor `user`, or everybody may write to
    /// it.
    public func isForeign(to user: UInt32) -> Bool {
        (facts.owner != 0 && facts.owner != user) || facts.mode & 0o002 != 0
    }

    /// Returns the names in this folder, in the order of their bytes.
    ///
    /// - Throws: `EOVERFLOW` for more than `maximumCount`, `ENOTDIR`, and the errors of openat(2).
    public func names(maximumCount: Int) throws(SystemError) -> [String] {
        let raw = openat(descriptor.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard raw >= 0 else { throw SystemError("openat") }
        return try listDirectory(OwnedDescriptor(owning: raw), maximumCount: maximumCount)
    }

    /// Opens a regular file of this folder for reading. Never hangs on a FIFO.
    ///
    /// - Throws: `ELOOP` for a link, `EINVAL` if it is no regular file, and the errors of openat(2).
    public func read(_ name: String) throws(SystemError) -> OwnedDescriptor { try file(name).read() }

    /// Opens this file for reading, if it is a regular one; throws `EINVAL` otherwise.
    public func read() throws(SystemError) -> OwnedDescriptor {
        guard facts.isRegularFile else { throw SystemError("open", code: EINVAL) }
        // The descriptor is reopened for reading, without a second lookup of the file's name.
        let raw = open("/proc/self/fd/\(descriptor.raw)", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard raw >= 0 else { throw SystemError("open") }
        return OwnedDescriptor(owning: raw)
    }

    /// Returns the target of a symbolic link directly in this folder; `nil` if it is no link.
    public func linkTarget(_ name: String) -> String? { LinuxSystem.linkTarget(name, of: descriptor.raw) }
}
