// HeldLock: a file lock that a process holds, found in the kernel's own table.

import ExtensionProtocol
import Glibc
import LinuxSystem

/// A lock on a file below a folder.
struct HeldLock: Sendable, Hashable, CustomStringConvertible {
    let path: String
    /// The type as the kernel names it: `POSIX WRITE`, `FLOCK READ`, `OFDLCK WRITE`, `LEASE …`.
    let type: String
    let pid: Int32

    var description: String { "\(type) on \(path) by process \(pid)" }

    /// Whether the lock is the one under which the kit changes a group's shared defaults.
    ///
    /// The kit holds it for a tenth of a millisecond, without the author's doing. Only waiting shows whether other code
    /// holds it for longer.
    var isMomentary: Bool {
        let parts = path.split(separator: "/").suffix(4)
        guard parts.count == 4, let group = parts.first.flatMap({ try? GroupIdentifier(String($0)) }) else {
            return false
        }
        return Array(parts.dropFirst())
            == (ContainerNames.preferences + [ContainerNames.defaultsLock(of: group)]).map { $0[...] }
    }

    /// The most processes of a tree, and descriptors of a process, that are examined.
    private static let processLimit = 256
    private static let descriptorLimit = 65_536

    /// Returns the first lock that a process of the tree `root` holds on a file below `folder`. A momentary lock counts
    /// only if there is no other.
    ///
    /// The daemon reads `/proc/PID/fdinfo`, which shows the entries of the lock table (proc(5), `/proc/locks`) beside
    /// the descriptor that they belong to. That includes locks of open file descriptions, for which the table itself
    /// names no process.
    ///
    /// - Parameter identity: the user who may read the folder; nil: this process's user.
    static func find(inTreeOf root: Int32, below folder: String, of identity: UserIdentity? = nil) -> HeldLock? {
        guard let real = realPath(folder, of: identity) else { return nil }
        var momentary: HeldLock?
        for pid in ProcessTree.processes(below: root, limit: processLimit) {
            for lock in all(in: pid, [real, folder], real) {
                if !lock.isMomentary { return lock }
                momentary = lock
            }
        }
        return momentary
    }

    /// Returns the locks of one process on files below a folder, which it may have under one of `names`.
    ///
    /// In a view of its own a process has the folder under the name that it was given there, links included, which
    /// other processes resolve.
    private static func all(in pid: Int32, _ names: [String], _ real: String) -> [HeldLock] {
        guard let numbers = try? listDirectory("/proc/\(pid)/fd", maximumCount: descriptorLimit) else { return [] }
        var locks: [HeldLock] = []
        for number in numbers {
            guard let (target, entries) = look(at: number, of: pid, below: names),
                let name = names.first(where: { target.hasPrefix($0 + "/") })
            else { continue }
            // "lock:\t1: POSIX  ADVISORY  WRITE 4242 08:01:1234 0 EOF"
            for line in entries where line.hasPrefix("lock:") {
                let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
                guard words.count > 4 else { continue }
                locks.append(
                    HeldLock(path: real + target.dropFirst(name.utf8.count), type: "\(words[2]) \(words[4])", pid: pid))
                break
            }
        }
        return locks
    }

    /// Returns the path of a file that a process has open under a number, and the entries of that number.
    ///
    /// A running process may close the file and open another under the same number at any time. So the daemon opens the
    /// file itself, without reading it, and asks for the path of the opened file. The entries count if they are of the
    /// same file; otherwise the number is skipped. After the stop of the tree nothing changes.
    private static func look(at entry: String, of pid: Int32, below names: [String]) -> (
        target: String, entries: [Substring]
    )? {
        let link = "/proc/\(pid)/fd/\(entry)"
        // Most descriptors are of other files and end here.
        guard let first = linkTarget(link), names.contains(where: { first.hasPrefix($0 + "/") }) else { return nil }
        guard let held = try? openResolved(link), let target = linkTarget("/proc/self/fd/\(held.raw)"),
            let own = lines(ofDescriptor: "\(held.raw)", of: "self"),
            let entries = lines(ofDescriptor: entry, of: "\(pid)"),
            identity(own) == identity(entries)
        else { return nil }
        return (target, entries)
    }

    private static func lines(ofDescriptor entry: String, of process: String) -> [Substring]? {
        guard let bytes = try? readFile("/proc/\(process)/fdinfo/\(entry)", maximumSize: 16 * 1024) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    /// Returns the lines by which the kernel identifies an open file (proc(5)): the mount, and the inode by the
    /// kernel's own number.
    ///
    /// A stacked file system may give another number in `stat`.
    private static func identity(_ lines: [Substring]) -> [Substring] {
        lines.filter { $0.hasPrefix("mnt_id:") || $0.hasPrefix("ino:") }
    }

    /// Returns a path without links, as `/proc` has them; nil if the file does not exist.
    static func realPath(_ path: String, of identity: UserIdentity?) -> String? {
        guard let identity else { return realPath(path) }
        return (try? withFileAccess(of: identity) { realPath(path) })?.get() ?? nil
    }

    private static func realPath(_ path: String) -> String? {
        var real = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard realpath(path, &real) != nil else { return nil }
        return String(decoding: real.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func linkTarget(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
