// StoreFile: a property list in a container, such as a group's shared defaults, read and replaced as a whole.

internal import ExtensionWire
internal import Glibc
internal import LinuxDescriptors
package import PropertyListCoding

/// The values that were read, and the identity of their file.
package struct StorePicture: Sendable {
    package var values: PropertyListDictionary
    /// The identity of the file; nil if there was no file.
    let identity: FileIdentity?
    /// The open file. It stays open so that no other file gets its inode number (FileIdentity).
    let file: SharedDescriptor?

    static let empty = StorePicture(values: [:], identity: nil, file: nil)
}

/// A property list in a container that processes share, such as the file of a group's shared defaults.
///
/// Any of these processes may access it at the same time, or be killed between two calls.
///
/// The container's own path may have links. Below it no link is followed: another member of the group may not lead this
/// process to a file elsewhere.
package struct StoreFile: Sendable {
    package let container: String
    package let path: String
    private let folders: [String]
    private let name: String
    private let newName: String
    private let lockName: String
    private let patience: Int

    init(of group: GroupIdentifier, container: String) {
        self.container = container
        folders = ContainerNames.preferences
        name = ContainerNames.defaults(of: group)
        newName = ContainerNames.newDefaults(of: group)
        lockName = ContainerNames.defaultsLock(of: group)
        path = ([container] + ContainerNames.preferences + [name]).joined(separator: "/")
        patience = Self.patience
    }

    /// Names another file.
    ///
    /// - Parameters:
    ///   - name: the file; `.NAME.new` and `.NAME.lock` lie beside it.
    ///   - folders: the folders of the container that lead to it, outermost first.
    ///   - container: the path of the container.
    ///   - patience: the seconds to wait for the lock of another process.
    package init(_ name: String, in folders: [String], of container: String, patience: Int) {
        self.container = container
        self.folders = folders
        self.name = name
        newName = ".\(name).new"
        lockName = ".\(name).lock"
        path = ([container] + folders + [name]).joined(separator: "/")
        self.patience = patience
    }

    /// The folder that holds the file.
    var folderPath: String { ([container] + folders).joined(separator: "/") }

    /// Returns the identity of the file. It is the one call that each read makes.
    func identity() throws(StoreError) -> FileIdentity? {
        do throws(SystemError) { return try FileIdentity(at: path) } catch { throw .system(error, path: path) }
    }

    // MARK: Reading

    /// Reads the file; a file that is not there has no values.
    package func read() throws(StoreError) -> StorePicture {
        guard let folder = try folder(making: false) else { return .empty }
        let raw = openat(folder.raw, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if raw < 0 {
            let error = SystemError("open")
            switch error.code {
            case ENOENT: return .empty
            case ELOOP, ENXIO: throw .damaged(path: path, reason: "it is not a regular file")
            default: throw .system(error, path: path)
            }
        }
        return try picture(OwnedDescriptor(owning: raw))
    }

    private func picture(_ file: consuming OwnedDescriptor) throws(StoreError) -> StorePicture {
        let bytes: [UInt8]
        let identity: FileIdentity
        do throws(SystemError) {
            guard try FileStatus(of: file.raw).isRegular else { throw SystemError("read", code: EINVAL) }
            // The identity is read first. A write by a foreign process in the meantime then changes the identity at the
            // next check.
            identity = try FileIdentity(of: file.raw)
            bytes = try readFile(file, maximumSize: PropertyListLimits.file.bytes)
        } catch {
            switch error.code {
            case EINVAL, EISDIR: throw .damaged(path: path, reason: "it is not a regular file")
            case EFBIG: throw .damaged(path: path, reason: "it is larger than \(PropertyListLimits.file.bytes) bytes")
            default: throw .system(error, path: path)
            }
        }
        let values: PropertyListDictionary?
        do throws(PropertyListError) {
            values = try PropertyList(file: bytes, limits: .file).dictionary
        } catch {
            throw .damaged(path: path, reason: "\(error)")
        }
        guard let values else { throw .damaged(path: path, reason: "it is not a dictionary") }
        return StorePicture(values: values, identity: identity, file: SharedDescriptor(file))
    }

    // MARK: Changing; the caller has the lock

    /// Replaces the file.
    ///
    /// If the process is killed, either the old or the new file is there, whole; after a failure the old one is.
    ///
    /// - Parameters:
    ///   - values: the values of the new file.
    ///   - durably: whether the same holds after a loss of power: the new file is on the disk before it has the name.
    @discardableResult package func replace(
        with values: PropertyListDictionary, durably: Bool = false
    ) throws(StoreError) -> StorePicture {
        let bytes = try Self.bytes(of: values)
        guard let folder = try folder(making: true) else {
            throw .system(SystemError("open", code: ENOENT), path: folderPath)
        }
        // A process that was killed may have left its own.
        _ = unlinkat(folder.raw, newName, 0)
        let raw = openat(folder.raw, newName, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard raw >= 0 else { throw .system(SystemError("open"), path: "\(folderPath)/\(newName)") }
        let file = OwnedDescriptor(owning: raw)
        do throws(SystemError) {
            let status: Result<Void, SystemError> = bytes.withUnsafeBytes { bytes in
                do throws(SystemError) { return .success(try write(bytes, to: raw)) } catch { return .failure(error) }
            }
            try status.get()
            guard !durably || fdatasync(raw) == 0 else { throw SystemError("fdatasync") }
            guard renameat(folder.raw, newName, folder.raw, name) == 0 else { throw SystemError("rename") }
            // The rename has changed the file's change time.
            let identity = try FileIdentity(of: raw)
            return StorePicture(values: values, identity: identity, file: SharedDescriptor(file))
        } catch {
            _ = unlinkat(folder.raw, newName, 0)
            throw .system(error, path: path)
        }
    }

    /// Returns the bytes of a file with these values; throws `tooMuch` if it could not be read again.
    @discardableResult package static func bytes(of values: PropertyListDictionary) throws(StoreError) -> [UInt8] {
        do throws(PropertyListError) {
            let bytes = try PropertyList.dictionary(values).encodeBinary()
            _ = try PropertyList(binary: bytes, limits: .file)
            return bytes
        } catch {
            throw .tooMuch(error)
        }
    }

    /// Removes the file, if it is there, and writes its folder to the disk.
    package func remove() throws(StoreError) {
        guard let folder = try folder(making: false) else { return }
        guard unlinkat(folder.raw, name, 0) == 0 || errno == ENOENT else {
            throw .system(SystemError("unlink"), path: path)
        }
        guard fsync(folder.raw) == 0 else { throw .system(SystemError("fsync"), path: folderPath) }
    }

    /// Whether the file is there.
    package var exists: Bool { access(path, F_OK) == 0 }

    /// Renames the file; returns the new name.
    func setAside() throws(StoreError) -> String {
        guard let folder = try folder(making: false) else { return name }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        // The name is never that of an older one: two in one second have different names.
        for number in 0..<100 {
            let other = "\(name).damaged-\(now.tv_sec)" + (number == 0 ? "" : "-\(number)")
            if faccessat(folder.raw, other, F_OK, AT_SYMLINK_NOFOLLOW) == 0 { continue }
            guard renameat(folder.raw, name, folder.raw, other) == 0 || errno == ENOENT else {
                throw .system(SystemError("rename"), path: path)
            }
            return other
        }
        throw .system(SystemError("rename", code: EEXIST), path: path)
    }

    /// Writes the file and its folder's entry to the disk.
    package func synchronize(_ picture: StorePicture) throws(StoreError) {
        guard let file = picture.file else { return }
        guard fdatasync(file.raw) == 0 else { throw .system(SystemError("fdatasync"), path: path) }
        guard let folder = try folder(making: false) else { return }
        guard fsync(folder.raw) == 0 else { throw .system(SystemError("fsync"), path: folderPath) }
    }

    // MARK: The lock

    /// The seconds to wait for the lock of another process. A process holds it for a tenth of a millisecond.
    static let patience = 10

    /// Runs `body` while no other process changes the file.
    ///
    /// The lock's file is never replaced. If somebody removes it, the process that locked the old one notices.
    ///
    /// - Parameters:
    ///   - start: the monotonic time at which the wait began, for a caller of several locks; nil: now.
    ///   - body: runs with the lock.
    package func withLock<Result>(
        since start: UInt64? = nil, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let began = start ?? SystemClock.monotonicNanoseconds()
        while true {
            guard let folder = try folder(making: true) else {
                throw .system(SystemError("open", code: ENOENT), path: folderPath)
            }
            let raw = openat(folder.raw, lockName, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
            guard raw >= 0 else { throw .system(SystemError("open"), path: "\(folderPath)/\(lockName)") }
            let file = OwnedDescriptor(owning: raw)
            try wait(for: ContainerNames.waitingByte, of: file, since: began)
            try wait(for: ContainerNames.changingByte, of: file, since: began)
            unlockOpenFile(file.raw, byte: ContainerNames.waitingByte)
            defer { unlockOpenFile(file.raw, byte: ContainerNames.changingByte) }
            if isNamed(file, in: folder) { return try body() }
        }
    }

    /// Polls for the lock: a wait in the kernel could not be bounded without a signal.
    private func wait(for byte: Int, of file: borrowing OwnedDescriptor, since began: UInt64) throws(StoreError) {
        var pause = 20_000
        while true {
            do throws(SystemError) {
                if try lockOpenFile(file.raw, byte: byte) { return }
            } catch {
                throw .system(error, path: "\(folderPath)/\(lockName)")
            }
            guard SystemClock.monotonicNanoseconds() - began < UInt64(patience) * 1_000_000_000 else {
                throw .locked(path: "\(folderPath)/\(lockName)", seconds: patience)
            }
            var time = timespec(tv_sec: 0, tv_nsec: pause)
            nanosleep(&time, nil)
            pause = min(pause * 3 / 2, 1_000_000)
        }
    }

    private func isNamed(_ file: borrowing OwnedDescriptor, in folder: borrowing OwnedDescriptor) -> Bool {
        var named = stat()
        var own = stat()
        guard fstatat(folder.raw, lockName, &named, AT_SYMLINK_NOFOLLOW) == 0, fstat(file.raw, &own) == 0 else {
            return false
        }
        return named.st_dev == own.st_dev && named.st_ino == own.st_ino
    }

    // MARK: Folders

    func makeFolders() { _ = try? folder(making: true) }

    /// Opens the folder of the file; returns nil if it is not there and `making` is false.
    private func folder(making: Bool) throws(StoreError) -> OwnedDescriptor? {
        if making { _ = mkdir(container, 0o700) }
        var raw = open(container, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        var path = container
        for part in folders {
            guard raw >= 0 else { break }
            path += "/" + part
            let parent = OwnedDescriptor(owning: raw)
            if making { _ = mkdirat(parent.raw, part, 0o700) }
            raw = openat(parent.raw, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
        if raw >= 0 { return OwnedDescriptor(owning: raw) }
        let error = SystemError("open")
        if error.code == ENOENT, !making { return nil }
        throw .system(error, path: path)
    }
}
