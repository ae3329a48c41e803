// Statement: one prepared statement, its parameters and its rows.

internal import CSQLite

/// A prepared statement of a `Database`, which it keeps open. Only the thread of its database may call it.
public final class Statement {
    /// The value of a parameter.
    public enum Value {
        case integer(Int)
        case real(Double)
        case text(String)
        case blob([UInt8])
        case null
    }

    private let database: Database
    private let handle: OpaquePointer

    init(_ sql: String, in database: Database) throws(SQLiteError) {
        var handle: OpaquePointer?
        try database.check(
            sqlite3_prepare_v3(database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil))
        guard let handle else { throw SQLiteError(code: SQLITE_MISUSE, message: "no statement: “\(sql)”") }
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs the statement to its end with these parameters, in order; rows are ignored.
    public func run(_ values: Value...) throws(SQLiteError) {
        // The error that reset repeats after a failed step has been thrown already.
        defer { sqlite3_reset(handle) }
        try bind(values)
        while try step() {}
    }

    /// Sets the parameters, in order. The next step begins anew with them.
    public func bind(_ values: [Value]) throws(SQLiteError) {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
    }

    /// Ends the rows. The statement holds no lock any more.
    public func reset() { sqlite3_reset(handle) }

    /// Moves to the next row; returns false when there is none.
    ///
    /// After that, or after `reset`, the next step begins anew.
    public func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        default:
            let database = database.handle
            let error = SQLiteError(
                code: sqlite3_extended_errcode(database), message: String(cString: sqlite3_errmsg(database)))
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Returns a column of the row, counted from 0; 0 if it holds no number.
    public func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

    /// Returns a column of the row, counted from 0; 0 if it holds no number.
    public func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// Whether a column of the row, counted from 0, holds nothing.
    public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Returns a column of the row as text; empty if it holds no text. Text that is no UTF-8 is repaired.
    public func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        return String(
            decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))), as: UTF8.self
        )
    }

    /// Calls `body` with the bytes of the row's column, in place; they are valid only during the call.
    public func withBlob<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = sqlite3_column_blob(handle, column)
        return body(
            UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))))
    }

    private func bind(_ value: Value, at index: Int32) throws(SQLiteError) {
        // SQLITE_TRANSIENT: SQLite copies before the call returns.
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .real(let number): try database.check(sqlite3_bind_double(handle, index, number))
        case .integer(let number): try database.check(sqlite3_bind_int64(handle, index, Int64(number)))
        case .text(let text):
            // The array has a byte behind the end: a nil address would bind null.
            let bytes = Array(text.utf8CString)
            let code = sqlite3_bind_text(handle, index, bytes, Int32(bytes.count - 1), copies)
            try database.check(code)
        case .blob(let bytes):
            // A nil pointer would bind null.
            let code =
                bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, index, 0)
                : sqlite3_bind_blob(handle, index, bytes, Int32(bytes.count), copies)
            try database.check(code)
        case .null: try database.check(sqlite3_bind_null(handle, index))
        }
    }
}
