// Database: one connection to a SQLite file.

internal import CSQLite
internal import Glibc

/// A connection to a SQLite file. It closes when the last reference goes, its statements first.
///
/// Only the thread that opened it may call it. Calls read and write files, so they must not run on a loop.
public final class Database {
    let handle: OpaquePointer
    /// The meter of all statements, once `addMeter` was called.
    private var meter: WorkMeter?

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

    deinit {
        sqlite3_progress_handler(handle, 0, nil, nil)
        sqlite3_close_v2(handle)
    }

    /// Counts the work of all statements from now on, and returns the meter.
    public func addMeter() -> WorkMeter {
        let meter = self.meter ?? WorkMeter(handle)
        self.meter = meter
        return meter
    }

    /// Adds the SQL function `contains(one, other, part)`: 1 if one of two texts without zero bytes has a part in it, else
    /// 0.
    ///
    /// It takes a fraction of the time of SQLite's own `instr` on long texts. The meter counts the texts' bytes.
    public func addContains() throws(SQLiteError) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        try check(
            sqlite3_create_function_v2(
                handle, "contains", 3, flags, addMeter().counter,
                { context, _, values in
                    guard let values, let part = sqlite3_value_text(values[2]) else {
                        return sqlite3_result_int(context, 0)
                    }
                    let counter = sqlite3_user_data(context).assumingMemoryBound(to: WorkMeter.Counter.self)
                    for place in 0..<2 {
                        guard let text = sqlite3_value_text(values[place]) else { continue }
                        guard counter.pointee.add(Int(sqlite3_value_bytes(values[place])) / WorkMeter.bytesOfStep)
                        else {
                            return sqlite3_result_error_code(context, SQLITE_INTERRUPT)
                        }
                        let found = UnsafeRawPointer(text).withMemoryRebound(to: CChar.self, capacity: 1) { text in
                            UnsafeRawPointer(part).withMemoryRebound(to: CChar.self, capacity: 1) { strstr(text, $0) }
                        }
                        if found != nil { return sqlite3_result_int(context, 1) }
                    }
                    sqlite3_result_int(context, 0)
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
