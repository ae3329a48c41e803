// StreamScheduler: when a stream of entries goes on to its peer: a batch at the end of a turn of the loop, as far as
// the peer takes it, and after the streams that asked before it.

import EventLoop

/// Calls for batches, what came in one turn of the loop together, until as many packets wait for the peer as may. After
/// each batch, and a few of other streams, the loop serves others: neither a peer that reads as fast as it is sent to nor
/// many of them keep anybody waiting.
@HostActor
final class StreamScheduler {
    /// Packets on the way at a time.
    private static let packetsAhead = 4
    /// Batches in one turn of the loop, of all streams. One takes up to 0.1 ms.
    private static let batchesATurn = 2

    /// The streams that go on, in their turns.
    private static var line: [StreamScheduler] = []
    private static var hasTurn = false

    /// Strong: sending may close it, and with it goes whoever else held it.
    private let peer: Peer
    /// Sends one batch; false when there is none for now.
    private let sendNext: @HostActor () -> Bool
    private var isScheduled = false
    private var ranDry = true
    private var isPumping = false

    init(to peer: Peer, sendNext: @escaping @HostActor () -> Bool) {
        self.peer = peer
        self.sendNext = sendNext
    }

    /// Whether there is more to send than has been: the peer must read first, or it is done at the end of this turn.
    var isBehind: Bool { isScheduled || !ranDry }

    /// Something has come, or the peer has read. To be called as often as one likes.
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
