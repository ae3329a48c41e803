// TransferFolder: the parts and bodies of the service, and the finished files in the containers.

internal import Glibc
internal import LinuxDescriptors
internal import LinuxSystem

/// The service's folder, which no extension sees.
final class TransferFolder {
    let path: String
    private let faults: TransferFaults
    /// The containers whose folders for finished files were synced since the service has started.
    private var syncedContainers: Set<String> = []
    private static let mostNames = 1_000_000
    /// The path of finished files in a container.
    static let finished = ["Library", "Caches", "exthost-downloads"]
    static func finishedPath(_ token: String) -> String { (finished + [finishedName(token)]).joined(separator: "/") }
    static func finishedName(_ token: String) -> String { "\(token).download" }

    init(path: String, faults: TransferFaults) throws(SystemError) {
        (self.path, self.faults) = (path, faults)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir") }
        // An earlier life may have made it without syncing its entry.
        var parent = path
        while parent.hasSuffix("/") { parent.removeLast() }
        let slash = parent.lastIndex(of: "/")
        parent = slash.map { String(parent[...$0]) } ?? "."
        let raw = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard raw >= 0 else { throw SystemError("open") }
        let folder = OwnedDescriptor(owning: raw)
        try faults.sync(folder.raw)
    }

    func part(_ token: String) -> String { "\(path)/\(token).part" }
    func body(_ token: String) -> String { "\(path)/\(token).body" }

    /// Opens a part for writing, and makes it if there is none.
    func openPart(_ token: String) throws(SystemError) -> OwnedDescriptor {
        let raw = open(part(token), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard raw >= 0 else { throw SystemError("open") }
        return OwnedDescriptor(owning: raw)
    }

    /// The size of a part; nil if there is none.
    func partSize(_ token: String) -> Int? { size(part(token)) }

    private func size(_ path: String) -> Int? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Cuts a part of a machine that was switched off to what was synced.
    func cutPart(_ token: String, to size: Int) { truncate(part(token), off_t(size)) }

    func remove(_ token: String) {
        unlink(part(token))
        unlink(body(token))
    }

    /// Syncs the entries of this folder.
    func sync() throws(SystemError) {
        let folder = try openDirectory(path)
        try faults.sync(folder.raw)
    }

    /// The free bytes of the file system.
    var freeBytes: Int {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return 0 }
        return facts.f_blocks == 0 ? Int.max : Int(facts.f_bavail) * Int(facts.f_frsize)
    }

    /// Deletes all parts and bodies of other tokens.
    func sweep(except tokens: Set<String>) throws(SystemError) {
        for name in try listDirectory(path, maximumCount: Self.mostNames) {
            for ending in [".part", ".body"] where name.hasSuffix(ending) {
                if !tokens.contains(String(name.dropLast(ending.count))) { unlink("\(path)/\(name)") }
            }
        }
    }

    /// Moves a part to its place in a container, and makes the folder. A file of that name is replaced.
    ///
    /// The owner of the container can write it: no component below it may be a symbolic link.
    func finish(_ token: String, in container: String) throws(SystemError) {
        let folder = try makeFinished(container)
        guard renameat(AT_FDCWD, part(token), folder.raw, Self.finishedName(token)) == 0 else {
            throw SystemError("rename")
        }
        faults.afterStep(.fileRenamed)
        try faults.sync(folder.raw)
        faults.afterStep(.folderSynced)
    }

    /// Syncs the place of a file that an earlier life of the service has moved, and perhaps not synced.
    func syncFinished(in container: String) throws(SystemError) {
        let folder = try makeFinished(container)
        try faults.sync(folder.raw)
        faults.afterStep(.folderSynced)
    }

    /// The size of a finished file; nil if there is none.
    ///
    /// - Throws: the reason why it cannot be known, such as `EMFILE`.
    static func finishedSize(_ token: String, in container: String) throws(SystemError) -> Int? {
        var status = stat()
        do throws(SystemError) {
            let folder = try openFinished(container)
            guard fstatat(folder.raw, finishedName(token), &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                throw SystemError("fstatat")
            }
        } catch {
            // A link or a file in place of a folder has no finished file either.
            if [ENOENT, ENOTDIR, ELOOP].contains(error.code) { return nil }
            throw error
        }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    static func removeFinished(_ token: String, in container: String) {
        guard let folder = try? openFinished(container) else { return }
        unlinkat(folder.raw, finishedName(token), 0)
    }

    /// Deletes the finished files of all other tokens.
    static func sweepFinished(in container: String, except tokens: Set<String>) {
        guard let folder = try? openFinished(container),
            let names = try? listDirectory(folder, maximumCount: mostNames, ending: ".download")
        else { return }
        for name in names where !tokens.contains(String(name.dropLast(".download".count))) {
            unlinkat(folder.raw, name, 0)
        }
    }

    private static func openFinished(_ container: String) throws(SystemError) -> OwnedDescriptor {
        var folder = try openDirectory(container)
        for name in finished { folder = try openFolder(name, in: folder.raw) }
        return folder
    }

    private static func openFolder(_ name: String, in folder: Int32) throws(SystemError) -> OwnedDescriptor {
        let raw = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard raw >= 0 else { throw SystemError("open") }
        return OwnedDescriptor(owning: raw)
    }

    /// Opens the folder of finished files, and makes it. The entry of each folder on the way is synced.
    private func makeFinished(_ container: String) throws(SystemError) -> OwnedDescriptor {
        let wasSynced = syncedContainers.contains(container)
        var folder = try openDirectory(container)
        for name in Self.finished {
            let isNew = mkdirat(folder.raw, name, 0o700) == 0
            guard isNew || errno == EEXIST else { throw SystemError("mkdir") }
            if isNew { faults.afterStep(.folderMade) }
            // Of a folder that is there, an earlier life of the service may have left the entry without a sync.
            if isNew || !wasSynced { try faults.sync(folder.raw) }
            folder = try Self.openFolder(name, in: folder.raw)
        }
        syncedContainers.insert(container)
        return folder
    }
}

/// Returns 16 hexadecimal digits that nobody can guess.
func makeToken() throws(SystemError) -> String {
    try randomBytes(8).map { byte in
        let digits = Array("0123456789abcdef")
        return String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }.joined()
}

/// Reads the identifier of the machine's present boot (random(4)).
func bootIdentifier() -> String {
    let bytes = (try? readFile("/proc/sys/kernel/random/boot_id", maximumSize: 100)) ?? []
    return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
}
