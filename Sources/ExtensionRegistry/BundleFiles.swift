// BundleFiles: the file access of a scan, relative to the folders that it has open.

import Glibc
import LinuxSystem

/// A stack of open folders, through which a scan accesses files. All paths are absolute.
///
/// A file below an open folder is accessed relative to it, which is a shorter lookup for the kernel. Such lookups are
/// most of a scan over thousands of bundles.
struct BundleFiles {
    /// The open folders, each inside the one before it; each path ends with a slash.
    private var folders: [(descriptor: SharedDescriptor, path: [CChar])] = []
    /// The buffer for paths in the kernel's form, which is reused.
    private var buffer: [CChar] = []

    // MARK: Folders

    /// The maximum number of entries read of one folder: no folder of applications has more.
    private static let entriesLimit = 100_000

    /// Enters a folder if it can be opened, and returns the paths of the entries with this suffix, in byte order.
    mutating func enter(_ folder: String, listing suffix: StaticString) -> [String] {
        guard let descriptor = open(folder) else { return [] }
        let names = (try? listDirectory(descriptor, maximumCount: Self.entriesLimit, ending: suffix)) ?? []
        push(folder, descriptor)
        return names.compactMap { $0.utf8.count > suffix.utf8CodeUnitCount ? "\(folder)/\($0)" : nil }
    }

    mutating func enter(_ folder: String) {
        if let descriptor = open(folder) { push(folder, descriptor) }
    }

    private mutating func open(_ folder: String) -> OwnedDescriptor? {
        let raw = withPath(folder) { openat($0, $1, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        return raw < 0 ? nil : OwnedDescriptor(owning: raw)
    }

    private mutating func push(_ folder: String, _ descriptor: consuming OwnedDescriptor) {
        folders.append(
            (SharedDescriptor(descriptor), folder.utf8CString.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))]))
    }

    /// Whether the folder that was entered last is this one.
    func hasEntered(_ folder: String) -> Bool {
        folder.withBytes { folder in
            guard let last = folders.last?.path, last.count == folder.count + 1 else { return false }
            return memcmp(last, folder.baseAddress!, folder.count) == 0
        }
    }

    /// Leaves the folders that were entered after the first `count`.
    mutating func leave(to count: Int) { folders.removeLast(folders.count - count) }

    /// The number of folders that are entered now.
    var depth: Int { folders.count }

    // MARK: Files

    /// Returns the stamp of the file `leaf` in a folder, or of `path` itself. It follows links.
    mutating func stamp(of path: String, _ leaf: StaticString = "") -> FileStamp {
        withPath(path, leaf) { FileStamp(at: $0, $1) }
    }

    /// Reads a regular file and returns its contents, with its stamp from before the read.
    mutating func read(
        _ path: String, _ leaf: StaticString = "", maximumSize: Int
    ) throws(SystemError) -> (bytes: [UInt8], stamp: FileStamp) {
        // `O_NONBLOCK` keeps the open of a FIFO from blocking.
        let raw = withPath(path, leaf) { openat($0, $1, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
        guard raw >= 0 else { throw SystemError("open") }
        let descriptor = OwnedDescriptor(owning: raw)
        var status = stat()
        guard fstat(descriptor.raw, &status) == 0 else { throw SystemError("fstat") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError("read", code: EINVAL) }
        let bytes = try readFile(descriptor.raw, expecting: Int(status.st_size), maximumSize: maximumSize)
        return (bytes, FileStamp(status))
    }

    /// Returns the stamp of a program directly in a bundle.
    ///
    /// Nil means that something may keep the program from running, so the caller examines it closely.
    mutating func program(_ bundle: String, _ name: String) -> FileStamp? {
        withPath(bundle, "/", name) { folder, path in
            var status = stat()
            // The name contains no slash, so a regular file found without following a link lies in the bundle.
            guard fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_mode & 0o111 != 0, faccessat(folder, path, X_OK, 0) == 0
            else { return nil }
            return FileStamp(status)
        }
    }

    private mutating func withPath<Value>(
        _ path: String, _ leaf: StaticString = "", _ name: String = "", _ body: (Int32, UnsafePointer<CChar>) -> Value
    ) -> Value {
        buffer.removeAll(keepingCapacity: true)
        path.withCString { buffer.append(contentsOf: UnsafeBufferPointer(start: $0, count: path.utf8.count)) }
        let characters = UnsafeRawPointer(leaf.utf8Start).assumingMemoryBound(to: CChar.self)
        buffer.append(contentsOf: UnsafeBufferPointer(start: characters, count: leaf.utf8CodeUnitCount))
        name.withCString { buffer.append(contentsOf: UnsafeBufferPointer(start: $0, count: name.utf8.count + 1)) }
        return buffer.withUnsafeBufferPointer { buffer in
            let start = buffer.baseAddress!
            for folder in folders.reversed() where folder.path.count < buffer.count {
                if memcmp(folder.path, start, folder.path.count) == 0 {
                    return body(folder.descriptor.raw, start + folder.path.count)
                }
            }
            return body(AT_FDCWD, start)
        }
    }
}
