// DenialWatch: reads what exthost-init tells of a confined extension's refusals.

import EventLog
import EventLoop
import ExtensionProtocol
import LinuxSystem

/// One of each confined process. Ends with it.
@HostActor
final class DenialWatch {
    private let report: OwnedDescriptor
    private let pidfd: OwnedDescriptor
    private var source: IOSource?
    private var exitSource: IOSource?
    var tell: (@HostActor (Denial) -> Void)?

    /// More refusals than these no socket holds: so many are what had been told when the reading began.
    private static let mostWaiting = 1024
    /// Refusals read before the loop serves others.
    private static let refusalsPerTurn = 32

    /// - Parameters:
    ///   - report: where the init writes. Second descriptors of it and of the pidfd are watched, because others watch the first.
    ///   - share: the turns of the process.
    init(_ report: SharedDescriptor, pidfd: borrowing OwnedDescriptor, share: TurnShare) throws {
        self.report = try report.duplicate()
        self.pidfd = try pidfd.duplicate()
        // Before the reaping, which passes over what is not read yet.
        exitSource = try EventLoop.shared.watchProcessExit(pidfd: self.pidfd.raw, priority: .important) { [weak self] in
            self?.read()
        }
        source = try EventLoop.shared.watch(descriptor: self.report.raw, for: .readable, share: share) { [weak self] _ in
            self?.read(atMost: Self.refusalsPerTurn)
        }
    }

    // Before the descriptors are closed, which are others' as well.
    isolated deinit {
        source?.cancel()
        exitSource?.cancel()
    }

    /// What waits now. A process that is refused something without a pause does not keep the loop here.
    func read() { read(atMost: Self.mostWaiting) }

    private func read(atMost limit: Int) {
        for _ in 0..<limit {
            switch Denial.next(from: report.raw) {
            case .denial(let denial): tell?(denial)
            case .nothing, .start: return
            case .ending:
                // For whoever reaps; it stays there until then, and would wake us again and again.
                source = nil
                return
            }
        }
    }
}
