// LogStream: the output of extensions on its way to one reader, at the reader's pace.

import EventLoop
import ExtensionProtocol

/// Sends lines in batches.
///
/// The stream has a position in the ring and no queue of its own: a slow reader misses lines, and a batch reports it.
@HostActor
final class LogStream {
    enum Source {
        case `extension`(String)
        case request(RequestIdentifier)
    }

    private static let batchLines = 64
    /// Bytes of one batch, well within a packet.
    private static let batchBytes = 24 * 1024

    private let source: Source
    private let follows: Bool
    private let log: OutputLog
    private let peer: Peer
    private var position = 0
    private var hasPosition = false
    /// The callback at the end of the stream; nil once it has been called.
    private var finished: (@HostActor () -> Void)?
    private var following: Int?
    private lazy var pace = StreamScheduler(to: peer) { [weak self] in self?.sendNext() ?? false }

    /// - Parameter finished: called once, when everything asked for has been sent.
    init(_ source: Source, follows: Bool, log: OutputLog, peer: Peer, finished: @escaping @HostActor () -> Void) {
        self.source = source
        self.follows = follows
        self.log = log
        self.peer = peer
        self.finished = finished
        if follows { following = log.follow { [weak self] in self?.schedule() } }
        schedule()
    }

    isolated deinit {
        if let following { log.unfollow(following) }
    }

    var isBehind: Bool { finished != nil && pace.isBehind }

    /// Schedules the next batch. Lines that arrive in one turn of the loop travel together.
    func schedule() {
        if finished != nil { pace.schedule() }
    }

    private func sendNext() -> Bool {
        let identifier: String
        var span: OutputLog.Span?
        switch source {
        case .extension(let name): identifier = name
        case .request(let request):
            // A request that waits for a process has printed nothing; a request that is forgotten is over.
            span = log.span(of: request)
            guard let span else {
                if !follows || hasPosition { finish() }
                return false
            }
            identifier = span.name
            if !hasPosition { position = span.after }
        }
        hasPosition = true
        guard let ring = log.ring(of: identifier) else { return caughtUp(span) }
        let lost = ring.lostThrough > position
        position = max(position, ring.lostThrough)
        let entries = ring.entries(after: position, count: Self.batchLines)
        var batch = LogBatch(lines: [], lost: lost)
        var bytes = 0
        for entry in entries {
            if let last = span?.last, entry.number > last { break }
            if bytes > 0, bytes + entry.cost > Self.batchBytes { break }
            bytes += entry.cost
            position = entry.number
            if let span, span.process != entry.process { continue }
            batch.lines.append(entry.line)
        }
        if lost || !batch.lines.isEmpty { peer.send(batch) }
        // No entry was consumed: the rest belongs to other requests, or there is none.
        return bytes > 0 || caughtUp(span)
    }

    /// Ends the stream if nothing more can follow, and returns false, because there is nothing to send now.
    private func caughtUp(_ span: OutputLog.Span?) -> Bool {
        if !follows || span?.last != nil { finish() }
        return false
    }

    private func finish() {
        let action = finished
        finished = nil
        action?()
    }
}
