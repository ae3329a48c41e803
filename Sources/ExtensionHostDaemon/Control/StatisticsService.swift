// StatisticsService: the daemon's metrics for its clients.

import EventLoop
import ExtensionConnection
import ExtensionProtocol

extension ControlService {
    /// Returns the metrics. Those of the system's daemon cover all its users.
    func statistics(_: GetStatistics) throws(ExtensionHostError) -> Statistics {
        guard scope.isEverything else {
            throw ExtensionHostError(
                .notPermitted, "the metrics of the system's daemon cover all its users, and only root may read them",
                remedy: "Ask as root, or use a daemon of your own: exthostctl --user stats")
        }
        return context.metrics.report(in: engine)
    }
}
