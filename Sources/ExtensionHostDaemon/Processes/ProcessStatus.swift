// ProcessStatus: whether a process is stopped, and whether a debugger is attached to it.

import LinuxSystem

/// From `/proc/PID/status` (proc(5)).
struct ProcessStatus: Sendable {
    let isStopped: Bool
    let isTraced: Bool

    /// Nil when the process is gone.
    init?(of pid: Int) {
        guard let bytes = try? readFile("/proc/\(pid)/status", maximumSize: 16 * 1024) else { return nil }
        var (state, tracer): (Substring?, Substring?)
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("State:\t") { state = line.dropFirst(7) }
            if line.hasPrefix("TracerPid:\t") { tracer = line.dropFirst(11) }
        }
        isStopped = state?.first == "T"
        isTraced = tracer.map { $0 != "0" } ?? false
    }
}
