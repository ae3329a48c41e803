// ProcessEnd: the facts about a process's end, from the first decision to the certificate; pure.

import ExtensionProtocol
import LinuxSystem

/// The facts about the end of a process: the decider, the reason, the open work, and the status from the kernel.
struct ProcessEnd: Sendable {
    private(set) var decidedBy = Self.undecided
    private static let undecided = "extension"
    /// The reason in the words of the decider; `DeathExplanation` writes the others.
    private(set) var why: ExtensionHostError?
    private(set) var status = ExitStatus.unknown
    /// The work that was open at the end.
    private(set) var work = OpenWork()
    private var peakMemory: Int64?

    /// The number of loads that a certificate names: it must fit into a packet.
    private static let loadsShown = 16

    /// Records the decision to end the process. Only the first decision counts.
    mutating func decide(by decider: String, why: ExtensionHostError? = nil) {
        guard decidedBy == Self.undecided else { return }
        (decidedBy, self.why) = (decider, why)
    }

    /// Records that the daemon ends the process for a reason that its state machine has found.
    mutating func daemonActs() {
        if decidedBy == Self.undecided { decidedBy = "daemon" }
    }

    /// Records the open work when the end of the process ends its requests.
    mutating func found(_ work: OpenWork) { self.work = work }

    mutating func reaped(_ ending: ProcessEnding) {
        (status, peakMemory) = (ending.status, ending.peakMemory)
    }

    /// Whether the kernel says that it wrote a core.
    var hasDumped: Bool {
        if case .signalled(_, let hasDumped) = status { hasDumped } else { false }
    }

    /// Returns the record of the exit, without its limits.
    func exit(_ cause: Cause, didExpire: Bool) -> ExitRecord {
        var exit = ExitRecord(
            status: nil, signal: nil, cause: cause, peakMemory: peakMemory.map(Int.init), expired: didExpire)
        switch status {
        case .exited(let code): exit.status = Int(code)
        case .signalled(let signal, _): exit.signal = Int(signal)
        case .notStarted, .unknown: break
        }
        return exit
    }

    /// Returns the record for the death certificate, without the tail of standard error.
    func record(_ exit: ExitRecord, of identifier: String, pid: Int, time: Int) -> DeathRecord {
        DeathRecord(
            extensionIdentifier: identifier, pid: pid, exit: exit, decidedBy: decidedBy, requests: work.requests,
            loads: Array(work.loads.prefix(Self.loadsShown)), stderrTail: "", time: time)
    }

    /// Returns the text for the log:
    /// `signal 9 (Killed), decided by daemon, peak 70254592 bytes of 67108864; request 1B…`.
    ///
    /// - Parameter isMeasured: whether to include figures that differ from run to run.
    func summary(_ exit: ExitRecord, isMeasured: Bool = true) -> String {
        var text = "\(status.summary), decided by \(decidedBy)"
        if isMeasured || exit.cause == .memoryLimit, let peak = exit.peakMemory {
            text += ", peak \(peak) bytes" + (exit.memoryLimit.map { " of \($0)" } ?? "")
        }
        return work.requests.isEmpty ? text : "\(text); \(work.summary)"
    }
}
