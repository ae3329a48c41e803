// ProcessDescriptor: queries and signals of a process by its pidfd (pidfd_open(2)).

internal import CLinux
internal import Glibc

/// Calls on pidfds. They take the raw number and store nothing; any thread may make them.
///
/// A pidfd becomes readable when the process has ended and stays so.
public enum ProcessDescriptor {
    /// Opens a pidfd for a pid.
    ///
    /// The pid may already belong to another process: compare `startTime(of:)` before trusting it.
    public static func open(_ pid: Int32) throws(SystemError) -> OwnedDescriptor {
        let raw = exthost_pidfd_open(pid)
        guard raw >= 0 else { throw SystemError("pidfd_open", code: -raw) }
        return OwnedDescriptor(owning: raw)
    }

    /// Returns the pid of a pidfd in this namespace's numbering; `nil` if the process is gone.
    public static func pid(of pidfd: Int32) throws(SystemError) -> Int32? {
        let pid = exthost_pidfd_pid(pidfd)
        if pid == -ESRCH { return nil }
        guard pid > 0 else { throw SystemError("pidfd", code: -pid) }
        return pid
    }

    /// Sends a signal; 0 only checks.
    ///
    /// Returns `false` if the process is gone. An ended but unreaped process counts as there.
    @discardableResult
    public static func signal(_ pidfd: Int32, _ number: Int32) throws(SystemError) -> Bool {
        try check(exthost_pidfd_signal(pidfd, number))
    }

    /// Sends a signal to the process group that the process leads; `pid` is its number.
    ///
    /// Returns `false` if the group is gone, and before Linux 6.9 also if the leader has been reaped by any process.
    /// Until then no other process can have its number.
    @discardableResult
    public static func signalGroup(_ pidfd: Int32, pid: Int32, _ number: Int32) throws(SystemError) -> Bool {
        let code = exthost_pidfd_signal_group(pidfd, number)
        if code != -EINVAL { return try check(code) }
        // Before Linux 6.9 the signal goes to the number, after a check of the pidfd. A leader that is not our child
        // may be reaped between the two calls. A stranger would be hit only if its number was reused in that time, and
        // numbers are reused last (pid_max, proc(5)).
        guard try signal(pidfd, 0) else { return false }
        if kill(-pid, number) == 0 { return true }
        return try check(-errno)
    }

    /// Returns how the process ended; `nil` while it runs.
    ///
    /// It reaps the process if it is our child: its pid is free from then on, and later calls treat it as a stranger.
    ///
    /// For a process that is not our child the answer comes from `PIDFD_GET_INFO`, or is `.unknown` on a kernel without
    /// it. Such a process can be dead (readable) while its status is unavailable until its own parent reaps it. The
    /// result is `nil` then: wait for the hang-up (`EPOLLHUP`) and call again.
    public static func ending(of pidfd: Int32) throws(SystemError) -> ProcessEnding? {
        var result = exthost_ended()
        var call = "waitid"
        var code = exthost_reap(pidfd, &result)
        if code == -ECHILD {
            call = "poll"
            code = exthost_inspect(pidfd, &result)
        }
        guard code == 0 else { throw SystemError(call, code: -code) }
        guard result.ended else { return nil }
        return ProcessEnding(
            status: result.status_known ? ExitStatus(waitStatus: result.status) : .unknown,
            peakMemory: result.peak_kilobytes > ownPeakKilobytes() + slackKilobytes
                ? result.peak_kilobytes * 1024 : nil,
            processorMicroseconds: result.cpu_microseconds < 0 ? nil : result.cpu_microseconds)
    }

    /// Returns the start time in clock ticks since boot (field 22 of proc(5)'s stat).
    ///
    /// With the pid it identifies a process forever. It can be read until the process is reaped.
    public static func startTime(of pid: Int32) throws(SystemError) -> UInt64 { try field(22, of: pid) }

    /// Returns the pid of its parent (field 4).
    static func parent(of pid: Int32) throws(SystemError) -> Int32 { Int32(clamping: try field(4, of: pid)) }

    private static func field(_ number: Int, of pid: Int32) throws(SystemError) -> UInt64 {
        let text = try readFile("/proc/\(pid)/stat", maximumSize: 4096)
        // The name, in brackets, may hold anything: count from the last bracket, which closes field 2.
        guard let bracket = text.lastIndex(of: UInt8(ascii: ")")) else { throw SystemError("read", code: EBADMSG) }
        let fields = text[(bracket + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > number - 3, let value = UInt64(String(decoding: fields[number - 3], as: UTF8.self)) else {
            throw SystemError("read", code: EBADMSG)
        }
        return value
    }

    private static func check(_ code: Int32) throws(SystemError) -> Bool {
        if code == -ESRCH { return false }
        guard code == 0 else { throw SystemError("pidfd_send_signal", code: -code) }
        return true
    }

    /// The error of the kernel's resident counters, which lag by some pages per processor.
    private static let slackKilobytes: Int64 = 1024

    private static func ownPeakKilobytes() -> Int64 {
        var usage = rusage()
        return getrusage(RUSAGE_SELF.rawValue, &usage) == 0 ? Int64(usage.ru_maxrss) : .max - slackKilobytes
    }
}
