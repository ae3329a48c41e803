// ProcessDescriptor: what can be asked of a process, and done to it, by its pidfd (pidfd_open(2)).

internal import CLinux
internal import Glibc

/// Calls on pidfds. They take the raw number and keep nothing; any thread may make them.
///
/// A pidfd becomes readable when the process has ended and stays so.
public enum ProcessDescriptor {
    /// Opens a pidfd for a pid. The pid may by now be another process's: compare `startTime(of:)` before trusting it.
    public static func open(_ pid: Int32) throws(SystemError) -> OwnedDescriptor {
        let raw = exthost_pidfd_open(pid)
        guard raw >= 0 else { throw SystemError("pidfd_open", code: -raw) }
        return OwnedDescriptor(owning: raw)
    }

    /// The pid behind a pidfd in this namespace's numbering; `nil` when the process is gone.
    public static func pid(of pidfd: Int32) throws(SystemError) -> Int32? {
        let pid = exthost_pidfd_pid(pidfd)
        if pid == -ESRCH { return nil }
        guard pid > 0 else { throw SystemError("pidfd", code: -pid) }
        return pid
    }

    /// Sends a signal; 0 only asks. `false` when the process is gone. A process that ended but is not reaped counts as there.
    @discardableResult
    public static func signal(_ pidfd: Int32, _ number: Int32) throws(SystemError) -> Bool {
        try check(exthost_pidfd_signal(pidfd, number))
    }

    /// Sends a signal to the process group that the process leads, `pid` being its number. `false` when the group is gone, and before
    /// Linux 6.9 also when the leader has been reaped, by whomever: until then nobody else can have its number.
    @discardableResult
    public static func signalGroup(_ pidfd: Int32, pid: Int32, _ number: Int32) throws(SystemError) -> Bool {
        let code = exthost_pidfd_signal_group(pidfd, number)
        if code != -EINVAL { return try check(code) }
        // Before Linux 6.9: by number, which the pidfd vouches for. A leader that is not our child may be reaped between the two calls;
        // to reach a stranger, its number would have to be given out again there, and numbers go round (pid_max, proc(5)).
        guard try signal(pidfd, 0) else { return false }
        if kill(-pid, number) == 0 { return true }
        return try check(-errno)
    }

    /// How the process ended; `nil` while it runs. Reaps it when it is our child, so that its pid is free from then on; later
    /// calls then answer as for a stranger.
    ///
    /// For a process that is not our child the answer comes from `PIDFD_GET_INFO`, or is `.unknown` on a kernel without it. Such
    /// a process can be dead (readable) and its status not to be had before its own parent reaps it: `nil` then; watch for the
    /// hang-up (`EPOLLHUP`) and ask again.
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
            peakMemory: result.peak_kilobytes > ownPeakKilobytes() + slackKilobytes ? result.peak_kilobytes * 1024 : nil,
            processorMicroseconds: result.cpu_microseconds < 0 ? nil : result.cpu_microseconds)
    }

    /// When the process started, in clock ticks since boot: with the pid it names a process for good (field 22 of proc(5)'s
    /// stat). It can be read until the process is reaped.
    public static func startTime(of pid: Int32) throws(SystemError) -> UInt64 { try field(22, of: pid) }

    /// The number of its parent (field 4).
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

    /// The kernel's resident counters lag by some pages a cpu.
    private static let slackKilobytes: Int64 = 1024

    private static func ownPeakKilobytes() -> Int64 {
        var usage = rusage()
        return getrusage(RUSAGE_SELF.rawValue, &usage) == 0 ? Int64(usage.ru_maxrss) : .max - slackKilobytes
    }
}
