// Files: reading of whole small files and directory listings, within limits that the caller sets.

internal import CLinux
internal import Glibc

/// Reads a regular file (one of `/proc` is fine too).
///
/// Throws `EFBIG` if it has more than `maximumSize` bytes, `ELOOP` if the last part of the path is a symbolic link and
/// `followingLinks` is off, `EINVAL` if it is not a regular file. Never hangs on a FIFO.
public func readFile(_ path: String, maximumSize: Int, followingLinks: Bool = true) throws(SystemError) -> [UInt8] {
    let raw = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followingLinks ? 0 : O_NOFOLLOW))
    guard raw >= 0 else { throw SystemError("open") }
    let descriptor = OwnedDescriptor(owning: raw)
    return try readFile(descriptor, maximumSize: maximumSize)
}

/// Reads a regular file that is open already, from its current offset on.
public func readFile(_ descriptor: borrowing OwnedDescriptor, maximumSize: Int) throws(SystemError) -> [UInt8] {
    var status = stat()
    guard fstat(descriptor.raw, &status) == 0 else { throw SystemError("fstat") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError("read", code: EINVAL) }
    return try readFile(descriptor.raw, expecting: Int(status.st_size), maximumSize: maximumSize)
}

/// Reads a regular file of which fstat(2) has just said that it has `expected` bytes.
public func readFile(_ raw: Int32, expecting expected: Int, maximumSize: Int) throws(SystemError) -> [UInt8] {
    guard expected <= maximumSize else { throw SystemError("read", code: EFBIG) }
    // Sizes of /proc files are 0 and others can change: read on to the end. One byte more than expected shows the end.
    var room = min(expected > 0 ? expected : 4095, maximumSize) + 1
    var bytes: [UInt8] = []
    while true {
        bytes.reserveCapacity(bytes.count + room)
        let before = bytes.count
        var count = 0
        bytes.append(addingCapacity: room) { span in
            span.withUnsafeMutableBufferPointer { memory, initialized in
                count = read(raw, memory.baseAddress, room)
                initialized = max(count, 0)
            }
        }
        if count < 0 {
            if errno == EINTR { continue }
            throw SystemError("read")
        }
        guard bytes.count <= maximumSize else { throw SystemError("read", code: EFBIG) }
        // A file on a disk ends at its reported size; one of /proc ends when a read returns nothing.
        if count == 0 || bytes.count == expected && before == 0 { return bytes }
        room -= count
        if room == 0 { room = min(bytes.count, maximumSize + 1 - bytes.count) }
    }
}

/// Returns the names in a directory, in the order of their bytes, without `.` and `..`.
///
/// Throws `EOVERFLOW` if there are more than `maximumCount`. Names that are not UTF-8 are omitted: a string could not
/// name them.
public func listDirectory(_ path: String, maximumCount: Int) throws(SystemError) -> [String] {
    let raw = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { throw SystemError("open") }
    return try listDirectory(OwnedDescriptor(owning: raw), maximumCount: maximumCount)
}

/// Returns the names with this suffix in an open directory that this descriptor has not listed yet.
public func listDirectory(
    _ directory: borrowing OwnedDescriptor, maximumCount: Int, ending suffix: StaticString = ""
) throws(SystemError) -> [String] {
    var names: [String] = []
    try forEachEntry(of: directory) { (name) throws(SystemError) in
        let excess = strlen(name) - suffix.utf8CodeUnitCount
        guard excess >= 0, memcmp(name + excess, suffix.utf8Start, suffix.utf8CodeUnitCount) == 0,
            let name = String(validatingCString: name)
        else { return true }
        guard names.count < maximumCount else { throw SystemError("readdir", code: EOVERFLOW) }
        names.append(name)
        return true
    }
    return names.sorted { strcmp($0, $1) < 0 }
}

/// Calls `body` with each name but `.` and `..`, until it returns `false`. The C string is valid inside `body` only.
func forEachEntry(
    of directory: borrowing OwnedDescriptor, _ body: (UnsafePointer<CChar>) throws(SystemError) -> Bool
) throws(SystemError) {
    // The buffer is as large as that of readdir(3).
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 8)
    defer { buffer.deallocate() }
    while true {
        let count = exthost_read_entries(directory.raw, buffer.baseAddress, buffer.count)
        guard count >= 0 else { throw SystemError("readdir", code: Int32(-count)) }
        if count == 0 { return }
        var place = 0
        while place < count {
            let entry = UnsafeRawPointer(buffer.baseAddress! + place)
            // An entry has inode and offset, eight bytes each; its length; its type in one byte; the name
            // (getdents64(2)).
            place += Int(entry.load(fromByteOffset: 16, as: UInt16.self))
            let name = (entry + 19).assumingMemoryBound(to: CChar.self)
            if strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { continue }
            if try !body(name) { return }
        }
    }
}

/// Renames a file or folder on its file system, in one step: a reader sees either the old one or the new one.
///
/// The file that had the name before has `path` afterwards (renameat2(2)).
public func placeFile(_ path: String, at name: String) throws(SystemError) {
    let code = exthost_place(path, name)
    guard code == 0 else { throw SystemError("renameat2", code: -code) }
}
