// StatisticsService: the daemon's metrics for its clients.

import EventLoop
import ExtensionConnection
import ExtensionProtocol

extension ControlService {
    /// Returns the metrics. Those of the system's daemon cover all its users.
    func statistics(_: GetStatistics) throws(ExtensionHostError) -> Statistics {
        guard scope.isEverything else {
            throw ExtensionHostError(
                .notPermitted, "the figures of the system's daemon are of all its users, and for root",
                remedy: "Ask as root, or a daemon of your own: exthostctl --user stats")
        }
        return context.metrics.report(in: engine)
    }
}
