// FileAccess: an open file that somebody else may change, cut or replace at any moment: looked at and copied, never mapped.

internal import CLinux
internal import Glibc

/// What an open descriptor is.
public struct FileStatus: Sendable, Hashable {
    public let isRegular: Bool
    public let isDirectory: Bool
    /// Bytes, when it was looked at.
    public let size: Int
    /// Device and inode: equal for two descriptors of one file.
    public let device: UInt64
    public let inode: UInt64
    /// Whether nothing can be written through this descriptor.
    public let isReadOnly: Bool
    /// Seconds since 1970.
    public let modified: Int

    /// Looks at an open descriptor (fstat(2), F_GETFL of fcntl(2)).
    public init(of raw: Int32) throws(SystemError) {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw SystemError("fstat") }
        let flags = fcntl(raw, F_GETFL)
        guard flags >= 0 else { throw SystemError("fcntl") }
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        size = Int(status.st_size)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        isReadOnly = flags & O_ACCMODE == O_RDONLY
        modified = Int(status.st_mtim.tv_sec)
    }
}

/// What can be said of a descriptor of somebody else's without asking anybody who could keep the caller waiting.
public enum PassedFile: Sendable, Hashable {
    /// A memfd, sealed or not, and its bytes.
    case memory(size: Int)
    /// A regular file, and its bytes as far as they are known here.
    case file(size: Int)
    /// A folder, device, pipe or socket.
    case other

    public init(_ raw: Int32) {
        let size = exthost_known_size(raw)
        guard size >= 0 else {
            self = .other
            return
        }
        // Files on a disk have no seals (F_GET_SEALS of fcntl(2)).
        self = exthost_get_seals(raw) >= 0 ? .memory(size: Int(size)) : .file(size: Int(size))
    }
}

/// Opens a file for reading only, close-on-exec. Links are followed; never hangs on a FIFO.
public func openForReading(_ path: String) throws(SystemError) -> OwnedDescriptor {
    let raw = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard raw >= 0 else { throw SystemError("open") }
    return OwnedDescriptor(owning: raw)
}

/// Makes a new file that only this user may use, and opens it for writing; `EEXIST` when something is there, a link too.
public func createFile(_ path: String) throws(SystemError) -> OwnedDescriptor {
    let raw = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard raw >= 0 else { throw SystemError("open") }
    return OwnedDescriptor(owning: raw)
}

/// How much is copied between two looks at whether to go on.
private let copyStep = 8 << 20

/// Pieces of a file that are told apart; what is behind them counts as written.
private let mostPieces = 65_536

/// The next bytes of an open file that were written, from `offset` on and within `size`; nil when only a hole is left.
/// All of it where the file system tells nothing of holes (`SEEK_DATA` of lseek(2), which moves the file's own offset:
/// nobody here reads by that).
private func nextWritten(of raw: Int32, from offset: Int, size: Int) -> Range<Int>? {
    let (data, hole): (Int32, Int32) = (3, 4)
    let start = lseek(raw, off_t(offset), data)
    guard start >= 0 else { return errno == ENXIO ? nil : offset..<size }
    guard start < size else { return nil }
    let end = lseek(raw, start, hole)
    // The file may be another one by now.
    return Int(start)..<(end > start ? min(size, Int(end)) : size)
}

/// How many of the first `size` bytes of an open file have never been written: they take no room, and whoever reads
/// them gets zeros.
public func unwrittenBytes(of raw: Int32, size: Int) -> Int {
    var (unwritten, offset) = (0, 0)
    for _ in 0..<mostPieces where offset < size {
        guard let piece = nextWritten(of: raw, from: offset, size: size) else { return unwritten + size - offset }
        unwritten += piece.lowerBound - offset
        offset = piece.upperBound
    }
    return unwritten
}

/// Copies `size` bytes from the start of one open file to the start of another, sharing blocks where the file system
/// can. What was never written stays so, and takes no room. `ENOSPC`, before anything is written, where the target's
/// file system has less room than there is to write.
///
/// `from` may change meanwhile, so the count that was copied is returned: fewer than `size` when the file was cut. `step` gets how
/// many there are so far and says whether to go on; `ECANCELED` when it says no. Blocks the calling thread.
public func copyFile(
    from source: Int32, to target: Int32, size: Int, step: (Int) -> Bool = { _ in true }
) throws(SystemError) -> Int {
    if exthost_clone_file(source, target) == 0 {
        // The clone may be longer or shorter than it was: what was asked for counts.
        var status = stat()
        guard fstat(target, &status) == 0 else { throw SystemError("fstat") }
        let cloned = min(size, Int(status.st_size))
        guard ftruncate(target, off_t(cloned)) == 0 else { throw SystemError("ftruncate") }
        return cloned
    }
    var file = stat()
    guard fstat(source, &file) == 0 else { throw SystemError("fstat") }
    let there = min(size, Int(file.st_size))
    var room = statvfs()
    // A file system without a bound says that it has no blocks.
    if fstatvfs(target, &room) == 0, room.f_blocks > 0,
        let needed = UInt64(exactly: there - unwrittenBytes(of: source, size: there)),
        needed / UInt64(max(1, room.f_frsize)) > room.f_bavail
    {
        throw SystemError("copy", code: ENOSPC)
    }
    var copied = 0
    var inKernel = true
    // The bytes up to here were written; a hole follows.
    var end = 0
    while copied < size {
        guard step(copied) else { throw SystemError("copy", code: ECANCELED) }
        if copied >= end {
            guard let piece = nextWritten(of: source, from: copied, size: size) else {
                guard fstat(source, &file) == 0 else { throw SystemError("fstat") }
                copied = max(copied, min(size, Int(file.st_size)))
                guard ftruncate(target, off_t(copied)) == 0 else { throw SystemError("ftruncate") }
                break
            }
            (copied, end) = (piece.lowerBound, piece.upperBound)
        }
        let count = min(copyStep, end - copied)
        var moved = inKernel ? exthost_copy_range(source, target, off_t(copied), count) : 0
        if moved < 0 {
            // Another file system, or one that cannot: through the program then.
            guard [EXDEV, ENOSYS, EINVAL, EOPNOTSUPP].contains(Int32(-moved)) else {
                throw SystemError("copy_file_range", code: Int32(-moved))
            }
            inKernel = false
        }
        if !inKernel { moved = try copyThrough(source, target, offset: copied, count: count) }
        if moved == 0 { break }
        copied += moved
    }
    return copied
}

private func copyThrough(_ source: Int32, _ target: Int32, offset: Int, count: Int) throws(SystemError) -> Int {
    let room = min(count, 1 << 20)
    let outcome: Result<Int, SystemError> = withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) { buffer in
        var read: Int
        repeat { read = pread(source, buffer.baseAddress, room, off_t(offset)) } while read < 0 && errno == EINTR
        guard read >= 0 else { return .failure(SystemError("pread")) }
        do throws(SystemError) {
            try write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<read]), to: target, at: offset)
            return .success(read)
        } catch {
            return .failure(error)
        }
    }
    return try outcome.get()
}

/// Writes all bytes at an offset of an open file.
public func write(_ bytes: UnsafeRawBufferPointer, to target: Int32, at offset: Int = 0) throws(SystemError) {
    var done = 0
    while done < bytes.count {
        let count = pwrite(target, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
        if count < 0 {
            if errno == EINTR { continue }
            throw SystemError("pwrite")
        }
        done += count
    }
}

/// Reads from the start of an open file into memory, until either ends; returns how many bytes. `step` as for `copyFile`.
public func readFile(
    _ source: Int32, into memory: UnsafeMutableRawBufferPointer, step: (Int) -> Bool = { _ in true }
) throws(SystemError) -> Int {
    var done = 0
    while done < memory.count {
        guard step(done) else { throw SystemError("read", code: ECANCELED) }
        let count = pread(source, memory.baseAddress! + done, min(copyStep, memory.count - done), off_t(done))
        if count < 0 {
            if errno == EINTR { continue }
            throw SystemError("pread")
        }
        if count == 0 { break }
        done += count
    }
    return done
}

/// A lock on an open file or directory that ends with the descriptor (flock(2)): shared, or exclusive. `false` when somebody
/// else's keeps it away.
public func lockFile(_ raw: Int32, exclusive: Bool) throws(SystemError) -> Bool {
    if flock(raw, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw SystemError("flock") }
    return false
}

/// Opens a directory, close-on-exec; `ELOOP` or `ENOTDIR` for a link.
public func openDirectory(_ path: String) throws(SystemError) -> OwnedDescriptor {
    let raw = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard raw >= 0 else { throw SystemError("open") }
    return OwnedDescriptor(owning: raw)
}
