// HeldLock: a file lock that a process holds, found in the kernel's own table.

import ExtensionProtocol
import Glibc
import LinuxSystem

/// One lock on a file below a folder.
struct HeldLock: Sendable, Hashable, CustomStringConvertible {
    let path: String
    /// As the kernel names it: `POSIX WRITE`, `FLOCK READ`, `OFDLCK WRITE`, `LEASE …`.
    let type: String
    let pid: Int32

    var description: String { "\(type) on \(path) by process \(pid)" }

    /// Whether it is the one under which the kit changes a group's shared defaults: held for a tenth of a millisecond, by no word of the
    /// author's. That somebody else takes it for longer can only be told by waiting.
    var isMomentary: Bool {
        let parts = path.split(separator: "/").suffix(4)
        guard parts.count == 4, let group = parts.first.flatMap({ try? GroupIdentifier(String($0)) }) else { return false }
        return Array(parts.dropFirst()) == (ContainerNames.preferences + [ContainerNames.defaultsLock(of: group)]).map { $0[...] }
    }

    /// Processes of one tree, and descriptors of one process, that are looked at.
    private static let processLimit = 256
    private static let descriptorLimit = 65_536

    /// The first lock that a process below `root`, itself included, holds on a file below `folder`; a momentary one only where there is
    /// no other.
    ///
    /// By `/proc/PID/fdinfo`, which shows the entries of the lock table (proc(5), `/proc/locks`) beside the descriptor that they belong
    /// to, also those of open file descriptions, for which the table itself names no process.
    ///
    /// - Parameter identity: who may look into the folder; nil: this process's user.
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

    /// In a view of its own a process has the folder under the name that it was given there, links and all, where nobody else follows them.
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
                locks.append(HeldLock(path: real + target.dropFirst(name.utf8.count), type: "\(words[2]) \(words[4])", pid: pid))
                break
            }
        }
        return locks
    }

    /// The path of a file that a process has open under a number, and the entries of that number.
    ///
    /// A running process may close the file and open another under the same number at any moment. So the daemon opens the file itself,
    /// not to be read, and asks for the path of what it has opened. The entries count if they are of the same file; if not, the number is
    /// passed over. After the stop of the tree nothing changes.
    private static func look(at entry: String, of pid: Int32, below names: [String]) -> (target: String, entries: [Substring])? {
        let link = "/proc/\(pid)/fd/\(entry)"
        // Most descriptors are of other files, and need no more than this.
        guard let first = linkTarget(link), names.contains(where: { first.hasPrefix($0 + "/") }) else { return nil }
        guard let held = try? openResolved(link), let target = linkTarget("/proc/self/fd/\(held.raw)"),
            let own = lines(ofDescriptor: "\(held.raw)", of: "self"), let entries = lines(ofDescriptor: entry, of: "\(pid)"),
            identity(own) == identity(entries)
        else { return nil }
        return (target, entries)
    }

    private static func lines(ofDescriptor entry: String, of process: String) -> [Substring]? {
        guard let bytes = try? readFile("/proc/\(process)/fdinfo/\(entry)", maximumSize: 16 * 1024) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    /// The lines by which the kernel tells which file an open file is (proc(5)): the mount, and the inode as it names it itself, which a
    /// stacked file system may name otherwise in `stat`.
    private static func identity(_ lines: [Substring]) -> [Substring] {
        lines.filter { $0.hasPrefix("mnt_id:") || $0.hasPrefix("ino:") }
    }

    /// A path without links, as `/proc` has them; nil where there is nothing.
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
