// Database: one connection to a SQLite file.

internal import CSQLite
internal import Glibc

/// A connection to a SQLite file. It closes when the last reference goes, its statements first.
///
/// Only the thread that opened it may call it. Calls read and write files, so they must not run on a loop.
public final class Database {
    let handle: OpaquePointer

    /// Opens the file; creates it if it is not there. `":memory:"` is a private database that ends with the connection.
    ///
    /// A symbolic link as the last component of the path is refused.
    public init(path: String) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
            | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            // Even a failed open leaves a handle that has the reason (sqlite3_open(3)), unless there was no memory for
            // one.
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(handle)
            throw SQLiteError(code: code, message: "\(path): \(message)")
        }
        self.handle = handle
    }

    deinit { sqlite3_close_v2(handle) }

    /// Adds the SQL function `contains(text, part)`: 1 if a text without zero bytes has another in it, else 0.
    ///
    /// It takes a fraction of the time of SQLite's own `instr` on long texts.
    public func addContains() throws(SQLiteError) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        try check(
            sqlite3_create_function_v2(
                handle, "contains", 2, flags, nil,
                { context, _, values in
                    guard let values, let text = sqlite3_value_text(values[0]), let part = sqlite3_value_text(values[1])
                    else { return sqlite3_result_int(context, 0) }
                    let found = UnsafeRawPointer(text).withMemoryRebound(to: CChar.self, capacity: 1) { text in
                        UnsafeRawPointer(part).withMemoryRebound(to: CChar.self, capacity: 1) { strstr(text, $0) }
                    }
                    sqlite3_result_int(context, found == nil ? 0 : 1)
                }, nil, nil, nil))
    }

    /// Runs statements without parameters, one after the other; rows are ignored.
    public func execute(_ sql: String) throws(SQLiteError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Prepares one statement, to be run any number of times.
    public func statement(_ sql: String) throws(SQLiteError) -> Statement { try Statement(sql, in: self) }

    /// The number of rows that the last change has changed, without those that triggers have.
    public var changes: Int { Int(sqlite3_changes(handle)) }

    /// Returns the first column of the first row.
    public func integer(_ sql: String) throws(SQLiteError) -> Int {
        let statement = try statement(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Runs `body` as one transaction: all of it is on the disk when this returns, or none of it if it throws.
    public func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // After some failures SQLite has rolled back by itself (lang_transaction.html); then nothing is left to do.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else {
            throw SQLiteError(code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
        }
    }
}
