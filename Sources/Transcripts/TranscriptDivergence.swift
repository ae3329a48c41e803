// TranscriptDivergence: the first difference between a replay and its recording.

public import ExtensionProtocol
import PropertyListCoding

/// A packet that was sent differently, and the place of the difference in it.
public struct TranscriptDivergence: Sendable, CustomStringConvertible {
    /// The sender and the subject of the packet, in words.
    public var packet: String
    /// The difference. Its path is `kind`, a key of the body, or below `payload` or `descriptors`.
    public var difference: PropertyListDifference
    /// The reason why no packet came although one should have.
    public var note: String?

    public init(packet: String, difference: PropertyListDifference, note: String? = nil) {
        self.packet = packet
        self.difference = difference
        self.note = note
    }

    public var description: String { "\(packet)\(note.map { ": \($0)" } ?? "")\n\(difference)" }
}

extension PropertyListComparison {
    /// The keys whose values count up across all requests of a process or all processes of a daemon, and those of how a
    /// side talks to this daemon and not to another.
    private static let running: Set<String> = [
        Key.load.rawValue, Key.pid.rawValue, Key.number.rawValue, Key.final.rawValue, Key.unreported.rawValue,
    ]

    /// Returns the first difference between two packets of one sender, ignoring serials.
    public mutating func firstDifference(_ expected: RecordedPacket, _ found: RecordedPacket) -> PropertyListDifference?
    {
        if expected.kind != found.kind {
            return PropertyListDifference(path: "kind", expected: .string(expected.kind), found: .string(found.kind))
        }
        if let difference = firstDifference(
            .dictionary(Self.lasting(expected.body)), .dictionary(Self.lasting(found.body)))
        {
            return difference
        }
        switch (expected.payload, found.payload) {
        case (let one?, let other?):
            if let difference = firstDifference(one, other, at: "payload") { return difference }
        case (nil, nil): break
        default: return PropertyListDifference(path: "payload", expected: expected.payload, found: found.payload)
        }
        return firstDifference(
            .array(expected.descriptors.map(Self.comparable)), .array(found.descriptors.map(Self.comparable)),
            at: "descriptors")
    }

    private static func lasting(_ body: PropertyListDictionary) -> PropertyListDictionary {
        PropertyListDictionary(body.filter { !running.contains($0.0) }.map { ($0.0, $0.1) })
    }

    private static func comparable(_ descriptor: RecordedDescriptor) -> PropertyList { descriptor.wire }
}
