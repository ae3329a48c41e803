// ProcessStatus: the state of a process by /proc: stopped, traced or exiting, and the memory that it takes.

import Glibc
import LinuxSystem

/// The state of a process from `/proc/PID/status` (proc(5)).
struct ProcessStatus: Sendable {
    let isStopped: Bool
    let isTraced: Bool

    /// Reads the state; nil when the process is gone.
    init?(of pid: Int) {
        guard let bytes = try? readFile("/proc/\(pid)/status", maximumSize: 16 * 1024) else { return nil }
        isStopped = Self.first(of: "\nState:\t", in: bytes) == UInt8(ascii: "T")
        isTraced = Self.first(of: "\nTracerPid:\t", in: bytes).map { $0 != UInt8(ascii: "0") } ?? false
    }

    /// Returns the byte after a name. Each deadline that passes calls this, so it does not split the text.
    private static func first(of name: StaticString, in bytes: [UInt8]) -> UInt8? {
        bytes.withUnsafeBytes { text in
            let length = name.utf8CodeUnitCount
            guard var place = text.baseAddress else { return nil }
            let end = place + text.count
            while let line = memchr(place, 10, end - place), end - UnsafeRawPointer(line) > length {
                if memcmp(line, name.utf8Start, length) == 0 {
                    return line.load(fromByteOffset: length, as: UInt8.self)
                }
                place = UnsafeRawPointer(line) + 1
            }
            return nil
        }
    }

    /// Whether all threads of the process are exiting or gone.
    ///
    /// The first thread may have ended, by `pthread_exit` as in `dispatchMain()`, while the others live on.
    static func isExiting(_ pid: Int) -> Bool {
        guard hasExitingThread("/proc/\(pid)") else { return false }
        let threads = (try? listDirectory("/proc/\(pid)/task", maximumCount: 1 << 16)) ?? []
        return threads.allSatisfy { hasExitingThread("/proc/\(pid)/task/\($0)") }
    }

    /// Whether a thread has the flag `PF_EXITING` in field 9 of its `stat` (proc(5), include/linux/sched.h); true when
    /// it is gone.
    private static func hasExitingThread(_ folder: String) -> Bool {
        guard let text = try? readFile(folder + "/stat", maximumSize: 4096) else { return true }
        // The name in brackets may contain any byte: fields count from the last bracket, which closes field 2.
        guard let bracket = text.lastIndex(of: UInt8(ascii: ")")) else { return false }
        let fields = text[(bracket + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 6, let flags = UInt32(String(decoding: fields[6], as: UTF8.self)) else { return false }
        return flags & 0x4 != 0
    }

    /// Returns the resident memory in bytes, from `/proc/PID/statm`; nil when the process is gone.
    static func residentMemory(of pid: Int) -> Int? {
        guard let text = try? readFile("/proc/\(pid)/statm", maximumSize: 256) else { return nil }
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * Int(getpagesize()) } : nil
    }
}
