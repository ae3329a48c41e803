// WatchStream: the event log on its way to one watcher, at the watcher's pace.

import EventLog
import EventLoop
import ExtensionProtocol
import PropertyListCoding

/// Sends events in batches.
///
/// The stream has a position in the ring and no queue of its own. A slow watcher sees an explicit gap when the ring has
/// moved past its position.
@HostActor
final class WatchStream {
    private static let batchLimit = 32

    private let log: EventLog
    private let peer: Peer
    private let scope: AccessScope
    private lazy var pace = StreamScheduler(to: peer) { [weak self] in self?.sendNext() ?? false }
    private var position: Int
    private let follows: Bool
    private var caughtUp: (@HostActor () -> Void)?
    private var following: EventLog.Following?

    init(_ message: Watch, log: EventLog, peer: Peer, scope: AccessScope, caughtUp: @escaping @HostActor () -> Void) {
        self.log = log
        self.peer = peer
        self.scope = scope
        self.caughtUp = caughtUp
        follows = message.follow
        position = message.since.map { min(max(0, $0), log.lastSequence) } ?? log.lastSequence
        if follows { following = log.follow { [weak self] _ in self?.schedule() } }
        schedule()
    }

    isolated deinit {
        if let following { log.unfollow(following) }
    }

    var isBehind: Bool { pace.isBehind }

    /// Schedules the next batch. Events of one turn of the loop travel together.
    func schedule() { pace.schedule() }

    /// Returns as many events as a packet holds; the log's own limit on an event keeps a single one within it.
    private func fitting(_ events: [EventRecord]) -> [EventRecord] {
        var size = 0
        let fit = events.prefix { event in
            size += (try? event.wire.encodeBinary().count) ?? 0
            return size <= PacketLimits.body / 2
        }
        return fit.isEmpty ? Array(events.prefix(1)) : Array(fit)
    }

    private func sendNext() -> Bool {
        let lost = position + 1 < log.oldestSequence
        let (seen, last) = log.events(after: position, limit: Self.batchLimit) { owner in
            switch owner {
            case .everybody: true
            case .user(let user): scope.includes(user)
            case .nobody: scope.isEverything
            }
        }
        guard last > position else {
            caughtUp?()
            caughtUp = nil
            return false
        }
        let events = fitting(seen)
        if lost || !events.isEmpty { peer.send(EventBatch(events: events, oldest: lost ? log.oldestSequence : nil)) }
        // Events that did not fit come with the next batch.
        position = events.count < seen.count ? events.last?.sequence ?? last : last
        return true
    }
}
