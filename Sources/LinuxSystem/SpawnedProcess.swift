// SpawnedProcess: a child of ours, by the pidfd the kernel made with it.

internal import CLinux
internal import Glibc

/// A process that `spawn(_:)` started. Dropping the value closes its descriptors and neither ends nor reaps the process.
public struct SpawnedProcess: ~Copyable, Sendable {
    /// What `signalTree` reaches.
    public enum Enclosure: Sendable, Hashable {
        case session
        case processNamespace
        case guardian
    }

    /// The child's number, or that of the init or guardian around it; it stays theirs until `reap()` has returned an ending.
    public let pid: Int32
    /// Readable once the process has ended; in an enclosure, once every process in it has.
    public let pidfd: OwnedDescriptor
    /// When it started, in clock ticks since boot; 0 when `/proc` did not say.
    public let startTime: UInt64
    public let enclosure: Enclosure
    /// Where init or guardian report; readable when `startedProgram()` may be known.
    public let report: SharedDescriptor?
    /// Whether somebody else is to reap it.
    private let isAdopted: Bool

    /// Also for a process found again after a restart, whose descriptors a store kept.
    public init(
        pid: Int32, pidfd: consuming OwnedDescriptor, enclosure: Enclosure, report: SharedDescriptor?, startTime: UInt64? = nil,
        isAdopted: Bool = false
    ) {
        self.isAdopted = isAdopted
        self.pid = pid
        self.pidfd = pidfd
        self.enclosure = enclosure
        self.report = report
        self.startTime = startTime ?? ((try? ProcessDescriptor.startTime(of: pid)) ?? 0)
    }

    /// Sends a signal meant for the program: the init passes SIGTERM on, and no other. `false` when the process is gone.
    @discardableResult
    public borrowing func signal(_ number: Int32) throws(SystemError) -> Bool {
        try ProcessDescriptor.signal(pidfd.raw, number)
    }

    /// Signals all that the enclosure holds. In a session that is the process group, whose leader must not be reaped yet. Elsewhere
    /// SIGKILL, SIGSTOP and SIGCONT reach every process, SIGTERM the program; other signals reach nobody.
    /// `false` when nobody is left.
    @discardableResult
    public borrowing func signalTree(_ number: Int32) throws(SystemError) -> Bool {
        switch (enclosure, number) {
        case (.session, _): return try ProcessDescriptor.signalGroup(pidfd.raw, pid: pid, number)
        // SIGSTOP would stop the init alone; it stops the others when told by SIGTSTP.
        case (_, SIGSTOP): return try ProcessDescriptor.signal(pidfd.raw, SIGTSTP)
        // SIGKILL would end the guardian alone. It may have been stopped by those whom it guards.
        case (.guardian, SIGKILL):
            guard try ProcessDescriptor.signal(pidfd.raw, SIGQUIT) else { return false }
            return try ProcessDescriptor.signal(pidfd.raw, SIGCONT)
        default: return try ProcessDescriptor.signal(pidfd.raw, number)
        }
    }

    /// The program itself; `nil` in an enclosure until its init has started it, and once it has been told.
    public borrowing func startedProgram() -> StartedProgram? {
        guard let report else { return StartedProgram(pid: pid, pidfd: nil) }
        var raw: Int32 = -1
        let found = exthost_receive_starter(report.raw, &raw)
        let pidfd = raw >= 0 ? SharedDescriptor(owning: raw) : nil
        return found > 0 ? StartedProgram(pid: found, pidfd: pidfd) : nil
    }

    /// Signals the program alone, whatever encloses it. `false` when it is gone.
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
        // The number may be another's by now; a child of the init is no stranger.
        guard (try? ProcessDescriptor.parent(of: program.pid)) == pid else { return false }
        return try ProcessDescriptor.signal(pidfd.raw, number)
    }

    /// What the confined program was refused, the next that is not read yet; `nil` when there is none now. `report` is readable when there may be one.
    /// To be asked after `startedProgram()` has answered, whose note comes first, and until `nil` before `reap()`.
    public borrowing func nextDenial() -> Denial? {
        guard let report, case .denial(let denial) = Denial.next(from: report.raw) else { return nil }
        return denial
    }

    /// One that was found again after a restart may be dead and wait for its parent, whoever that is.
    private borrowing func isUnreaped() -> Bool {
        var entry = pollfd(fd: pidfd.raw, events: Int16(POLLIN), revents: 0)
        return isAdopted && poll(&entry, 1, 0) > 0
    }

    /// How the program ended; `nil` while the process runs. Reaps it: call `signalTree` before, not after. Never waits.
    ///
    /// - Parameter isFinal: of a process that is somebody else's to reap, and is dead, while neither its init has told how nor the kernel does
    ///   before its parent knows: whether that is `.unknown` now. Otherwise it is `nil`: to be asked again at the pidfd's hang-up.
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

/// The program in an enclosure, or the process itself where there is none.
public struct StartedProgram: Sendable {
    /// As this process sees it.
    public let pid: Int32
    /// Of a program under a guardian: it is nobody's child whom this process could ask any more, should it kill its guardian.
    let pidfd: SharedDescriptor?

    init(pid: Int32, pidfd: SharedDescriptor?) { (self.pid, self.pidfd) = (pid, pidfd) }

    /// One in a pid namespace whose start somebody else was told of.
    public init(pid: Int32) { self.init(pid: pid, pidfd: nil) }

    /// Signals the process group of a program that has lost its guardian; elsewhere nobody, as `signalTree` reaches all.
    /// Before Linux 6.9 only as long as the program has not been reaped: its pid, which is the group's number, is its own until then.
    /// `false` when nobody is left, or nobody can be reached.
    @discardableResult
    public func signalGroup(_ number: Int32) throws(SystemError) -> Bool {
        guard let pidfd else { return false }
        return try ProcessDescriptor.signalGroup(pidfd.raw, pid: pid, number)
    }
}

/// What `exthost-init` wrote before it exited; its main.c describes the bytes. It is left where it is: should this process die before it has told
/// anybody, whoever holds the socket after it learns the same. The init's own status says nothing of the program's.
struct InitReport {
    let status: ExitStatus
    let peakMemory: Int64?

    /// `nil` when the init was killed before it could report. Called once the init is gone.
    init?(readingFrom descriptor: Int32) {
        var bytes: (Int32, Int32, Int32) = (0, 0, 0)
        var count = 0
        var goesOn = false
        // The note that the program starts may still be there, before the report.
        repeat {
            // The whole length of a longer packet, too: notices of refusals that nobody has asked for.
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

    /// The steps of confinement (confine.h), and that after them.
    private static func step(_ number: Int32) -> String {
        switch number {
        case 0: "execve"
        case 1: "confinement by policy"
        case 2: "confinement by namespaces"
        case 3: "confinement by namespaces, a /proc of its own"
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
