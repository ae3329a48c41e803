// DenialWatch: reads what exthost-init reports of a confined extension's refusals.

import EventLog
import EventLoop
import ExtensionProtocol
import LinuxSystem

/// The reader of one confined process's refusals. It ends with the process.
@HostActor
final class DenialWatch {
    private let report: OwnedDescriptor
    private let pidfd: OwnedDescriptor
    private var source: IOSource?
    private var exitSource: IOSource?
    var onDenial: (@HostActor (Denial) -> Void)?
    /// Called after each turn that the loop gave to the reading.
    var onTurn: (@HostActor () -> Void)?

    /// Refusals read before the loop serves others, and how long that may take altogether: a refusal costs what its
    /// path makes of it.
    private static let refusalsPerTurn = 32
    private static let longestTurn = Duration.microseconds(200)

    /// Whether the last reading left something in the socket. The loop gives another turn for it.
    private(set) var hasMore = false

    /// - Parameters:
    ///   - report: where the init writes. Second descriptors of it and of the pidfd are watched, because others watch the first.
    ///   - share: the turns of the process.
    init(_ report: SharedDescriptor, pidfd: borrowing OwnedDescriptor, share: TurnShare) throws {
        self.report = try report.duplicate()
        self.pidfd = try pidfd.duplicate()
        // Before the reaping, which waits for what is not read yet.
        exitSource = try EventLoop.shared.watchProcessExit(pidfd: self.pidfd.raw, priority: .important) { [weak self] in
            self?.takeTurn()
        }
        source = try EventLoop.shared.watch(descriptor: self.report.raw, for: .readable, share: share) { [weak self] _ in
            self?.takeTurn()
        }
    }

    // Before the descriptors are closed, which are others' as well.
    isolated deinit {
        source?.cancel()
        exitSource?.cancel()
    }

    private func takeTurn() {
        read()
        onTurn?()
    }

    /// Reads what waits, within the bounds of a turn. `hasMore` says whether that was all.
    func read() {
        hasMore = false
        let start = ContinuousClock.now
        for _ in 0..<Self.refusalsPerTurn {
            switch Denial.next(from: report.raw) {
            case .denial(let denial): onDenial?(denial)
            case .nothing, .start: return
            case .ending:
                // For the code that reaps: it stays there until then, and would wake the loop again and again.
                source = nil
                return
            }
            if ContinuousClock.now - start >= Self.longestTurn { break }
        }
        // Only what is there gets another turn.
        hasMore = Denial.isAnythingThere(on: report.raw)
    }
}
