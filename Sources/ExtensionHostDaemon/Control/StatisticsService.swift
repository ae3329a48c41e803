// StatisticsService: the daemon's figures for whoever asks.

import EventLoop
import ExtensionConnection
import ExtensionProtocol

extension ControlService {
    /// Of the system's daemon they are of all its users.
    func tellStatistics(_ packet: Packet) {
        guard reach.isEverything else {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .notPermitted, "the figures of the system's daemon are of all its users, and for root",
                    remedy: "Ask as root, or a daemon of your own: exthostctl --user stats"))
        }
        peer.reply(packet, engine.figures.report(in: engine))
    }
}
