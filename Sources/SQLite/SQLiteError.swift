// SQLiteError: the error that SQLite reported, and its kind.

/// A failure of SQLite, with its extended result code (https://www.sqlite.org/rescode.html).
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure, which decides how to react to it.
    public enum Kind: Sendable, Hashable {
        /// No room: the disk, a quota or a limit on the file's size.
        case full
        /// The file is damaged, or no database at all.
        case corrupt
        /// Another connection holds the lock.
        case busy
        /// The file may not be opened or written.
        case denied
        /// Reading or writing failed underneath.
        case input
        /// The bound of the work meter was reached.
        case interrupted
        case other
    }

    /// The extended result code.
    public let code: Int32
    /// The message of SQLite, and the action that failed.
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
        case 9: .interrupted
        case 10: .input
        default: .other
        }
    }

    public var description: String { "\(message) (SQLite \(code))" }
}
