// Metrics: the counters and measurements of the daemon, for exthostctl stats.

import EventLoop
import ExtensionConnection
import ExtensionProtocol

/// Counters and histograms since the daemon's start.
///
/// An update takes a few additions, and no allocation once a cause has been seen. Gauges of the present state are made
/// on demand.
@HostActor
final class Metrics {
    private(set) var requests: [Cause: Int] = [:]
    private(set) var deaths: [Cause: Int] = [:]
    private(set) var warm = 0
    private(set) var cold = 0
    private(set) var failedLaunches = 0
    private(set) var sent = Window(packets: 0, bytes: 0)
    private(set) var received = Window(packets: 0, bytes: 0)
    private(set) var refusedAccesses = 0
    private(set) var refusedPeers = 0
    private(set) var delivery = (warm: Histogram(), cold: Histogram())
    private(set) var end = Histogram()
    private(set) var launch = Histogram()
    private(set) var acknowledgement = Histogram()

    nonisolated init() {}

    /// Counts a request that got a process.
    func served(isWarm: Bool) {
        if isWarm { warm += 1 } else { cold += 1 }
    }

    func couldNotLaunch() { failedLaunches += 1 }

    func delivered(after nanoseconds: UInt64, isWarm: Bool) {
        if isWarm { delivery.warm.add(nanoseconds) } else { delivery.cold.add(nanoseconds) }
    }

    func finished(_ cause: Cause, after nanoseconds: UInt64) {
        requests[cause, default: 0] += 1
        end.add(nanoseconds)
    }

    func acknowledged(after nanoseconds: UInt64) { acknowledgement.add(nanoseconds) }

    /// Records the time until a process said hello.
    func ready(after nanoseconds: UInt64) { launch.add(nanoseconds) }

    func died(_ cause: Cause) { deaths[cause, default: 0] += 1 }

    func refusedAccess() { refusedAccesses += 1 }

    func refusedPeer() { refusedPeers += 1 }

    func sent(_ now: Window, since before: Window) {
        sent.packets += now.packets - before.packets
        sent.bytes += now.bytes - before.bytes
    }

    func received(_ cost: Window) {
        received.packets += cost.packets
        received.bytes += cost.bytes
    }
}
