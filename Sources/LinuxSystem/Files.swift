// Files: whole small files and directory listings, within bounds that the caller sets.

internal import Glibc

/// The contents of a regular file (one of `/proc` is fine too).
///
/// Throws `EFBIG` when it has more than `maximumSize` bytes, `ELOOP` when the last part of the path is a symbolic link and
/// `followingLinks` is off, `EINVAL` when it is not a regular file. Never hangs on a FIFO.
public func readFile(_ path: String, maximumSize: Int, followingLinks: Bool = true) throws(SystemError) -> [UInt8] {
    let raw = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followingLinks ? 0 : O_NOFOLLOW))
    guard raw >= 0 else { throw SystemError("open") }
    let descriptor = OwnedDescriptor(owning: raw)
    return try readFile(descriptor, maximumSize: maximumSize)
}

/// The same for a file that is open already, from its current offset on.
public func readFile(_ descriptor: borrowing OwnedDescriptor, maximumSize: Int) throws(SystemError) -> [UInt8] {
    var status = stat()
    guard fstat(descriptor.raw, &status) == 0 else { throw SystemError("fstat") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError("read", code: EINVAL) }
    guard status.st_size <= maximumSize else { throw SystemError("read", code: EFBIG) }
    // Sizes of /proc files are 0 and others can change: read on to the end. One byte more than expected shows the end.
    var bytes = [UInt8](repeating: 0, count: min(max(Int(status.st_size), 4095), maximumSize) + 1)
    var filled = 0
    while true {
        let room = bytes.count - filled
        let count = bytes.withUnsafeMutableBytes { read(descriptor.raw, $0.baseAddress! + filled, room) }
        if count < 0 {
            if errno == EINTR { continue }
            throw SystemError("read")
        }
        if count == 0 { break }
        filled += count
        guard filled <= maximumSize else { throw SystemError("read", code: EFBIG) }
        if filled == bytes.count {
            bytes += [UInt8](repeating: 0, count: min(bytes.count, maximumSize + 1 - bytes.count))
        }
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
}

/// The names in a directory, in the order of their bytes, without `.` and `..`.
///
/// Throws `EOVERFLOW` when there are more than `maximumCount`. Names that are not UTF-8 are left out: a string could not name them.
public func listDirectory(_ path: String, maximumCount: Int) throws(SystemError) -> [String] {
    let raw = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { throw SystemError("open") }
    var names: [String] = []
    try forEachEntry(of: OwnedDescriptor(owning: raw)) { (name) throws(SystemError) in
        guard let name = String(validatingCString: name) else { return true }
        guard names.count < maximumCount else { throw SystemError("readdir", code: EOVERFLOW) }
        names.append(name)
        return true
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}

/// Calls `body` with each name but `.` and `..`, until it returns `false`. The C string is valid inside `body` only.
func forEachEntry(
    of directory: consuming OwnedDescriptor, _ body: (UnsafePointer<CChar>) throws(SystemError) -> Bool
) throws(SystemError) {
    let raw = directory.release()
    guard let stream = fdopendir(raw) else {
        let error = SystemError("fdopendir")
        close(raw)
        throw error
    }
    defer { closedir(stream) }
    while true {
        errno = 0
        guard let entry = readdir(stream) else {
            guard errno == 0 else { throw SystemError("readdir") }
            return
        }
        let more = try withEntryName(entry) { (name) throws(SystemError) in
            if strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { return true }
            return try body(name)
        }
        if !more { return }
    }
}

private func withEntryName(
    _ entry: UnsafeMutablePointer<dirent>, _ body: (UnsafePointer<CChar>) throws(SystemError) -> Bool
) throws(SystemError) -> Bool {
    // The name ends with a zero byte inside its fixed field (readdir(3)); a pointer into the entry avoids copying 256 bytes.
    let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
    return try body(UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
}
