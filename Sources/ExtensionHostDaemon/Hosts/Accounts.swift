// Accounts: the names of users from the one file that can be read without blocking.

import Glibc
import LinuxSystem

enum Accounts {
    /// The maximum bytes of the list of users.
    private static let longestList = 1 << 20

    /// Returns the name of an account of `/etc/passwd` (passwd(5)).
    ///
    /// Accounts that a server manages have no name here, because the query could take any time.
    static func name(of uid: UInt32, in file: String = "/etc/passwd") -> String? {
        guard let bytes = try? readFile(file, maximumSize: longestList) else { return nil }
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
            guard fields.count == 4, UInt32(String(decoding: fields[2], as: UTF8.self)) == uid, !fields[0].isEmpty,
                fields[0].allSatisfy({ $0 > 0x20 && $0 < 0x7f })
            else { continue }
            return String(decoding: fields[0], as: UTF8.self)
        }
        return nil
    }
}
