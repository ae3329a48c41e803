// BundleFiles: how a walk looks at files: from the folder that it has open, by what is left of their paths.

import Glibc
import LinuxSystem

/// Paths are absolute. What lies below a folder that was entered is asked for from there, which is a shorter way for the kernel: a walk
/// over thousands of bundles consists of little else.
struct BundleFiles {
    /// Entered one below the other; each path with a slash at its end.
    private var folders: [(descriptor: SharedDescriptor, path: [CChar])] = []
    /// A path for the kernel, used again and again.
    private var buffer: [CChar] = []

    // MARK: Folders

    /// Entries of one folder beyond this many are not looked at: no folder of applications is that full.
    private static let entriesLimit = 100_000

    /// The paths of a folder's entries whose names end so, in the order of their bytes. The folder is entered, if it can be opened.
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
        folders.append((SharedDescriptor(descriptor), folder.utf8CString.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))]))
    }

    /// Whether the folder that was entered last is this one.
    func hasEntered(_ folder: String) -> Bool {
        folder.withBytes { folder in
            guard let last = folders.last?.path, last.count == folder.count + 1 else { return false }
            return memcmp(last, folder.baseAddress!, folder.count) == 0
        }
    }

    /// Leaves what was entered when there were so many folders.
    mutating func leave(to count: Int) { folders.removeLast(folders.count - count) }

    /// How many folders have been entered and not left.
    var depth: Int { folders.count }

    // MARK: Files

    /// How the file `leaf` in a folder is, or `path` itself; links are followed.
    mutating func stamp(of path: String, _ leaf: StaticString = "") -> FileStamp {
        withPath(path, leaf) { FileStamp(at: $0, $1) }
    }

    /// A regular file's contents, with how it was before they were read.
    mutating func read(
        _ path: String, _ leaf: StaticString = "", maximumSize: Int
    ) throws(SystemError) -> (bytes: [UInt8], stamp: FileStamp) {
        // A FIFO is not waited for.
        let raw = withPath(path, leaf) { openat($0, $1, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
        guard raw >= 0 else { throw SystemError("open") }
        let descriptor = OwnedDescriptor(owning: raw)
        var status = stat()
        guard fstat(descriptor.raw, &status) == 0 else { throw SystemError("fstat") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError("read", code: EINVAL) }
        let bytes = try readFile(descriptor.raw, expecting: Int(status.st_size), maximumSize: maximumSize)
        return (bytes, FileStamp(status))
    }

    /// How a program directly in a bundle is, where nothing speaks against running it; nil where something does, for a closer look.
    mutating func program(_ bundle: String, _ name: String) -> FileStamp? {
        withPath(bundle, "/", name) { folder, path in
            var status = stat()
            // Its name has no folders, so that without following a link it is a file of the bundle.
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
