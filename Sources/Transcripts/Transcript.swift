// Transcript: a recorded session: its recorder's header, and the events in order.

public import ExtensionProtocol

/// A session between hosts, a daemon and extensions. `docs/transcripts.md` describes the format of its file.
public struct Transcript: Sendable {
    public var header: TranscriptHeader
    public var entries: [TranscriptEntry]
    /// Whether the recorder wrote the end of the session: nothing is cut off.
    public var isWhole: Bool

    public init(header: TranscriptHeader, entries: [TranscriptEntry], isWhole: Bool) {
        self.header = header
        self.entries = entries
        self.isWhole = isWhole
    }

    /// The number of entries that the recorder was too slow for.
    public var missing: Int {
        entries.reduce(0) { if case .gap(let count) = $1.content { $0 + count } else { $0 } }
    }
}

/// The first line of a transcript.
public struct TranscriptHeader: Sendable {
    /// The version of the format that this code writes, and the highest that it reads.
    public static let format = 1

    public var format: Int
    /// The daemon's description of the recording, with how and when it began.
    public var recording: Recording

    public init(_ recording: Recording, format: Int = TranscriptHeader.format) {
        self.recording = recording
        self.format = format
    }
}
