// MemoryLimit: the memory that a process of a point may use, with the source of the figure (spec 5.3).

/// A memory limit. Apple publishes no number, so each one names its source.
public struct MemoryLimit: Sendable, Hashable {
    public enum Provenance: String, Sendable, Hashable, CaseIterable {
        /// Apple's documentation states the number.
        case documented
        /// Developers saw the number on devices: in logs, reports, measurements.
        case observed
        /// The number was claimed without evidence, or comes from a similar point.
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
