// openResolved: a file by its path, resolved once, and refused if the path leads through an untrusted folder.

internal import CLinux
internal import Glibc

/// The identity of a folder in the file system, independent of its name.
public struct FolderIdentity: Sendable, Hashable {
    /// The path without links.
    fileprivate let path: String
    fileprivate let device: UInt64
    fileprivate let inode: UInt64

    /// Reads the identity; `nil` if there is no folder. Throws if that cannot be determined.
    public init?(_ path: String) throws(SystemError) {
        let raw = open(path, exthost_open_path_only | O_DIRECTORY | O_CLOEXEC)
        guard raw >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemError("open")
        }
        let folder = OwnedDescriptor(owning: raw)
        let facts = try facts(of: folder)
        guard let target = linkTarget("/proc/self/fd/\(raw)") else { throw SystemError("readlink") }
        (self.path, device, inode) = (target, facts.device, facts.inode)
    }

    fileprivate func isSame(as facts: FileFacts) -> Bool { facts.device == device && facts.inode == inode }
}

/// Opens a file for inspection only (`O_PATH`).
///
/// Links on the way are followed once; from then on the opened file counts.
///
/// - Parameters:
///   - path: absolute.
///   - folder: no part of the path may be, or lie below, this folder: a program may write there, and could redirect the
///     path.
/// - Throws: `EXDEV` for a path through `folder`, `ELOOP` for more than 40 links, `EINVAL` for a path that is not
///   absolute, and the errors of openat(2).
public func openResolved(_ path: String, outside folder: FolderIdentity? = nil) throws(SystemError) -> OwnedDescriptor {
    guard path.hasPrefix("/") else { throw SystemError("open", code: EINVAL) }
    guard let folder else {
        let raw = open(path, exthost_open_path_only | O_CLOEXEC)
        guard raw >= 0 else { throw SystemError("open") }
        return OwnedDescriptor(owning: raw)
    }
    // Most paths have no links and no `..`: their file is where the path leads.
    let isPlain = !path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
    let found = isPlain ? exthost_open_without_links(path) : -ELOOP
    guard found < 0 else {
        let file = OwnedDescriptor(owning: found)
        guard let target = linkTarget("/proc/self/fd/\(found)") else { throw SystemError("readlink") }
        guard target != folder.path, !target.hasPrefix(folder.path + "/") else {
            throw SystemError("open", code: EXDEV)
        }
        return file
    }
    guard [-ELOOP, -ENOSYS, -EPERM, -EAGAIN].contains(found) else { throw SystemError("openat2", code: -found) }
    return try walk(path, outside: folder)
}

/// Opens the path part by part, as path_resolution(7) describes.
private func walk(_ path: String, outside folder: FolderIdentity) throws(SystemError) -> OwnedDescriptor {
    var rest = Array(path.split(separator: "/").map(String.init).reversed())
    var links = 0
    var place = try open("/", in: AT_FDCWD)
    while let part = rest.popLast() {
        let next = try open(part, in: place.raw)
        let facts = try facts(of: next)
        if folder.isSame(as: facts) { throw SystemError("open", code: EXDEV) }
        guard facts.mode & S_IFMT == S_IFLNK else {
            place = next
            continue
        }
        links += 1
        guard links <= 40 else { throw SystemError("open", code: ELOOP) }
        guard let target = linkTarget("", of: next.raw) else { throw SystemError("readlinkat") }
        rest += target.split(separator: "/").map(String.init).reversed()
        if target.hasPrefix("/") { place = try open("/", in: AT_FDCWD) }
    }
    return place
}

private func open(_ name: String, in folder: Int32) throws(SystemError) -> OwnedDescriptor {
    let raw = openat(folder, name, exthost_open_path_only | O_NOFOLLOW | O_CLOEXEC)
    guard raw >= 0 else { throw SystemError("openat") }
    return OwnedDescriptor(owning: raw)
}
