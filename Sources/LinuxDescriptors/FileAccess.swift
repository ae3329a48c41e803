// FileAccess: an open file that others may change, truncate or replace at any time: inspected and copied, never mapped.

internal import CLinux
internal import Glibc

/// The status of an open descriptor.
public struct FileStatus: Sendable, Hashable {
    public let isRegular: Bool
    public let isDirectory: Bool
    /// The size in bytes, at the time of the call.
    public let size: Int
    /// The device and inode: equal for two descriptors of one file.
    public let device: UInt64
    public let inode: UInt64
    /// Whether the file can be read through this descriptor, and not written. A mere place (O_PATH) is neither: whoever
    /// opened it anew would read with rights that its sender may not have.
    public let isReadOnly: Bool
    /// The time of the last change, in seconds since 1970.
    public let modified: Int

    /// Reads the status of an open descriptor (fstat(2), F_GETFL of fcntl(2)).
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
        isReadOnly = flags & O_ACCMODE == O_RDONLY && flags & exthost_open_path_only == 0
        modified = Int(status.st_mtim.tv_sec)
    }
}

/// The kind of a stranger's descriptor, found without a call to anything that could block the caller.
public enum PassedFile: Sendable, Hashable {
    /// A memfd, sealed or not, and its size.
    case memory(size: Int)
    /// A regular file, and its size as far as it is known here.
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

/// Creates a file that only this user may use, and opens it for writing; throws `EEXIST` if something is there, a link
/// too.
public func createFile(_ path: String) throws(SystemError) -> OwnedDescriptor {
    let raw = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard raw >= 0 else { throw SystemError("open") }
    return OwnedDescriptor(owning: raw)
}

/// The bytes to copy between two calls of `step`.
private let copyStep = 8 << 20

/// The limit of pieces of a file that are distinguished; everything behind them counts as written.
private let mostPieces = 65_536

/// Returns the next written bytes of an open file, from `offset` on and within `size`; nil if only a hole is left.
///
/// Returns all of it if the file system reports no holes. `SEEK_DATA` of lseek(2) moves the file's own offset; no code
/// here reads by that offset.
private func nextWritten(of raw: Int32, from offset: Int, size: Int) -> Range<Int>? {
    let (data, hole): (Int32, Int32) = (3, 4)
    let start = lseek(raw, off_t(offset), data)
    guard start >= 0 else { return errno == ENXIO ? nil : offset..<size }
    guard start < size else { return nil }
    let end = lseek(raw, start, hole)
    // The file may have changed by now.
    return Int(start)..<(end > start ? min(size, Int(end)) : size)
}

/// Returns how many of the first `size` bytes of an open file have never been written: they take no space and read as
/// zeros.
public func unwrittenBytes(of raw: Int32, size: Int) -> Int {
    var (unwritten, offset) = (0, 0)
    for _ in 0..<mostPieces where offset < size {
        guard let piece = nextWritten(of: raw, from: offset, size: size) else { return unwritten + size - offset }
        unwritten += piece.lowerBound - offset
        offset = piece.upperBound
    }
    return unwritten
}

/// Copies `size` bytes from the start of one open file to the start of another, sharing blocks if the file system can.
///
/// Holes stay holes and take no space. Throws `ENOSPC`, before anything is written, if the target's file system has too
/// little space.
///
/// The source may change meanwhile, so the copied count is returned: fewer than `size` if the file was truncated.
/// `step` gets the count so far and returns whether to continue; `ECANCELED` if it returns `false`. Blocks the calling
/// thread.
public func copyFile(
    from source: Int32, to target: Int32, size: Int, step: (Int) -> Bool = { _ in true }
) throws(SystemError) -> Int {
    if exthost_clone_file(source, target) == 0 {
        // The clone may be longer or shorter than before: the requested size counts.
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
    // A file system without a limit reports that it has no blocks.
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
            // For another file system, or one without this call, the program copies the bytes itself.
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

/// Reads an open file from its start into memory, until either ends; returns the count of bytes.
///
/// `step` as for `copyFile`.
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

/// Locks an open file or directory until the descriptor is closed (flock(2)): shared or exclusive.
///
/// Returns `false` if another lock conflicts.
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
