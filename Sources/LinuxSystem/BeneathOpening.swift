// openBeneath: opening a file inside a folder without leaving the folder.

internal import CLinux
internal import Glibc

/// The facts that fstat(2) reports for a descriptor's file.
public struct FileFacts: Sendable, Hashable {
    public let device: UInt64
    public let inode: UInt64
    /// The type and permissions (stat(2)).
    public let mode: UInt32
    /// The user id of the owner.
    public let owner: UInt32

    public var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
    /// Whether anybody may execute it.
    public var isExecutable: Bool { mode & 0o111 != 0 }
}

/// Opens a file, for inspection only, by a path that stays below `folder`: no part of it is a symbolic link or `..`.
///
/// The folder's own path may have links.
///
/// - Throws: `ELOOP` at a link, `EXDEV` if the path leads out of the folder, and the errors of openat(2).
public func openBeneath(_ folder: String, _ path: String) throws(SystemError) -> OwnedDescriptor {
    let raw = open(folder, exthost_open_path_only | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { throw SystemError("open") }
    let root = OwnedDescriptor(owning: raw)
    return try openBeneath(root.raw, path)
}

/// Opens a file, for inspection only, below a folder that is open already.
public func openBeneath(_ folder: Int32, _ path: String) throws(SystemError) -> OwnedDescriptor {
    let found = exthost_open_beneath(folder, path)
    if found >= 0 {
        let file = OwnedDescriptor(owning: found)
        // With O_PATH the last part is opened even if it is a link.
        if try facts(of: file).mode & S_IFMT == S_IFLNK { throw SystemError("openat2", code: ELOOP) }
        return file
    }
    // The call is missing before Linux 5.6, and behind filters of system calls that do not know it.
    guard found == -ENOSYS || found == -EPERM || found == -EAGAIN else { throw SystemError("openat2", code: -found) }
    return try openStepwise(folder, path)
}

/// Whether there is something at `path`, a link included; `nil` if only the file system could tell, which may take any
/// time.
///
/// This call does not wait for a file system.
public func isThere(_ path: String) -> Bool? {
    let code = exthost_is_there(path)
    if code == 0 { return true }
    return [-ENOENT, -ENOTDIR, -EACCES, -ELOOP, -ENAMETOOLONG].contains(code) ? false : nil
}

/// Opens the path part by part, for kernels without openat2(2).
func openStepwise(_ root: Int32, _ path: String) throws(SystemError) -> OwnedDescriptor {
    guard !path.hasPrefix("/") else { throw SystemError("openat", code: EXDEV) }
    let parts = path.split(separator: "/").filter { $0 != "." }
    guard !parts.isEmpty else { throw SystemError("openat", code: EINVAL) }
    guard !parts.contains("..") else { throw SystemError("openat", code: EXDEV) }
    var next = try openPart(root, String(parts[0]), isLast: parts.count == 1)
    for (index, part) in parts.enumerated().dropFirst() {
        next = try openPart(next.raw, String(part), isLast: index == parts.count - 1)
    }
    return next
}

private func openPart(_ folder: Int32, _ name: String, isLast: Bool) throws(SystemError) -> OwnedDescriptor {
    let raw = openat(folder, name, exthost_open_path_only | O_NOFOLLOW | O_CLOEXEC | (isLast ? 0 : O_DIRECTORY))
    guard raw >= 0 else { throw SystemError("openat", code: errno == ENOTDIR ? ELOOP : errno) }
    let descriptor = OwnedDescriptor(owning: raw)
    // With O_PATH a link itself is opened (open(2)).
    if try facts(of: descriptor).mode & S_IFMT == S_IFLNK { throw SystemError("openat", code: ELOOP) }
    return descriptor
}

/// Returns the facts about the descriptor's file.
public func facts(of descriptor: borrowing OwnedDescriptor) throws(SystemError) -> FileFacts {
    var status = stat()
    guard fstat(descriptor.raw, &status) == 0 else { throw SystemError("fstat") }
    return FileFacts(
        device: UInt64(status.st_dev), inode: UInt64(status.st_ino), mode: status.st_mode, owner: status.st_uid)
}
