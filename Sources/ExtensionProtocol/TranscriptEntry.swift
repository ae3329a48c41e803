// TranscriptEntry: one thing that happened in a recorded session: a packet, an event, a timer's change.

/// One entry of a recording, as it travels and as it is kept.
public struct TranscriptEntry: Sendable, Hashable, WireStructure {
    public enum Content: Sendable, Hashable {
        case packet(RecordedPacket)
        case event(EventRecord)
        case timer(RecordedTimer)
        /// A connection is over.
        case ended(RecordedEnd)
        /// So many entries are missing here: the recorder was too slow for them.
        case gap(Int)
    }

    /// Microseconds since the recording began, in real time whatever the daemon's clock is.
    public var time: Int
    public var content: Content

    public init(time: Int, _ content: Content) {
        self.time = time
        self.content = content
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        time = try fields.value(.time)
        if let packet = try fields.optional(.packet, as: RecordedPacket.self) {
            content = .packet(packet)
        } else if let event = try fields.optional(.event, as: EventRecord.self) {
            content = .event(event)
        } else if let timer = try fields.optional(.timer, as: RecordedTimer.self) {
            content = .timer(timer)
        } else if let end = try fields.optional(.ended, as: RecordedEnd.self) {
            content = .ended(end)
        } else {
            content = .gap(try fields.value(.gap))
        }
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.time, time)
        switch content {
        case .packet(let packet): fields.set(.packet, packet)
        case .event(let event): fields.set(.event, event)
        case .timer(let timer): fields.set(.timer, timer)
        case .ended(let end): fields.set(.ended, end)
        case .gap(let count): fields.set(.gap, count)
        }
    }
}

extension RecordedPacket {
    /// Whether the daemon sent the packet to the peer of this role, and not the peer to the daemon.
    static func isFromDaemon(_ fields: Fields, _ role: Role) throws(ProtocolError) -> Bool {
        let sender: String = try fields.value(.from)
        guard sender == "daemon" || sender == role.rawValue else { throw .wrongType(key: "from", kind: fields.kind) }
        return sender == "daemon"
    }
}
