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

    /// - Parameters:
    ///   - report: where the init writes. Second descriptors of it and of the pidfd are watched, because others watch the first.
    init(_ report: SharedDescriptor, pidfd: borrowing OwnedDescriptor) throws {
        self.report = try report.duplicate()
        self.pidfd = try pidfd.duplicate()
        // Before the reaping, which passes over what is not read yet.
        exitSource = try EventLoop.shared.watchProcessExit(pidfd: self.pidfd.raw, priority: .important) { [weak self] in
            self?.read()
        }
        source = try EventLoop.shared.watch(descriptor: self.report.raw, for: .readable) { [weak self] _ in self?.read() }
    }

    // Before the descriptors are closed, which are others' as well.
    isolated deinit {
        source?.cancel()
        exitSource?.cancel()
    }

    /// What waits now.
    func read() {
        while true {
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
