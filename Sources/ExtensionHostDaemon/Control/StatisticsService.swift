// StatisticsService: the daemon's figures for whoever asks.

import EventLoop
import ExtensionConnection
import ExtensionProtocol

extension ControlService {
    /// Of the system's daemon they are of all its users.
    func statistics(_: GetStatistics) throws(ExtensionHostError) -> Statistics {
        guard scope.isEverything else {
            throw ExtensionHostError(
                .notPermitted, "the figures of the system's daemon are of all its users, and for root",
                remedy: "Ask as root, or a daemon of your own: exthostctl --user stats")
        }
        return context.metrics.report(in: engine)
    }
}
