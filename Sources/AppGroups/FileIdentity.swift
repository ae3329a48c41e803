// FileIdentity: which file stands at a path, told by one look.

internal import Glibc
internal import LinuxDescriptors

/// Equal for two looks at a file that nobody has replaced or changed in between.
///
/// An inode's number is given anew when its file is gone, and clocks of file systems tick slowly: so whoever compares keeps the file open
/// that was looked at first, and its number cannot come back.
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

    /// What is at the path, a link itself; nil when nothing is.
    init?(at path: String) throws(SystemError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemError("lstat")
        }
        self.init(status)
    }
}
