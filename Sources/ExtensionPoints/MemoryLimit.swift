// MemoryLimit: how much memory a process of a point may take, and how anybody knows (spec 5.3).

/// A limit. Apple publishes no number, so each says where it comes from.
public struct MemoryLimit: Sendable, Hashable {
    public enum Provenance: String, Sendable, Hashable, CaseIterable {
        /// Apple's documentation says so.
        case documented
        /// Seen by developers on devices: in logs, reports, measurements.
        case observed
        /// Claimed without evidence, or taken over from a point that is alike.
        case guess
    }

    public var bytes: Int
    public var provenance: Provenance
    /// The device, the version and the report.
    public var source: String

    public init(bytes: Int, provenance: Provenance, source: String) {
        self.bytes = bytes
        self.provenance = provenance
        self.source = source
    }
}
