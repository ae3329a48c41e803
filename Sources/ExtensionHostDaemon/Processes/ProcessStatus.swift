// ProcessStatus: whether a process is stopped or traced, and the memory it takes, by /proc.

import Glibc
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

    /// In bytes, from `/proc/PID/statm`; nil when the process is just going.
    static func residentMemory(of pid: Int) -> Int? {
        guard let text = try? readFile("/proc/\(pid)/statm", maximumSize: 256) else { return nil }
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * Int(getpagesize()) } : nil
    }
}
