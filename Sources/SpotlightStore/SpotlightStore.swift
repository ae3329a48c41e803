// SpotlightStore: the index of all app families, in a SQLite file with its full-text search.

internal import PropertyListCoding
internal import SQLite

/// The items of all app families, and the client states of their indexes.
///
/// Each change is on the disk as a whole, or not at all, whenever the process ends. Only one thread at a time may call
/// it. Calls read and write files.
public final class SpotlightStore {
    private let database: Database
    let meter: WorkMeter
    public let limits: SearchLimits
    private var prepared: [String: Statement] = [:]
    private var numbers: [AppFamily: Int] = [:]
    /// The open batches by their numbers.
    var batches: [Int: OpenBatch] = [:]

    /// Opens the store in a file, and creates it if it is not there. Changes of unfinished batches are dropped.
    ///
    /// The file has one user at a time, whose lock ends with this object or with the process.
    ///
    /// - Parameters:
    ///   - path: the file; `:memory:` is a private store that ends with this object.
    ///   - limits: the bounds.
    /// - Throws: `SpotlightStoreError` `inUse` if the file has a user, and others.
    public init(path: String, limits: SearchLimits = SearchLimits()) throws(SpotlightStoreError) {
        self.limits = limits
        database = try SpotlightStore.storing { () throws(SQLiteError) in
            let database = try Database(path: path)
            try database.execute(
                """
                PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
                PRAGMA cache_size = -32768
                """)
            try database.addContains()
            return database
        }
        meter = database.addMeter()
        let version = try Self.storing { () throws(SQLiteError) in try database.integer("PRAGMA user_version") }
        guard version <= Self.version else { throw .storage("\(path) was written by a newer version") }
        if version < Self.version {
            try transaction { () throws(SpotlightStoreError) in
                // The items of an older file have no owner. Apps index them again.
                if version > 0 { try execute(Self.removal) }
                try execute(Self.schema)
            }
        }
        try execute("DELETE FROM staged")
    }

    private static let version = 2

    private static let removal = """
        DROP TABLE words; DROP TABLE items; DROP TABLE numbers; DROP TABLE families; DROP TABLE states;
        DROP TABLE staged;
        """

    private static let schema = """
        CREATE TABLE families(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL, count INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0, UNIQUE(owner, name));
        CREATE TABLE items(
            id INTEGER PRIMARY KEY AUTOINCREMENT, family INTEGER NOT NULL, identifier TEXT NOT NULL, domain TEXT,
            expires REAL NOT NULL, bytes INTEGER NOT NULL, scope TEXT NOT NULL, body TEXT NOT NULL, rest TEXT NOT NULL,
            attributes BLOB NOT NULL, thumbnail BLOB, UNIQUE(family, identifier));
        CREATE INDEX itemsOfFamily ON items(family);
        CREATE INDEX itemsOfDomain ON items(family, domain);
        CREATE INDEX itemsByExpiry ON items(expires);
        CREATE TABLE numbers(name TEXT NOT NULL, value REAL NOT NULL, item INTEGER NOT NULL,
            PRIMARY KEY(name, value, item)) WITHOUT ROWID;
        CREATE INDEX numbersOfItem ON numbers(item);
        CREATE TABLE states(family INTEGER NOT NULL, name TEXT NOT NULL, state BLOB NOT NULL,
            PRIMARY KEY(family, name)) WITHOUT ROWID;
        CREATE TABLE staged(batch INTEGER NOT NULL, number INTEGER NOT NULL, change BLOB NOT NULL,
            PRIMARY KEY(batch, number)) WITHOUT ROWID;
        CREATE TABLE ended(id INTEGER PRIMARY KEY AUTOINCREMENT, family INTEGER NOT NULL, batch INTEGER NOT NULL UNIQUE);
        CREATE INDEX endedOfFamily ON ended(family);
        CREATE VIRTUAL TABLE words USING fts5(scope, body, rest, content = 'items', content_rowid = 'id',
            tokenize = 'unicode61 remove_diacritics 0', prefix = '2');
        CREATE TRIGGER itemAdded AFTER INSERT ON items BEGIN
            INSERT INTO words(rowid, scope, body, rest) VALUES (new.id, new.scope, new.body, new.rest);
            UPDATE families SET count = count + 1, bytes = bytes + new.bytes WHERE id = new.family;
        END;
        CREATE TRIGGER itemDeleted AFTER DELETE ON items BEGIN
            INSERT INTO words(words, rowid, scope, body, rest)
                VALUES ('delete', old.id, old.scope, old.body, old.rest);
            DELETE FROM numbers WHERE item = old.id;
            UPDATE families SET count = count - 1, bytes = bytes - old.bytes WHERE id = old.family;
        END;
        PRAGMA user_version = 2;
        """

    // MARK: The database

    private static func storing<Value>(
        _ body: () throws(SQLiteError) -> Value
    ) throws(SpotlightStoreError) -> Value {
        do throws(SQLiteError) {
            return try body()
        } catch {
            switch error.kind {
            case .full: throw .quotaExceeded("there is no room for the index: \(error)")
            case .busy: throw .inUse("another host uses the file of the index: \(error)")
            case .interrupted: throw .tooMuchWork("\(error)")
            default: throw .storage("\(error)")
            }
        }
    }

    func execute(_ sql: String) throws(SpotlightStoreError) {
        try Self.storing { () throws(SQLiteError) in try database.execute(sql) }
    }

    /// Runs a change as one transaction.
    func transaction<Value>(
        _ body: () throws(SpotlightStoreError) -> Value
    ) throws(SpotlightStoreError) -> Value {
        try execute("BEGIN IMMEDIATE")
        do throws(SpotlightStoreError) {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            // After some failures SQLite has rolled back by itself. A family that was added is gone, too.
            try? execute("ROLLBACK")
            numbers = [:]
            throw error
        }
    }

    private func statement(_ sql: String) throws(SpotlightStoreError) -> Statement {
        if let statement = prepared[sql] { return statement }
        let made = try Self.storing { () throws(SQLiteError) in try database.statement(sql) }
        // Each query of another form has a statement of its own.
        if prepared.count > 64 { prepared = [:] }
        prepared[sql] = made
        return made
    }

    func run(_ sql: String, _ values: Statement.Value...) throws(SpotlightStoreError) {
        let statement = try statement(sql)
        try Self.storing { () throws(SQLiteError) in
            defer { statement.reset() }
            try statement.bind(values)
            while try statement.step() {}
        }
    }

    /// Calls a function with each row of a query until it returns false.
    func rows(
        _ sql: String, _ values: [Statement.Value], _ body: (Statement) -> Bool
    ) throws(SpotlightStoreError) {
        let statement = try statement(sql)
        try Self.storing { () throws(SQLiteError) in
            defer { statement.reset() }
            try statement.bind(values)
            while try statement.step() { if !body(statement) { return } }
        }
    }

    func known(_ family: AppFamily) throws(SpotlightStoreError) -> Int? {
        if let number = numbers[family] { return number }
        var number: Int?
        try rows(
            "SELECT id FROM families WHERE owner = ? AND name = ?", [.text(family.owner), .text(family.identifier)]
        ) { row in
            number = row.integer(0)
            return false
        }
        numbers[family] = number
        return number
    }

    func number(of family: AppFamily) throws(SpotlightStoreError) -> Int {
        if let number = try known(family) { return number }
        try run("INSERT INTO families(name, owner) VALUES (?, ?)", .text(family.identifier), .text(family.owner))
        guard let number = try known(family) else { throw .storage("the family \(family) was not stored") }
        return number
    }

    // MARK: Changes

    /// Applies changes of a family, all of them or none.
    ///
    /// - Parameters:
    ///   - changes: the changes, in order.
    ///   - family: the app family.
    ///   - now: the time, in seconds since 2001. Items that have expired are deleted.
    /// - Throws: `SpotlightStoreError`; then nothing has changed.
    @discardableResult
    public func apply(_ changes: [IndexChange], of family: AppFamily, now: Double) throws(SpotlightStoreError)
        -> IndexEffect
    {
        for change in changes { try check(change) }
        return try transaction { () throws(SpotlightStoreError) in
            let id = try number(of: family)
            var effect = IndexEffect()
            for change in changes { effect += try perform(change, id, now) }
            try finish(id, now)
            return effect
        }
    }

    func perform(_ change: IndexChange, _ family: Int, _ now: Double) throws(SpotlightStoreError) -> IndexEffect {
        switch change {
        case .put(let items):
            var effect = IndexEffect()
            for item in items { effect += try put(item, family, now) }
            return effect
        case .delete(let identifiers):
            var deleted = 0
            for identifier in identifiers {
                try run("DELETE FROM items WHERE family = ? AND identifier = ?", .integer(family), .text(identifier))
                deleted += database.changes
            }
            return IndexEffect(deleted: deleted)
        case .deleteDomains(let domains):
            var deleted = 0
            for domain in domains {
                // The domains below it begin with it and a dot, and the slash comes after the dot.
                try run(
                    "DELETE FROM items WHERE family = ? AND (domain = ? OR (domain > ? AND domain < ?))",
                    .integer(family), .text(domain), .text(domain + "."), .text(domain + "/"))
                deleted += database.changes
            }
            return IndexEffect(deleted: deleted)
        case .deleteAll:
            try run("DELETE FROM items WHERE family = ?", .integer(family))
            return IndexEffect(deleted: database.changes)
        }
    }

    private func put(
        _ given: IndexedItem, _ family: Int, _ now: Double
    ) throws(SpotlightStoreError) -> IndexEffect {
        var item = given
        var thumbnail = given.thumbnail
        if given.isUpdate, let (stored, bytes) = try stored(given.identifier, family) {
            item = stored
            for (name, value) in zip(given.attributes.keys, given.attributes.values) { item.attributes[name] = value }
            item.searchableNames = Array(Set(item.searchableNames).union(given.searchableNames)).sorted()
            item.domain = given.domain ?? stored.domain
            item.expires = given.expires ?? stored.expires
            thumbnail = given.thumbnail ?? bytes
        }
        let content: [UInt8]
        do { content = try item.content.encodeBinary() } catch {
            throw .invalidItem("the attributes of \(given.identifier) cannot be stored: \(error)")
        }
        guard content.count <= limits.itemBytes else {
            throw .invalidItem("the attributes of \(given.identifier) have more than \(limits.itemBytes) bytes")
        }
        try run("DELETE FROM items WHERE family = ? AND identifier = ?", .integer(family), .text(item.identifier))
        let isNew = database.changes == 0
        let texts = item.texts
        let numbers = item.numbers
        guard numbers.count <= limits.numbersPerItem else {
            throw .invalidItem("\(given.identifier) has more than \(limits.numbersPerItem) numbers and dates")
        }
        // Each number has a row with the attribute's name, and an entry of an index with it.
        let numberBytes = numbers.reduce(0) { $0 + 2 * ($1.name.utf8.count + 16) }
        let bytes =
            numberBytes + content.count + texts.body.utf8.count + texts.rest.utf8.count + (thumbnail?.count ?? 0)
        try run(
            """
            INSERT INTO items(family, identifier, domain, expires, bytes, scope, body, rest, attributes, thumbnail)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(family), .text(item.identifier), item.domain.map { .text($0) } ?? .null,
            .real(item.expires ?? now + IndexedItem.month),
            .integer(bytes), .text(Self.scope(family)), .text(texts.body), .text(texts.rest), .blob(content),
            thumbnail.map { .blob($0) } ?? .null)
        for number in numbers {
            try run(
                "INSERT OR IGNORE INTO numbers(name, value, item) SELECT ?, ?, id FROM items WHERE family = ? AND identifier = ?",
                .text(number.name), .real(number.value), .integer(family), .text(item.identifier))
        }
        return isNew ? IndexEffect(added: 1) : IndexEffect(replaced: 1)
    }

    /// The word by which the full-text search finds the items of one family.
    static func scope(_ family: Int) -> String { "f\(family)" }

    private func stored(
        _ identifier: String, _ family: Int
    ) throws(SpotlightStoreError) -> (IndexedItem, thumbnail: [UInt8]?)? {
        var found: (IndexedItem, [UInt8]?)?
        try rows(
            "SELECT domain, expires, attributes, thumbnail FROM items WHERE family = ? AND identifier = ?",
            [.integer(family), .text(identifier)]
        ) { row in
            var item = IndexedItem(identifier: identifier, expires: row.real(1))
            item.domain = row.isNull(0) ? nil : row.text(0)
            (item.attributes, item.searchableNames) = Self.content(row, 2)
            found = (item, row.isNull(3) ? nil : row.withBlob(3) { Array($0) })
            return false
        }
        return found
    }

    static func content(_ row: Statement, _ column: Int32) -> (PropertyListDictionary, [String]) {
        let plist = row.withBlob(column) { try? PropertyList(binary: $0, limits: .payload) }
        return IndexedItem.content(plist ?? [:])
    }

    /// Deletes items that have expired, and checks the bounds of a family, at the end of a change.
    func finish(_ family: Int, _ now: Double) throws(SpotlightStoreError) {
        try run("DELETE FROM items WHERE id IN (SELECT id FROM items WHERE expires <= ? LIMIT 1000)", .real(now))
        var (count, bytes) = (0, 0)
        try rows("SELECT count, bytes FROM families WHERE id = ?", [.integer(family)]) { row in
            (count, bytes) = (row.integer(0), row.integer(1))
            return false
        }
        guard count <= limits.itemsPerFamily else {
            throw .quotaExceeded("an app has at most \(limits.itemsPerFamily) items in the index")
        }
        guard bytes <= limits.bytesPerFamily else {
            throw .quotaExceeded("the items of an app have at most \(limits.bytesPerFamily) bytes in the index")
        }
    }

    func check(_ change: IndexChange) throws(SpotlightStoreError) {
        switch change {
        case .put(let items):
            guard items.count <= limits.itemsPerChange else {
                throw .quotaExceeded("one call has at most \(limits.itemsPerChange) items")
            }
            for item in items { try check(item) }
        case .delete(let names), .deleteDomains(let names):
            guard names.count <= limits.namesPerDeletion else {
                throw .quotaExceeded("one call deletes at most \(limits.namesPerDeletion) names")
            }
            for name in names { try check(name, "a name to delete") }
        case .deleteAll: break
        }
    }

    private func check(_ item: IndexedItem) throws(SpotlightStoreError) {
        try check(item.identifier, "an identifier")
        if let domain = item.domain { try check(domain, "a domain") }
        guard item.expires?.isFinite ?? true else {
            throw .invalidItem("\(item.identifier) has an expiration date that is none")
        }
        guard item.attributes.count <= limits.attributes, item.searchableNames.count <= limits.attributes else {
            throw .invalidItem("\(item.identifier) has more than \(limits.attributes) attributes")
        }
        for name in item.attributes.keys + item.searchableNames { try check(name, "the name of an attribute") }
        guard item.thumbnail?.count ?? 0 <= limits.thumbnailBytes else {
            throw .invalidItem("the thumbnail of \(item.identifier) has more than \(limits.thumbnailBytes) bytes")
        }
    }

    func check(_ name: String, _ what: String) throws(SpotlightStoreError) {
        guard !name.isEmpty, name.utf8.count <= limits.nameBytes, !name.utf8.contains(0) else {
            throw .invalidItem("\(what) is empty, has more than \(limits.nameBytes) bytes, or has a zero byte")
        }
    }

    /// Returns the thumbnail of an item; nil if it has none.
    public func thumbnail(of identifier: String, family: AppFamily) throws(SpotlightStoreError) -> [UInt8]? {
        guard let id = try known(family) else { return nil }
        return try stored(identifier, id)?.thumbnail
    }

    /// Returns the number of items of a family, or of all.
    public func count(of family: AppFamily? = nil) throws(SpotlightStoreError) -> Int {
        var count = 0
        let sql =
            "SELECT coalesce(sum(count), 0) FROM families" + (family == nil ? "" : " WHERE owner = ? AND name = ?")
        try rows(sql, family.map { [.text($0.owner), .text($0.identifier)] } ?? []) { row in
            count = row.integer(0)
            return false
        }
        return count
    }

    // MARK: Families

    /// The families that have items, client states or ended batches.
    public var families: [AppFamily] {
        get throws(SpotlightStoreError) {
            var families: [AppFamily] = []
            try rows("SELECT name, owner FROM families ORDER BY id", []) { row in
                families.append(AppFamily(row.text(0), owner: row.text(1)))
                return true
            }
            return families
        }
    }

    /// The items that one part of a removal deletes.
    private static let removedItems = 500

    /// Deletes a part of all that there is of a family: its items, client states and batches.
    ///
    /// - Returns: whether there is more.
    public func removePart(of family: AppFamily) throws(SpotlightStoreError) -> Bool {
        for (batch, open) in batches where open.family == family { drop(batch) }
        guard let number = try known(family) else { return false }
        let isWhole = try transaction { () throws(SpotlightStoreError) in
            try run(
                "DELETE FROM items WHERE id IN (SELECT id FROM items WHERE family = ? LIMIT ?)", .integer(number),
                .integer(Self.removedItems))
            guard database.changes < Self.removedItems else { return false }
            for table in ["states", "ended"] { try run("DELETE FROM \(table) WHERE family = ?", .integer(number)) }
            try run("DELETE FROM families WHERE id = ?", .integer(number))
            return true
        }
        if isWhole { numbers[family] = nil }
        return !isWhole
    }

    /// Checks the file: the structure of the database, and that the words of the search are those of the items.
    public func verify() throws(SpotlightStoreError) {
        var findings: [String] = []
        try rows("PRAGMA integrity_check", []) { row in
            findings.append(row.text(0))
            return true
        }
        guard findings == ["ok"] else { throw .storage(findings.prefix(4).joined(separator: "; ")) }
        try execute("INSERT INTO words(words, rank) VALUES ('integrity-check', 1)")
        let counted = try count()
        var rows = 0
        try self.rows("SELECT count(*) FROM items", []) { row in
            rows = row.integer(0)
            return false
        }
        guard counted == rows else { throw .storage("the families count \(counted) items, and there are \(rows)") }
    }
}
