// FileLook: what stat(2) says of a path, in the words of people.

import Glibc

struct FileLook: Sendable {
    let owner: uid_t
    /// Permissions, without the kind.
    let mode: mode_t
    private let format: mode_t

    /// nil where nothing is. A link in the last place is followed.
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

    /// Whether others than the owner may put something in another's place there: the sticky bit keeps them from it (chmod(2)).
    var isOpenToOthers: Bool { mode & 0o022 != 0 && mode & S_ISVTX == 0 }
}
