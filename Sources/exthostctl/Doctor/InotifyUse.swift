// InotifyUse: a user's share of the kernel's limits on watching files, counted in /proc.

import Glibc
import LinuxSystem

struct InotifyUse {
    private(set) var instances = 0
    private(set) var watches = 0

    private static let processesLimit = 32_768
    private static let descriptorsLimit = 65_536

    /// Counts for all processes of a user that this program may inspect: its own, or for root all.
    init(of user: uid_t) {
        for pid in (try? listDirectory("/proc", maximumCount: Self.processesLimit)) ?? []
        where pid.first?.isNumber == true {
            guard FileLook("/proc/\(pid)")?.owner == user else { continue }
            for number in (try? listDirectory("/proc/\(pid)/fd", maximumCount: Self.descriptorsLimit)) ?? [] {
                guard Self.isInotify("/proc/\(pid)/fd/\(number)") else { continue }
                instances += 1
                let facts = (try? readFile("/proc/\(pid)/fdinfo/\(number)", maximumSize: 64 << 20)) ?? []
                watches += facts.split(separator: UInt8(ascii: "\n")).count { $0.starts(with: "inotify ".utf8) }
            }
        }
    }

    private static func isInotify(_ link: String) -> Bool {
        var name = [CChar](repeating: 0, count: 64)
        let count = readlink(link, &name, name.count)
        return count > 0 && name[..<count].map(UInt8.init(bitPattern:)).elementsEqual("anon_inode:inotify".utf8)
    }
}
