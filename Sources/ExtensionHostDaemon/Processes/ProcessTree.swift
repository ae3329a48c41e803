// ProcessTree: the processes below another one.

import LinuxSystem

enum ProcessTree {
    /// `root` and its descendants by `/proc/PID/task/TID/children` (proc(5)), at most `limit`. One that comes or goes meanwhile may
    /// be missed; where nothing may be, the tree has to stand still.
    static func processes(below root: Int32, limit: Int) -> [Int32] {
        var found = [root]
        var next = 0
        while next < found.count, found.count < limit {
            let pid = found[next]
            next += 1
            for thread in (try? listDirectory("/proc/\(pid)/task", maximumCount: 65_536)) ?? [] {
                guard let text = try? readFile("/proc/\(pid)/task/\(thread)/children", maximumSize: 64 * 1024) else { continue }
                found += String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
            }
        }
        return Array(found.prefix(limit))
    }
}
