// FileLook: the attributes of a file (stat(2)), in words for people.

import Glibc

struct FileLook: Sendable {
    let owner: uid_t
    /// The permission bits, without the file type.
    let mode: mode_t
    private let format: mode_t

    /// Reads the attributes. Nil if there is no file. A link in the last component is followed.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        owner = status.st_uid
        mode = status.st_mode & 0o7777
        format = status.st_mode & S_IFMT
    }

    var isDirectory: Bool { format == S_IFDIR }
    var isSocket: Bool { format == S_IFSOCK }

    var kind: String {
        switch format {
        case S_IFDIR: "a folder"
        case S_IFREG: "a file"
        case S_IFSOCK: "a socket"
        case S_IFIFO: "a pipe"
        default: "a device"
        }
    }

    var modeText: String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Whether other users may replace files in this folder. The sticky bit prevents that (chmod(2)).
    var isOpenToOthers: Bool { mode & 0o022 != 0 && mode & S_ISVTX == 0 }
}
