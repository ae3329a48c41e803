// RefusedPeers: refused connections as events: a limited number for each process, and the count of the others.

import EventLog
import EventLoop
import ExtensionProtocol

/// Logs refused connections within an allowance.
///
/// A process that is refused continuously thus does not push others' events out of the log.
@HostActor
final class RefusedPeers {
    /// Events of one process at once, and events a second from then on.
    nonisolated static let (burst, rate) = (100, 10.0)
    /// The delay before the omitted refusals are logged. It is real time, like the allowance.
    private static let pause = Duration.seconds(1)
    /// The number of processes that are counted separately.
    private static let mostKnown = 1024

    private let log: EventLog
    private let metrics: Metrics
    private let clock: RealClock
    private var allowances: [Int: Allowance] = [:]
    private var leftOut: [Int: Int] = [:]
    private var deadline: Deadline?

    init(log: EventLog, metrics: Metrics, clock: RealClock) {
        (self.log, self.metrics, self.clock) = (log, metrics, clock)
    }

    /// Counts a refusal, and logs it if the allowance of the process permits.
    ///
    /// - Parameter pid: the process of the peer; 0: no particular process.
    func note(_ pid: Int32, cause: Cause? = nil, _ detail: String) {
        metrics.refusedPeer()
        let now = clock.now
        var process = Int(pid)
        if allowances[process] == nil, allowances.count >= Self.mostKnown {
            allowances = allowances.filter { !$0.value.isFull(at: now) }
            // All other processes share one allowance.
            if allowances.count >= Self.mostKnown { process = 0 }
        }
        let isTold = allowances[process, default: Allowance(burst: Self.burst, rate: Self.rate, at: now)].take(at: now)
        if isTold {
            log.append(.peerRefused, pid: pid == 0 ? nil : Int(pid), cause: cause, detail: detail)
            return
        }
        leftOut[process, default: 0] += 1
        guard deadline == nil else { return }
        deadline = clock.schedule(after: Self.pause) { [weak self] in self?.tell() }
    }

    private func tell() {
        deadline = nil
        for (process, count) in leftOut.sorted(by: { $0.key < $1.key }) {
            log.append(
                .peerRefused, pid: process == 0 ? nil : process,
                detail: "the daemon refused \(count) more connections, without a line for each")
        }
        leftOut = [:]
    }
}
