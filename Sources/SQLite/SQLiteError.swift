// SQLiteError: what SQLite said when it could not do something, and which kind of thing that was.

/// A failure of SQLite, with its extended result code (https://www.sqlite.org/rescode.html).
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What to do about a failure depends on this.
    public enum Kind: Sendable, Hashable {
        /// No room: the disk, a quota or a limit on the file's size.
        case full
        /// The file is damaged, or no database at all.
        case corrupt
        /// Somebody else has it.
        case busy
        /// It may not be opened or written.
        case denied
        /// Reading or writing failed underneath.
        case input
        case other
    }

    /// The extended result code.
    public let code: Int32
    /// SQLite's own words, and what was being done.
    public let message: String

    public init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    public var kind: Kind {
        // The primary code is the low byte.
        switch code & 0xff {
        case 13: .full
        case 11, 26: .corrupt
        case 5, 6: .busy
        case 3, 8, 14, 23: .denied
        case 10: .input
        default: .other
        }
    }

    public var description: String { "\(message) (SQLite \(code))" }
}
