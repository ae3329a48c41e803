// Transcript: a recorded session: what its recorder said of itself, and what happened, in order.

public import ExtensionProtocol

/// A session between hosts, a daemon and extensions. `docs/transcripts.md` has its form in a file.
public struct Transcript: Sendable {
    public var header: TranscriptHeader
    public var entries: [TranscriptEntry]
    /// The recorder said that it had come to its end: nothing is cut off.
    public var isWhole: Bool

    public init(header: TranscriptHeader, entries: [TranscriptEntry], isWhole: Bool) {
        self.header = header
        self.entries = entries
        self.isWhole = isWhole
    }

    /// Entries that the recorder was too slow for.
    public var missing: Int {
        entries.reduce(0) { if case .gap(let count) = $1.content { $0 + count } else { $0 } }
    }
}

/// The first line of a transcript.
public struct TranscriptHeader: Sendable {
    /// Of the form that this code writes, and the highest that it reads.
    public static let format = 1

    public var format: Int
    /// The daemon's, and how and when it began to be recorded.
    public var recording: Recording

    public init(_ recording: Recording, format: Int = TranscriptHeader.format) {
        self.recording = recording
        self.format = format
    }
}
