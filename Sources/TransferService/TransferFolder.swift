// TransferFolder: the parts and bodies of the service, and the finished files in the containers.

internal import Glibc
internal import LinuxDescriptors
internal import LinuxSystem

/// The service's folder, which no extension sees.
struct TransferFolder {
    let path: String
    private static let mostNames = 1_000_000
    /// The path of finished files in a container.
    static let finished = ["Library", "Caches", "exthost-downloads"]
    static func finishedPath(_ token: String) -> String { (finished + [finishedName(token)]).joined(separator: "/") }
    static func finishedName(_ token: String) -> String { "\(token).download" }

    /// The largest body of an upload that is copied before its task is added, in bytes.
    private static let mostCopied = 32 << 20

    init(path: String) throws(SystemError) {
        self.path = path
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir") }
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

    /// Stores the body of an upload beyond the life of its descriptor: by a link, or as a copy if it is small.
    ///
    /// Returns false if neither is possible. A link fails for a descriptor of another mount namespace (link(2), EXDEV).
    func keepBody(_ token: String, _ raw: Int32) -> Bool {
        if linkat(AT_FDCWD, "/proc/self/fd/\(raw)", AT_FDCWD, body(token), AT_SYMLINK_FOLLOW) == 0 { return true }
        guard let size = try? FileStatus(of: raw).size, size <= Self.mostCopied,
            let copy = try? createFile(body(token))
        else { return false }
        if let copied = try? copyFile(from: raw, to: copy.raw, size: size), copied == size, fsync(copy.raw) == 0 {
            return true
        }
        unlink(body(token))
        return false
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
    func finish(_ token: String, in container: String) throws(SystemError) -> OwnedDescriptor {
        let folder = try Self.openFinished(container, makes: true)
        guard renameat(AT_FDCWD, part(token), folder.raw, Self.finishedName(token)) == 0 else {
            throw SystemError("rename")
        }
        return folder
    }

    /// The size of a finished file; nil if there is none.
    static func finishedSize(_ token: String, in container: String) -> Int? {
        guard let folder = try? openFinished(container, makes: false) else { return nil }
        var status = stat()
        guard fstatat(folder.raw, finishedName(token), &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return Int(status.st_size)
    }

    static func removeFinished(_ token: String, in container: String) {
        guard let folder = try? openFinished(container, makes: false) else { return }
        unlinkat(folder.raw, finishedName(token), 0)
    }

    /// Deletes the finished files of all other tokens.
    static func sweepFinished(in container: String, except tokens: Set<String>) {
        guard let folder = try? openFinished(container, makes: false),
            let names = try? listDirectory(folder, maximumCount: mostNames, ending: ".download")
        else { return }
        for name in names where !tokens.contains(String(name.dropLast(".download".count))) {
            unlinkat(folder.raw, name, 0)
        }
    }

    private static func openFinished(_ container: String, makes: Bool) throws(SystemError) -> OwnedDescriptor {
        var folder = try openDirectory(container)
        for name in finished {
            if makes, mkdirat(folder.raw, name, 0o700) != 0, errno != EEXIST { throw SystemError("mkdir") }
            let raw = openat(folder.raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard raw >= 0 else { throw SystemError("open") }
            folder = OwnedDescriptor(owning: raw)
        }
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
