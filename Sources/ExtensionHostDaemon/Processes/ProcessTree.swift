// ProcessTree: the processes below another one.

import LinuxSystem

enum ProcessTree {
    /// Returns `root` and its descendants by `/proc/PID/task/TID/children` (proc(5)), at most `limit`.
    ///
    /// A process that starts or ends meanwhile may be missed. A caller that may miss none has to stop the tree first.
    static func processes(below root: Int32, limit: Int) -> [Int32] {
        var found = [root]
        var next = 0
        while next < found.count, found.count < limit {
            let pid = found[next]
            next += 1
            for thread in (try? listDirectory("/proc/\(pid)/task", maximumCount: 65_536)) ?? [] {
                guard let text = try? readFile("/proc/\(pid)/task/\(thread)/children", maximumSize: 64 * 1024) else {
                    continue
                }
                found += String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
            }
        }
        return Array(found.prefix(limit))
    }

    /// Whether every thread of the tree has stopped, except those of the init around it.
    ///
    /// Each thread acts upon a stop in its own time (signal(7)): when the first has stopped, another may still take a
    /// lock.
    static func standsStill(below root: Int32, program: Int32) -> Bool {
        processes(below: root, limit: 256).allSatisfy { pid in
            if pid == root, root != program { return true }
            let threads = (try? listDirectory("/proc/\(pid)/task", maximumCount: 65_536)) ?? []
            return threads.allSatisfy { thread in
                state("/proc/\(pid)/task/\(thread)/stat").map { "TtZXx".utf8.contains($0) } ?? true
            }
        }
    }

    /// Whether a thread sleeps where no signal wakes it (state D of proc(5)).
    static func isUninterruptible(_ thread: Int32) -> Bool { state("/proc/\(thread)/stat") == UInt8(ascii: "D") }

    /// Returns the state of a thread: the first word after the name, which may contain any byte (proc(5)); nil for a
    /// thread that has ended.
    private static func state(_ path: String) -> UInt8? {
        guard let bytes = try? readFile(path, maximumSize: 4096) else { return nil }
        return bytes.lastIndex(of: UInt8(ascii: ")")).flatMap { $0 + 2 < bytes.count ? bytes[$0 + 2] : nil }
    }
}
