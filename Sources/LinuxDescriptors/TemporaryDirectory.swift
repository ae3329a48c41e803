// TemporaryDirectory: a private temporary directory, and the removal of a whole tree.

internal import CLinux
internal import Glibc

/// A new directory that only this user may enter. It stays until `remove()` is called.
public struct TemporaryDirectory: Sendable, Hashable {
    public let path: String

    /// Makes `PREFIX-xxxxxx` in `parent`, by default `TMPDIR` or `/tmp`, with mode 0700 (mkdtemp(3)).
    public init(prefix: String = "exthost", in parent: String? = nil) throws(SystemError) {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/\(prefix)-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
        guard made else { throw SystemError("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes the directory and all in it. It is no error if it is gone already.
    public func remove() throws(SystemError) { try removeTree(path) }
}

/// The most passes over a top directory that another process has filled again.
private let mostReturns = 100

/// Removes a directory and all in it, however deep, and follows no symbolic link.
///
/// A path that is not there is no error; one that is no directory throws `ENOTDIR`. Throws `EBUSY` at a mount point,
/// and `ENOTEMPTY` if others put things into it without end. Several processes may remove the same tree at the same
/// time.
///
/// Directories that are not empty are moved up to the top and emptied there, so that depth costs neither stack nor
/// descriptors. No step goes through `..`, which another process could move meanwhile. Directories that cannot be moved
/// are emptied in place: those of a lower layer of an overlay, as in a container's image.
public func removeTree(_ path: String) throws(SystemError) {
    let raw = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if raw < 0 && errno == ENOENT { return }
    guard raw >= 0 else { throw SystemError("open") }
    let top = OwnedDescriptor(owning: raw)
    var (moved, returns) = (0, 0)
    // Each pass empties the directories at the top, and moves their contents to the top for the next pass.
    while true {
        var pending: [[CChar]] = []
        try removeEntries(of: top) { (name) throws(SystemError) in pending.append(name) }
        if pending.isEmpty {
            if rmdir(path) == 0 || errno == ENOENT { return }
            // Another remover has moved a directory here, and may have given up.
            guard errno == ENOTEMPTY || errno == EEXIST, returns < mostReturns else { throw SystemError("rmdir") }
            returns += 1
            continue
        }
        for name in pending {
            guard let directory = try openForRemoval(name, in: top) else { continue }
            try removeEntries(of: directory) { (inner) throws(SystemError) in
                guard try makeAccessible(inner, in: directory) else { return }
                repeat { moved += 1 } while faccessat(top.raw, "\(moved)", F_OK, AT_SYMLINK_NOFOLLOW) == 0
                if renameat(directory.raw, inner, top.raw, "\(moved)") == 0 { return }
                // Another remover was faster, or uses the same number. The next pass finds what is left.
                if errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST { return }
                guard errno == EXDEV else { throw SystemError("renameat") }
                try removeInPlace(inner, in: directory)
            }
            guard unlinkat(top.raw, name, AT_REMOVEDIR) == 0 || errno == ENOENT || errno == ENOTEMPTY else {
                throw SystemError("rmdir")
            }
        }
    }
}

/// Removes a directory in place. Each level below takes one more descriptor.
private func removeInPlace(_ name: [CChar], in directory: borrowing OwnedDescriptor) throws(SystemError) {
    guard let inner = try openForRemoval(name, in: directory) else { return }
    var pending: [[CChar]] = []
    try removeEntries(of: inner) { (deeper) throws(SystemError) in pending.append(deeper) }
    for deeper in pending { try removeInPlace(deeper, in: inner) }
    guard unlinkat(directory.raw, name, AT_REMOVEDIR) == 0 || errno == ENOENT else { throw SystemError("rmdir") }
}

/// Removes what can be removed at once; calls `notEmpty` with the names of directories that are not empty.
private func removeEntries(
    of directory: borrowing OwnedDescriptor, notEmpty: ([CChar]) throws(SystemError) -> Void
) throws(SystemError) {
    // The listing has its own descriptor, so that it starts at the beginning.
    let raw = openat(directory.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if raw < 0 && errno == ENOENT { return }
    guard raw >= 0 else { throw SystemError("open") }
    let parent = directory.raw
    do throws(SystemError) {
        try forEachEntry(of: OwnedDescriptor(owning: raw)) { (name) throws(SystemError) in
            if unlinkat(parent, name, 0) == 0 || errno == ENOENT { return true }
            // Linux reports EISDIR for a directory, POSIX EPERM (unlink(2)).
            guard errno == EISDIR || errno == EPERM else { throw SystemError("unlink") }
            if unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT { return true }
            guard errno == ENOTEMPTY || errno == EEXIST else { throw SystemError("rmdir") }
            try notEmpty(Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1)))
            return true
        }
    } catch {
        // getdents64(2) fails with ENOENT for a directory that another process has removed.
        guard error.code == ENOENT else { throw error }
    }
}

/// Opens a directory for its removal; returns nil if it does not exist any more.
private func openForRemoval(_ name: [CChar], in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor?
{
    guard try makeAccessible(name, in: directory) else { return nil }
    let raw = openat(directory.raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if raw < 0 && errno == ENOENT { return nil }
    guard raw >= 0 else { throw SystemError("open") }
    return OwnedDescriptor(owning: raw)
}

/// Gives the owner all rights to a directory, which are needed to list it and to move it.
///
/// It does not use the name, which could have become a link to a directory elsewhere.
///
/// - Returns: false if the directory does not exist any more.
private func makeAccessible(_ name: [CChar], in directory: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    let raw = openat(directory.raw, name, exthost_open_path_only | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if raw < 0 && errno == ENOENT { return false }
    guard raw >= 0 else { throw SystemError("open") }
    let descriptor = OwnedDescriptor(owning: raw)
    // fchmod(2) refuses an O_PATH descriptor; its name in /proc is the same file. Failure shows at the next step.
    _ = chmod("/proc/self/fd/\(descriptor.raw)", 0o700)
    return true
}
