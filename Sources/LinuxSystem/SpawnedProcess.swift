// SpawnedProcess: a child of this process, by the pidfd that the kernel made with it.

internal import CLinux
internal import Glibc

/// A process that `spawn(_:)` started.
///
/// Dropping the value closes its descriptors and neither ends nor reaps the process.
public struct SpawnedProcess: ~Copyable, Sendable {
    /// The processes that `signalTree` reaches.
    public enum Enclosure: Sendable, Hashable {
        case session
        case processNamespace
        case guardian
    }

    /// The pid of the child, or of the init or guardian around it; it stays valid until `reap()` has returned an
    /// ending.
    public let pid: Int32
    /// The pidfd, readable once the process has ended; in an enclosure, once every process in it has.
    public let pidfd: OwnedDescriptor
    /// The start time in clock ticks since boot; 0 if `/proc` did not report it.
    public let startTime: UInt64
    public let enclosure: Enclosure
    /// The socket on which the init or guardian reports; readable when `startedProgram()` may be known.
    public let report: SharedDescriptor?
    /// Whether another process must reap it.
    private let isAdopted: Bool

    /// Makes the value, also for a process adopted after a restart, whose descriptors a store held.
    public init(
        pid: Int32, pidfd: consuming OwnedDescriptor, enclosure: Enclosure, report: SharedDescriptor?,
        startTime: UInt64? = nil,
        isAdopted: Bool = false
    ) {
        self.isAdopted = isAdopted
        self.pid = pid
        self.pidfd = pidfd
        self.enclosure = enclosure
        self.report = report
        self.startTime = startTime ?? ((try? ProcessDescriptor.startTime(of: pid)) ?? 0)
    }

    /// Sends a signal to the program: the init passes on SIGTERM only. Returns `false` if the process is gone.
    @discardableResult
    public borrowing func signal(_ number: Int32) throws(SystemError) -> Bool {
        try ProcessDescriptor.signal(pidfd.raw, number)
    }

    /// Signals all processes of the enclosure; returns `false` if none is left.
    ///
    /// In a session that is the process group, whose leader must not be reaped yet. In other enclosures SIGKILL,
    /// SIGSTOP and SIGCONT reach every process, SIGTERM reaches the program, and other signals reach no process.
    @discardableResult
    public borrowing func signalTree(_ number: Int32) throws(SystemError) -> Bool {
        switch (enclosure, number) {
        case (.session, _): return try ProcessDescriptor.signalGroup(pidfd.raw, pid: pid, number)
        // SIGSTOP would stop the init alone; on SIGTSTP it stops the others.
        case (_, SIGSTOP): return try ProcessDescriptor.signal(pidfd.raw, SIGTSTP)
        // SIGKILL would end the guardian alone. Its own descendants may have stopped it.
        case (.guardian, SIGKILL):
            guard try ProcessDescriptor.signal(pidfd.raw, SIGQUIT) else { return false }
            return try ProcessDescriptor.signal(pidfd.raw, SIGCONT)
        default: return try ProcessDescriptor.signal(pidfd.raw, number)
        }
    }

    /// Returns the program itself; in an enclosure `nil` until its init has started it, and after the first answer.
    public borrowing func startedProgram() -> StartedProgram? {
        guard let report else { return StartedProgram(pid: pid, pidfd: nil) }
        var raw: Int32 = -1
        let found = exthost_receive_starter(report.raw, &raw)
        let pidfd = raw >= 0 ? SharedDescriptor(owning: raw) : nil
        return found > 0 ? StartedProgram(pid: found, pidfd: pidfd) : nil
    }

    /// Signals the program alone, whatever encloses it. Returns `false` if it is gone.
    @discardableResult
    public borrowing func signal(_ program: StartedProgram, _ number: Int32) throws(SystemError) -> Bool {
        if report == nil { return try signal(number) }
        if let pidfd = program.pidfd { return try ProcessDescriptor.signal(pidfd.raw, number) }
        let pidfd: OwnedDescriptor
        do {
            pidfd = try ProcessDescriptor.open(program.pid)
        } catch {
            if error.code == ESRCH { return false }
            throw error
        }
        // The number may have been reused by now; a child of the init is no stranger.
        guard (try? ProcessDescriptor.parent(of: program.pid)) == pid else { return false }
        return try ProcessDescriptor.signal(pidfd.raw, number)
    }

    /// Returns the next unread refusal of the confined program; `nil` if there is none now.
    ///
    /// `report` is readable if there may be one.
    ///
    /// Call it after `startedProgram()` has answered, whose note comes first, and until it returns `nil` before
    /// `reap()`.
    public borrowing func nextDenial() -> Denial? {
        guard let report, case .denial(let denial) = Denial.next(from: report.raw) else { return nil }
        return denial
    }

    /// Whether the process has ended unreaped.
    ///
    /// One adopted after a restart may be dead and wait for its parent, whoever that is.
    private borrowing func isUnreaped() -> Bool {
        var entry = pollfd(fd: pidfd.raw, events: Int16(POLLIN), revents: 0)
        return isAdopted && poll(&entry, 1, 0) > 0
    }

    /// Returns how the program ended; `nil` while the process runs.
    ///
    /// Reaps it: call `signalTree` before, not after. Never waits.
    ///
    /// - Parameter isFinal: whether to return `.unknown` for a dead process that another process must reap, and whose
    ///   ending is not known yet. Its init has not reported the ending, and the kernel does so only after its parent
    ///   has reaped it. If false, the result is `nil`: call again at the pidfd's hang-up.
    public borrowing func reap(isFinal: Bool = true) throws(SystemError) -> ProcessEnding? {
        let known = try ProcessDescriptor.ending(of: pidfd.raw)
        guard known != nil || isUnreaped() else { return nil }
        if let report, let told = InitReport(readingFrom: report.raw) {
            return ProcessEnding(
                status: told.status, peakMemory: told.peakMemory, processorMicroseconds: known?.processorMicroseconds)
        }
        return known ?? (isFinal ? ProcessEnding(status: .unknown) : nil)
    }
}

/// The program in an enclosure, or the process itself if there is none.
public struct StartedProgram: Sendable {
    /// The pid as this process sees it.
    public let pid: Int32
    /// The pidfd of a program under a guardian.
    ///
    /// If the program kills its guardian, no parent that this process could ask is left.
    let pidfd: SharedDescriptor?

    init(pid: Int32, pidfd: SharedDescriptor?) { (self.pid, self.pidfd) = (pid, pidfd) }

    /// Makes a program in a pid namespace whose start was reported to another process.
    public init(pid: Int32) { self.init(pid: pid, pidfd: nil) }

    /// Signals the process group of a program that has lost its guardian; otherwise no process, as `signalTree` reaches
    /// all.
    ///
    /// Before Linux 6.9 it works only until the program has been reaped: its pid, which is the group's number, is its
    /// own until then. Returns `false` if no process is left or can be reached.
    @discardableResult
    public func signalGroup(_ number: Int32) throws(SystemError) -> Bool {
        guard let pidfd else { return false }
        return try ProcessDescriptor.signalGroup(pidfd.raw, pid: pid, number)
    }
}

/// The report that `exthost-init` wrote before it exited; its main.c describes the bytes.
///
/// Reading leaves the report in the socket: if this process dies before passing it on, the next holder of the socket
/// reads the same. The init's own status says nothing about the program's.
struct InitReport {
    let status: ExitStatus
    let peakMemory: Int64?

    /// Reads the report; `nil` if the init was killed before it could report. Call it once the init is gone.
    init?(readingFrom descriptor: Int32) {
        var bytes: (Int32, Int32, Int32) = (0, 0, 0)
        var count = 0
        var goesOn = false
        // The note that the program starts may still be there, before the report.
        repeat {
            // The count is the whole length of a longer packet, too: notices of refusals that were not read.
            count = withUnsafeMutableBytes(of: &bytes) {
                recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT) | Int32(MSG_TRUNC))
            }
            let isAnother = count > 0 && count != 4 && count != 12
            if isAnother { recv(descriptor, nil, 0, Int32(MSG_DONTWAIT)) }
            goesOn = isAnother || count < 0 && errno == EINTR
        } while goesOn
        guard count >= 4 else { return nil }
        if bytes.0 < 0 {
            status = .notStarted(SystemError(Self.step(-bytes.0 / 4096), code: -bytes.0 % 4096))
            peakMemory = nil
        } else {
            status = ExitStatus(waitStatus: bytes.0)
            let kilobytes = Int64(UInt32(bitPattern: bytes.1)) | Int64(bytes.2) << 32
            peakMemory = count == 12 ? kilobytes * 1024 : nil
        }
    }

    /// Returns the name of a step of confinement (confine.h), or of the one after them.
    private static func step(_ number: Int32) -> String {
        switch number {
        case 0: "execve"
        case 1: "confinement by policy"
        case 2: "confinement by namespaces"
        case 3: "confinement by namespaces, its own /proc"
        case 4: "confinement by namespaces, the working directory"
        case 5: "confinement by landlock"
        case 6: "confinement by giving up privileges"
        case 7: "confinement by seccomp"
        case 8: "setgroups"
        case 9: "setresgid"
        case 10: "setresuid"
        case 11: "giving up the right to change users"
        default: "confinement"
        }
    }
}
