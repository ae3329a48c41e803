// ProcessStatus: whether a process is stopped, traced or exiting, and the memory it takes, by /proc.

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

    /// Whether it is on its way out, or gone: flag `PF_EXITING` of field 9 of `/proc/PID/stat` (proc(5), include/linux/sched.h).
    static func isExiting(_ pid: Int) -> Bool {
        guard let text = try? readFile("/proc/\(pid)/stat", maximumSize: 4096) else { return true }
        // The name, in brackets, may hold anything: count from the last bracket, which closes field 2.
        guard let bracket = text.lastIndex(of: UInt8(ascii: ")")) else { return false }
        let fields = text[(bracket + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 6, let flags = UInt32(String(decoding: fields[6], as: UTF8.self)) else { return false }
        return flags & 0x4 != 0
    }

    /// In bytes, from `/proc/PID/statm`; nil when the process is just going.
    static func residentMemory(of pid: Int) -> Int? {
        guard let text = try? readFile("/proc/\(pid)/statm", maximumSize: 256) else { return nil }
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * Int(getpagesize()) } : nil
    }
}
