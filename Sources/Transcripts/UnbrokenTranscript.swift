// UnbrokenTranscript: a session as it would have been if no connection had been lost and resumed.

import ExtensionProtocol
import PropertyListCoding

extension RecordedPacket {
    /// Whether the packet is a hello of a peer that was connected before and reconnects.
    var asksToResume: Bool { !isFromDaemon && kind == "hello" && body[Key.resumption.rawValue] != nil }
}

extension Transcript {
    /// The transcript without the connections that only resumed a session.
    ///
    /// The packets on their sockets belong to the session's own number, each packet once, however often it was sent.
    public var unbroken: Transcript {
        var asking: Set<Int> = []
        var resuming: Set<Int> = []
        for case .packet(let packet) in entries.lazy.map(\.content) {
            if packet.asksToResume {
                asking.insert(packet.connection)
            } else if packet.isFromDaemon, packet.kind == "welcome", packet.body[Key.received.rawValue] != nil {
                // A peer whose session had ended gets a new one, and its welcome does not mention received packets.
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
