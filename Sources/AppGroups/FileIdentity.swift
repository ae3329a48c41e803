// FileIdentity: the identity of the file at a path, found with one call.

internal import Glibc
internal import LinuxDescriptors

/// The identity of a file. Two identities are equal if nobody has replaced or changed the file between the two calls.
///
/// The file system reuses the inode number of a deleted file, and its clock ticks slowly. Code that compares identities
/// therefore keeps the first file open, so that its number is not reused.
struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let modified: Moment
    private let changed: Moment

    private struct Moment: Sendable, Hashable {
        let seconds: Int
        let nanoseconds: Int
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = Moment(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
        changed = Moment(seconds: status.st_ctim.tv_sec, nanoseconds: status.st_ctim.tv_nsec)
    }

    init(of raw: Int32) throws(SystemError) {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw SystemError("fstat") }
        self.init(status)
    }

    /// Reads the identity of what is at the path, of a link itself; nil if nothing is there.
    init?(at path: String) throws(SystemError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemError("lstat")
        }
        self.init(status)
    }
}
