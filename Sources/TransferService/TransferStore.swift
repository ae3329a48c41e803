// TransferStore: the sessions, tasks and events on disk.

internal import ExtensionPointKit
internal import PropertyListCoding
internal import SQLite

/// The database. A change is on disk when its call returns (WAL, `synchronous=FULL`). Numbers are never given twice.
final class TransferStore {
    static let fileName = "transfers.sqlite"
    private static let layout = 1

    /// All rows, as they were found.
    struct Contents {
        var sessions: [(id: Int, value: StoredSession)] = []
        var tasks: [(id: Int, session: Int, value: StoredTask)] = []
        var events: [(id: Int, session: Int, value: StoredEvent)] = []
        /// The containers that have, or had, finished files.
        var places: Set<TransferPlace> = []
        /// The identifier of the boot at which the store was last open; nil for a new store.
        var boot: String?
    }

    private let database: Database

    /// Opens the database in a folder, or makes it.
    ///
    /// - Throws: `SQLiteError`; of kind `corrupt` if the file is damaged, no database, or of a newer layout.
    init(folder: String) throws(SQLiteError) {
        database = try Database(path: "\(folder)/\(Self.fileName)")
        try database.execute(
            """
            PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON
            """)
        let layout = try database.integer("PRAGMA user_version")
        guard layout == 0 || layout == Self.layout else {
            throw SQLiteError(code: 26, message: "a newer version has written it (layout \(layout))")
        }
        guard layout == 0 else { return }
        // The places outlive their sessions: a file that a client has confirmed may still be there.
        try database.transaction { () throws(SQLiteError) in
            try database.execute(
                """
                CREATE TABLE session (
                    id INTEGER PRIMARY KEY AUTOINCREMENT, app TEXT NOT NULL, identifier TEXT NOT NULL,
                    record BLOB NOT NULL, UNIQUE (app, identifier)) STRICT;
                CREATE TABLE task (
                    id INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL, record BLOB NOT NULL) STRICT;
                CREATE TABLE event (
                    id INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL, record BLOB NOT NULL) STRICT;
                CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
                CREATE TABLE place (name TEXT PRIMARY KEY) STRICT;
                PRAGMA user_version = \(Self.layout)
                """)
        }
    }

    /// Reads all rows. A row that cannot be read is deleted.
    func contents() throws(SQLiteError) -> Contents {
        var contents = Contents()
        for (id, _, value) in try rows("session", StoredSession.self) { contents.sessions.append((id, value)) }
        contents.tasks = try rows("task", StoredTask.self)
        contents.events = try rows("event", StoredEvent.self)
        let fact = try database.statement("SELECT value FROM fact WHERE name = 'boot'")
        if try fact.step() {
            contents.boot = fact.text(0)
            _ = try fact.step()
        }
        let places = try database.statement("SELECT name FROM place")
        while try places.step() { if let place = TransferPlace(name: places.text(0)) { contents.places.insert(place) } }
        return contents
    }

    private func rows<Value: Decodable>(_ table: String, _ type: Value.Type) throws(SQLiteError) -> [(
        id: Int, session: Int, value: Value
    )] {
        var found: [(id: Int, session: Int, value: Value)] = []
        var unreadable: [Int] = []
        let owner = table == "session" ? "id" : "session"
        let rows = try database.statement("SELECT id, \(owner), record FROM \(table) ORDER BY id")
        while try rows.step() {
            let value = rows.withBlob(2) { bytes -> Value? in
                guard let plist = try? PropertyList(binary: bytes, limits: .payload) else { return nil }
                return try? PointDecoder.decode(Value.self, from: EncodedValue(plist: plist))
            }
            guard let value else {
                unreadable.append(rows.integer(0))
                continue
            }
            found.append((rows.integer(0), rows.integer(1), value))
        }
        for id in unreadable { try database.statement("DELETE FROM \(table) WHERE id = ?").run(.integer(id)) }
        return found
    }

    /// Makes several changes as one.
    func change<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try database.transaction(body)
    }

    // MARK: Changes, inside `change`

    func setBoot(_ boot: String) throws(SQLiteError) {
        try database.statement("INSERT OR REPLACE INTO fact VALUES ('boot', ?)").run(.text(boot))
    }

    func insert(_ place: TransferPlace) throws(SQLiteError) {
        try database.statement("INSERT OR IGNORE INTO place VALUES (?)").run(.text(place.name))
    }

    func insert(_ session: StoredSession) throws(SQLiteError) -> Int {
        try database.statement("INSERT INTO session (app, identifier, record) VALUES (?, ?, ?)").run(
            .text(session.app), .text(session.identifier), .blob(try encode(session)))
        return try database.integer("SELECT last_insert_rowid()")
    }

    func insert(_ task: StoredTask, of session: Int) throws(SQLiteError) -> Int { try insert(task, "task", session) }

    func insert(_ event: StoredEvent, of session: Int) throws(SQLiteError) -> Int {
        try insert(event, "event", session)
    }

    private func insert(_ value: some Encodable, _ table: String, _ session: Int) throws(SQLiteError) -> Int {
        try database.statement("INSERT INTO \(table) (session, record) VALUES (?, ?)").run(
            .integer(session), .blob(try encode(value)))
        return try database.integer("SELECT last_insert_rowid()")
    }

    func update(_ session: StoredSession, _ id: Int) throws(SQLiteError) {
        try database.statement("UPDATE session SET record = ? WHERE id = ?").run(
            .blob(try encode(session)), .integer(id))
    }

    func update(_ task: StoredTask, _ id: Int, of session: Int) throws(SQLiteError) {
        try database.statement("UPDATE task SET record = ?, session = ? WHERE id = ?").run(
            .blob(try encode(task)), .integer(session), .integer(id))
    }

    func delete(task id: Int) throws(SQLiteError) { try delete("task", id) }
    func delete(event id: Int) throws(SQLiteError) { try delete("event", id) }
    func delete(session id: Int) throws(SQLiteError) { try delete("session", id) }

    private func delete(_ table: String, _ id: Int) throws(SQLiteError) {
        try database.statement("DELETE FROM \(table) WHERE id = ?").run(.integer(id))
    }

    private func encode(_ value: some Encodable) throws(SQLiteError) -> [UInt8] {
        do {
            return try PointEncoder.encode(value).plist.encodeBinary()
        } catch {
            throw SQLiteError(code: 20, message: "the value cannot be stored: \(error)")
        }
    }
}
