// HeldLock: a file lock that a process holds, found in the kernel's own table.

import Glibc
import LinuxSystem

/// One lock on a file below a folder.
struct HeldLock: Sendable, Hashable, CustomStringConvertible {
    let path: String
    /// As the kernel names it: `POSIX WRITE`, `FLOCK READ`, `OFDLCK WRITE`, `LEASE …`.
    let type: String
    let pid: Int32

    var description: String { "\(type) on \(path) by process \(pid)" }

    /// Processes of one tree, and descriptors of one process, that are looked at.
    private static let processLimit = 256
    private static let descriptorLimit = 65_536

    /// The first lock that a process below `root`, itself included, holds on a file below `folder`.
    ///
    /// By `/proc/PID/fdinfo`, which shows the entries of the lock table (proc(5), `/proc/locks`) beside the descriptor that they belong
    /// to, also those of open file descriptions, for which the table itself names no process.
    static func find(inTreeOf root: Int32, below folder: String) -> HeldLock? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard realpath(folder, &path) != nil else { return nil }
        let prefix = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/"
        for pid in ProcessTree.processes(below: root, limit: processLimit) {
            if let lock = find(in: pid, prefix) { return lock }
        }
        return nil
    }

    private static func find(in pid: Int32, _ prefix: String) -> HeldLock? {
        guard let entries = try? listDirectory("/proc/\(pid)/fd", maximumCount: descriptorLimit) else { return nil }
        for entry in entries {
            guard let target = linkTarget("/proc/\(pid)/fd/\(entry)"), target.hasPrefix(prefix),
                let information = try? readFile("/proc/\(pid)/fdinfo/\(entry)", maximumSize: 16 * 1024)
            else { continue }
            // "lock:\t1: POSIX  ADVISORY  WRITE 4242 08:01:1234 0 EOF"
            for line in String(decoding: information, as: UTF8.self).split(separator: "\n") where line.hasPrefix("lock:") {
                let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
                guard words.count > 4 else { continue }
                return HeldLock(path: target, type: "\(words[2]) \(words[4])", pid: pid)
            }
        }
        return nil
    }

    private static func linkTarget(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
