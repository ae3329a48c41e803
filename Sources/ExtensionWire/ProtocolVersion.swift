// ProtocolVersion: the version that a hello offers and a welcome settles.

public import PropertyListCoding

/// A version of the protocol.
///
/// Minor versions only add: kinds, optional keys, enum values. A peer ignores keys that it does not know, so any two
/// versions of one major work together at the lower minor.
public struct ProtocolVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    public var major: UInt16
    public var minor: UInt16

    public init(major: UInt16, minor: UInt16) {
        self.major = major
        self.minor = minor
    }

    public static let current = ProtocolVersion(major: 1, minor: 3)
    /// The lowest version that this code still speaks.
    public static let lowest = ProtocolVersion(major: 1, minor: 0)

    public static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// The first version in which a peer knows `cancelLoad`, `loadProgress` and the forms of a load.
    public static let withLoadControl = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which an extension knows `checkMainQueue`.
    public static let withMainQueueCheck = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which a daemon stores elections, knows activation rules and extension points, and reduces
    /// copies as asked.
    public static let withRegistry = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which a daemon waits for debuggers and breaks crash loops.
    public static let withSupervision = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which an extension's view travels to its host.
    public static let withViews = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which a daemon launches apps, and opens URLs for extensions.
    public static let withApps = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which a daemon reports its configuration.
    public static let withConfiguration = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which a daemon reports its metrics.
    public static let withStatistics = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which a daemon records its sessions.
    public static let withRecording = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which an extension can sleep on the daemon's clock.
    public static let withClock = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which an ephemeral daemon injects faults.
    public static let withFaults = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which a daemon's successor can resume its sessions.
    public static let withRestart = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which a stopped service says goodbye.
    public static let withGoodbye = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which an extension knows that it waits for its first request.
    public static let withPrewarming = ProtocolVersion(major: 1, minor: 1)

    /// The first version in which the two sides of a request can call each other.
    public static let withCalls = ProtocolVersion(major: 1, minor: 2)

    /// The first version in which an answer can be final, and an outcome can answer a begin.
    public static let withFinalAnswers = ProtocolVersion(major: 1, minor: 3)

    /// Returns the highest version that both ranges contain, or nil.
    public static func settle(_ ours: ClosedRange<Self>, _ theirs: ClosedRange<Self>) -> Self? {
        let highest = min(ours.upperBound, theirs.upperBound)
        return highest >= max(ours.lowerBound, theirs.lowerBound) ? highest : nil
    }

    public var description: String { "\(major).\(minor)" }
}

extension ProtocolVersion: WireValue {
    public init?(wire: PropertyList) {
        guard let text = wire.string else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let major = UInt16(parts[0]), let minor = UInt16(parts[1]) else { return nil }
        self.init(major: major, minor: minor)
        // Each version has one form: `UInt16` would also read `+1` and `01`.
        guard description == text else { return nil }
    }
    public var wire: PropertyList { .string(description) }
}
