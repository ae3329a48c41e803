// TranscriptError: the reason why a transcript cannot be read or written, and the place.

/// An error in a transcript's file.
public struct TranscriptError: Error, Sendable, Hashable, CustomStringConvertible {
    public var path: String
    /// The line, counted from 1. Nil if the error concerns the file as a whole.
    public var line: Int?
    public var message: String
    public var remedy: String
    /// Whether the file does not exist or may not be read.
    public var isMissing: Bool

    init(_ path: String, line: Int? = nil, _ message: String, remedy: String, isMissing: Bool = false) {
        self.path = path
        self.line = line
        self.message = message
        self.remedy = remedy
        self.isMissing = isMissing
    }

    public var description: String { "\(path)\(line.map { ", line \($0)" } ?? ""): \(message). \(remedy)" }
}
