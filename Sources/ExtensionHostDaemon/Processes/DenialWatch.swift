// DenialWatch: the reader of the refusals of a confined extension, which exthost-init reports.

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
    /// The handler called after each turn of reading.
    var onTurn: (@HostActor () -> Void)?

    /// The most refusals, and the longest time, that a turn reads before the loop serves others: the cost of a refusal
    /// depends on its path.
    private static let refusalsPerTurn = 32
    private static let longestTurn = Duration.microseconds(200)

    /// Whether the last reading left something in the socket. The loop gives another turn for it.
    private(set) var hasMore = false

    /// Watches the refusals of a process.
    ///
    /// - Parameters:
    ///   - report: the descriptor to which the init writes. Duplicates of it and of the pidfd are watched, because
    ///     others watch the originals.
    ///   - share: the turns of the process.
    init(_ report: SharedDescriptor, pidfd: borrowing OwnedDescriptor, share: TurnShare) throws {
        self.report = try report.duplicate()
        self.pidfd = try pidfd.duplicate()
        // The handler runs before the reaping, which waits for unread refusals.
        exitSource = try EventLoop.shared.watchProcessExit(pidfd: self.pidfd.raw, priority: .important) { [weak self] in
            self?.takeTurn()
        }
        source = try EventLoop.shared.watch(descriptor: self.report.raw, for: .readable, share: share) {
            [weak self] _ in
            self?.takeTurn()
        }
    }

    // The sources end before the descriptors are closed, which others use as well.
    isolated deinit {
        source?.cancel()
        exitSource?.cancel()
    }

    private func takeTurn() {
        read()
        onTurn?()
    }

    /// Reads the refusals that have arrived, within the bounds of a turn. `hasMore` says whether that was all.
    func read() {
        hasMore = false
        let start = ContinuousClock.now
        for _ in 0..<Self.refusalsPerTurn {
            switch Denial.next(from: report.raw) {
            case .denial(let denial): onDenial?(denial)
            case .nothing, .start: return
            case .ending:
                // The end stays in the socket for the code that reaps, and would wake the loop again and again.
                source = nil
                return
            }
            if ContinuousClock.now - start >= Self.longestTurn { break }
        }
        // Only a refusal that has arrived gets another turn.
        hasMore = Denial.isAnythingThere(on: report.raw)
    }
}
