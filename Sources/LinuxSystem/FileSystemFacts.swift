// FileSystemFacts: the file system of a path, and the actions that it allows (proc_pid_mountinfo(5), statvfs(3)).

internal import Glibc

/// A mounted file system.
public struct FileSystemFacts: Sendable, Hashable {
    public let mountPoint: String
    /// The kernel's name of the type: `ext4`, `tmpfs`, `nfs4`, `fuse.sshfs`.
    public let type: String
    public let isReadOnly: Bool
    /// Whether it is mounted with `noexec`: no program on it can be run.
    public let forbidsExecution: Bool

    /// Finds the file system of an existing path, links followed.
    ///
    /// - Throws: `ENOENT` and the other errors of realpath(3); `ENODATA` if `/proc` does not list it.
    public init(of path: String) throws(SystemError) {
        guard let resolved = realpath(path, nil) else { throw SystemError("realpath") }
        defer { free(resolved) }
        let real = String(cString: resolved)
        // The longest mount point on the path counts; of several at one place the last mounted is on top.
        let candidates = try Self.all().filter { mount in
            mount.mountPoint == "/" || real == mount.mountPoint || real.hasPrefix(mount.mountPoint + "/")
        }
        guard let length = candidates.map(\.mountPoint.utf8.count).max(),
            let mount = candidates.last(where: { $0.mountPoint.utf8.count == length })
        else { throw SystemError("mountinfo", code: ENODATA) }
        self = mount
    }

    /// Returns all file systems that this process sees, in the order in which they were mounted.
    static func all() throws(SystemError) -> [FileSystemFacts] {
        let text = try readFile("/proc/self/mountinfo", maximumSize: 4 << 20)
        return text.split(separator: UInt8(ascii: "\n")).compactMap {
            FileSystemFacts(line: String(decoding: $0, as: UTF8.self))
        }
    }

    /// Reads a line of the form `36 35 98:0 /root /mount/point rw,noexec shared:1 - ext4 /dev/sda rw`.
    init?(line: String) {
        let fields = line.split(separator: " ")
        guard fields.count > 9, let dash = fields.firstIndex(of: "-"), dash + 3 < fields.count else { return nil }
        mountPoint = Self.unescaped(fields[4])
        type = String(fields[dash + 1])
        let options = fields[5].split(separator: ",") + fields[dash + 3].split(separator: ",")
        isReadOnly = options.contains("ro")
        forbidsExecution = options.contains("noexec")
    }

    /// Returns the text with its escapes replaced: `/proc` writes spaces and the like as `\040`.
    private static func unescaped(_ text: Substring) -> String {
        guard text.contains("\\") else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether another machine stores it: locks and changes of its files are not what they are here.
    public var isRemote: Bool {
        ["nfs", "cifs", "smb", "9p", "afs", "ceph", "gluster", "lustre", "fuse.sshfs", "virtiofs"].contains {
            type.hasPrefix($0)
        }
    }

    /// Whether its contents are lost when the machine loses power.
    public var isInMemory: Bool { type == "tmpfs" || type == "ramfs" }
}

/// The free space of a file system for this user.
public struct FreeSpace: Sendable, Hashable {
    public let bytes: Int
    /// The number of files that can still be made; nil if the file system does not count them.
    public let files: Int?

    /// Reads the free space of the file system of a path (statvfs(3)).
    public init(at path: String) throws(SystemError) {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { throw SystemError("statvfs") }
        bytes = Int(
            clamping: UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue)
        files = facts.f_files == 0 ? nil : Int(clamping: facts.f_favail)
    }
}
