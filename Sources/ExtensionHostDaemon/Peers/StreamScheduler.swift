// StreamScheduler: the turns of a stream of entries: one batch at the end of a turn of the loop, while the peer takes
// it.

import EventLoop

/// Requests batches from a stream, in turn with other streams, until as many packets wait for the peer as may.
///
/// Entries of one turn of the loop travel together.
///
/// After each batch, and a few of other streams, the loop serves others. Neither a peer that reads as fast as it is
/// sent to nor many of them keep anybody waiting.
@HostActor
final class StreamScheduler {
    /// The maximum number of packets on the way.
    private static let packetsAhead = 4
    /// The maximum number of batches in one turn of the loop, for all streams. A batch takes up to 0.1 ms.
    private static let batchesATurn = 2

    /// The streams that continue, in order of their turns.
    private static var line: [StreamScheduler] = []
    private static var hasTurn = false

    /// The peer of the stream.
    ///
    /// The reference is strong, because sending may close the peer, and its other owners go with it.
    private let peer: Peer
    /// Sends one batch; returns false if there is none for now.
    private let sendNext: @HostActor () -> Bool
    private var isScheduled = false
    private var ranDry = true
    private var isPumping = false

    init(to peer: Peer, sendNext: @escaping @HostActor () -> Bool) {
        self.peer = peer
        self.sendNext = sendNext
    }

    /// Whether the stream has more to send: the peer must read first, or the batch leaves at the end of this turn.
    var isBehind: Bool { isScheduled || !ranDry }

    /// Schedules the next batch, because entries have arrived or the peer has read. Repeated calls are harmless.
    func schedule() {
        guard !isScheduled, !isPumping else { return }
        isScheduled = true
        Self.line.append(self)
        Self.takeTurn()
    }

    private static func takeTurn() {
        guard !hasTurn else { return }
        hasTurn = true
        EventLoop.shared.atEndOfIteration {
            hasTurn = false
            let streams = line.prefix(batchesATurn)
            line.removeFirst(streams.count)
            for stream in streams {
                stream.isScheduled = false
                stream.pump()
            }
            if !line.isEmpty { takeTurn() }
        }
    }

    private func pump() {
        ranDry = false
        guard peer.queuedPackets < Self.packetsAhead, !peer.isClosed else { return }
        isPumping = true
        ranDry = !sendNext()
        isPumping = false
        if !ranDry { schedule() }
    }
}
