// UnbrokenTranscript: a session as it would have been, had no connection been lost and taken up again.

import ExtensionProtocol
import PropertyListCoding

extension RecordedPacket {
    /// A hello of somebody who was connected before and comes back.
    var asksToResume: Bool { !isFromDaemon && kind == "hello" && body[Key.resumption.rawValue] != nil }
}

extension Transcript {
    /// Without the connections that did nothing but take up a session: what was said over their sockets stands under the session's own
    /// number, each packet once, however often it was sent.
    public var unbroken: Transcript {
        var asking: Set<Int> = []
        var resuming: Set<Int> = []
        for case .packet(let packet) in entries.lazy.map(\.content) {
            if packet.asksToResume {
                asking.insert(packet.connection)
            } else if packet.isFromDaemon, packet.kind == "welcome", packet.body[Key.received.rawValue] != nil {
                // One whose session had ended meanwhile has a new one, and its welcome says nothing of packets received.
                resuming.insert(packet.connection)
            }
        }
        guard !resuming.isEmpty else { return self }
        resuming.formIntersection(asking)
        var unbroken = self
        unbroken.entries.removeAll {
            switch $0.content {
            case .packet(let packet): resuming.contains(packet.connection)
            case .ended(let end): resuming.contains(end.connection)
            case .event, .timer, .gap: false
            }
        }
        return unbroken
    }
}
