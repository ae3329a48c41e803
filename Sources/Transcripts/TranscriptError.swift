// TranscriptError: why a transcript cannot be read or written, and where.

/// What is wrong with a transcript's file.
public struct TranscriptError: Error, Sendable, Hashable, CustomStringConvertible {
    public var path: String
    /// From 1; nil for what concerns the file as a whole.
    public var line: Int?
    public var message: String
    public var remedy: String
    /// The file is not there, or may not be read.
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
