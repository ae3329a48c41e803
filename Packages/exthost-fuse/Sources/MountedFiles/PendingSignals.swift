// PendingSignals: whether a process is about to end by a signal.

import Glibc

/// The signals that wait for a process whose operation the kernel interrupts.
///
/// A handled signal must not fail the operation: on a plain folder no open(2) or stat(2) fails with EINTR, and programs
/// such as git, which has a timer, do not expect it. A signal that ends the process must not wait for the provider.
enum PendingSignals {
    /// Whether a pending signal ends the thread with this id. True for a thread that is gone, false for an unknown one.
    static func end(_ thread: pid_t) -> Bool {
        // The process is in another pid namespace.
        guard thread > 0 else { return false }
        let file = open("/proc/\(thread)/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return errno == ENOENT }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return count < 0 && errno == ESRCH }
        return end(String(decoding: bytes.prefix(count), as: UTF8.self))
    }

    /// Whether a pending signal in the text of `/proc/PID/status` ends the process.
    static func end(_ status: String) -> Bool {
        var masks: [Substring: UInt64] = [:]
        for line in status.split(separator: "\n") where line.hasPrefix("Sig") || line.hasPrefix("Shd") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            masks[parts[0]] = UInt64(parts[1].drop { $0 == "\t" || $0 == " " }, radix: 16)
        }
        let pending = (masks["SigPnd"] ?? 0) | (masks["ShdPnd"] ?? 0)
        let kept = (masks["SigBlk"] ?? 0) | (masks["SigIgn"] ?? 0) | (masks["SigCgt"] ?? 0)
        // By default these do not end a process.
        let harmless = [SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU]
            .reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }
        return pending & ~kept & ~harmless != 0
    }
}
