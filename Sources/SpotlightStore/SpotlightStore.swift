// SpotlightStore: the index of all app families, in a SQLite file with its full-text search.

internal import PropertyListCoding
internal import SQLite

/// The items of all app families, and the client states of their indexes.
///
/// Each change is on the disk as a whole, or not at all, whenever the process ends. Only one thread at a time may call
/// it. Calls read and write files.
public final class SpotlightStore {
    private let database: Database
    public let limits: SearchLimits
    private var prepared: [String: Statement] = [:]
    private var families: [String: Int] = [:]
    private var batches: [Int: Batch] = [:]
    private var lastBatch = 0

    private struct Batch {
        let family: String
        var bytes = 0
        var count = 0
        /// The reason for which the first change was refused. The batch cannot be applied whole then.
        var refusal: SpotlightStoreError?
    }

    /// Opens the store in a file, and creates it if it is not there. Changes of unfinished batches are dropped.
    ///
    /// - Parameters:
    ///   - path: the file; `:memory:` is a private store that ends with this object.
    ///   - limits: the bounds.
    /// - Throws: `SpotlightStoreError`.
    public init(path: String, limits: SearchLimits = SearchLimits()) throws(SpotlightStoreError) {
        self.limits = limits
        database = try SpotlightStore.storing { () throws(SQLiteError) in
            let database = try Database(path: path)
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768")
            try database.addContains()
            return database
        }
        let version = try Self.storing { () throws(SQLiteError) in try database.integer("PRAGMA user_version") }
        guard version <= 1 else { throw .storage("\(path) was written by a newer version") }
        if version == 0 { try transaction { () throws(SpotlightStoreError) in try execute(Self.schema) } }
        try execute("DELETE FROM staged")
    }

    private static let schema = """
        CREATE TABLE families(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, count INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0);
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
        PRAGMA user_version = 1;
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
            default: throw .storage("\(error)")
            }
        }
    }

    private func execute(_ sql: String) throws(SpotlightStoreError) {
        try Self.storing { () throws(SQLiteError) in try database.execute(sql) }
    }

    /// Runs a change as one transaction.
    private func transaction<Value>(
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
            families = [:]
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

    private func run(_ sql: String, _ values: Statement.Value...) throws(SpotlightStoreError) {
        let statement = try statement(sql)
        try Self.storing { () throws(SQLiteError) in
            defer { statement.reset() }
            try statement.bind(values)
            while try statement.step() {}
        }
    }

    /// Calls a function with each row of a query until it returns false.
    private func rows(
        _ sql: String, _ values: [Statement.Value], _ body: (Statement) -> Bool
    ) throws(SpotlightStoreError) {
        let statement = try statement(sql)
        try Self.storing { () throws(SQLiteError) in
            defer { statement.reset() }
            try statement.bind(values)
            while try statement.step() { if !body(statement) { return } }
        }
    }

    private func knownFamily(_ name: String) throws(SpotlightStoreError) -> Int? {
        if let id = families[name] { return id }
        var id: Int?
        try rows("SELECT id FROM families WHERE name = ?", [.text(name)]) { row in
            id = row.integer(0)
            return false
        }
        families[name] = id
        return id
    }

    private func family(_ name: String) throws(SpotlightStoreError) -> Int {
        if let id = try knownFamily(name) { return id }
        try run("INSERT INTO families(name) VALUES (?)", .text(name))
        guard let id = try knownFamily(name) else { throw .storage("the family \(name) was not stored") }
        return id
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
    public func apply(_ changes: [IndexChange], of family: String, now: Double) throws(SpotlightStoreError)
        -> IndexEffect
    {
        for change in changes { try check(change) }
        return try transaction { () throws(SpotlightStoreError) in
            let id = try self.family(family)
            var effect = IndexEffect()
            for change in changes { effect += try perform(change, id) }
            try finish(id, now)
            return effect
        }
    }

    private func perform(_ change: IndexChange, _ family: Int) throws(SpotlightStoreError) -> IndexEffect {
        switch change {
        case .put(let items):
            var effect = IndexEffect()
            for item in items { effect += try put(item, family) }
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

    private func put(_ given: IndexedItem, _ family: Int) throws(SpotlightStoreError) -> IndexEffect {
        var item = given
        var thumbnail = given.thumbnail
        if given.isUpdate, let (stored, bytes) = try stored(given.identifier, family) {
            item = stored
            for (name, value) in zip(given.attributes.keys, given.attributes.values) { item.attributes[name] = value }
            item.searchableNames = Array(Set(item.searchableNames).union(given.searchableNames)).sorted()
            item.domain = given.domain ?? stored.domain
            item.expires = given.expires
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
            .integer(family), .text(item.identifier), item.domain.map { .text($0) } ?? .null, .real(item.expires),
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
    private static func scope(_ family: Int) -> String { "f\(family)" }

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

    private static func content(_ row: Statement, _ column: Int32) -> (PropertyListDictionary, [String]) {
        let plist = row.withBlob(column) { try? PropertyList(binary: $0, limits: .payload) }
        return IndexedItem.content(plist ?? [:])
    }

    /// Deletes items that have expired, and checks the bounds of a family, at the end of a change.
    private func finish(_ family: Int, _ now: Double) throws(SpotlightStoreError) {
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

    private func check(_ change: IndexChange) throws(SpotlightStoreError) {
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
        guard item.expires.isFinite else {
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

    private func check(_ name: String, _ what: String) throws(SpotlightStoreError) {
        guard !name.isEmpty, name.utf8.count <= limits.nameBytes, !name.utf8.contains(0) else {
            throw .invalidItem("\(what) is empty, has more than \(limits.nameBytes) bytes, or has a zero byte")
        }
    }

    // MARK: Batches

    /// Opens a batch. Its changes are in the index once it is committed.
    ///
    /// - Returns: the number of the batch.
    public func beginBatch(of family: String) throws(SpotlightStoreError) -> Int {
        guard batches.values.count(where: { $0.family == family }) < limits.openBatches else {
            throw .quotaExceeded("\(limits.openBatches) batches of an app are open, which is the limit")
        }
        lastBatch += 1
        batches[lastBatch] = Batch(family: family)
        return lastBatch
    }

    /// Adds a change to a batch. If one is refused, the batch's end fails with the same error.
    public func stage(_ change: IndexChange, in batch: Int) throws(SpotlightStoreError) {
        guard let open = batches[batch] else { throw .invalidClientState("the batch is not open") }
        do throws(SpotlightStoreError) {
            try stage(change, batch, open)
        } catch {
            if open.refusal == nil { batches[batch]?.refusal = error }
            throw error
        }
    }

    private func stage(_ change: IndexChange, _ batch: Int, _ open: Batch) throws(SpotlightStoreError) {
        var open = open
        try check(change)
        let bytes: [UInt8]
        do { bytes = try change.plist.encodeBinary() } catch {
            throw .invalidItem("the change cannot be stored: \(error)")
        }
        open.bytes += bytes.count
        guard open.bytes <= limits.batchBytes else {
            throw .quotaExceeded("the changes of a batch have at most \(limits.batchBytes) bytes")
        }
        try run(
            "INSERT INTO staged(batch, number, change) VALUES (?, ?, ?)", .integer(batch), .integer(open.count),
            .blob(bytes))
        open.count += 1
        batches[batch] = open
    }

    /// Applies the changes of a batch, and sets the client state of its index with them, all of it or nothing.
    ///
    /// - Parameters:
    ///   - batch: the batch, which ends here, also after an error.
    ///   - index: the name of the index.
    ///   - state: the client state.
    ///   - now: the time, in seconds since 2001.
    /// - Throws: `SpotlightStoreError` `invalidClientState` for a long state or a batch that is not open; the error of a
    ///   change that was refused; and others.
    @discardableResult
    public func commit(
        _ batch: Int, index: String, state: [UInt8], now: Double
    ) throws(SpotlightStoreError) -> IndexEffect {
        guard let open = batches.removeValue(forKey: batch) else {
            throw .invalidClientState("the batch is not open")
        }
        do throws(SpotlightStoreError) {
            guard state.count <= limits.clientStateBytes else {
                throw .invalidClientState("a client state has at most \(limits.clientStateBytes) bytes")
            }
            try check(index, "the name of an index")
            if let refusal = open.refusal { throw refusal }
            return try transaction { () throws(SpotlightStoreError) in
                let family = try self.family(open.family)
                var effect = IndexEffect()
                for number in 0..<open.count { effect += try perform(try change(number, of: batch), family) }
                try run("DELETE FROM staged WHERE batch = ?", .integer(batch))
                try set(state, of: index, family)
                try finish(family, now)
                return effect
            }
        } catch {
            try? run("DELETE FROM staged WHERE batch = ?", .integer(batch))
            throw error
        }
    }

    private func change(_ number: Int, of batch: Int) throws(SpotlightStoreError) -> IndexChange {
        var found: IndexChange?
        try rows("SELECT change FROM staged WHERE batch = ? AND number = ?", [.integer(batch), .integer(number)]) {
            row in
            let plist = row.withBlob(0) { try? PropertyList(binary: $0, limits: .payload) }
            found = plist.flatMap { IndexChange($0) }
            return false
        }
        guard let found else { throw .storage("a change of the batch cannot be read") }
        return found
    }

    private func set(_ state: [UInt8], of index: String, _ family: Int) throws(SpotlightStoreError) {
        try run(
            "INSERT OR REPLACE INTO states(family, name, state) VALUES (?, ?, ?)", .integer(family), .text(index),
            .blob(state))
        var count = 0
        try rows("SELECT count(*) FROM states WHERE family = ?", [.integer(family)]) { row in
            count = row.integer(0)
            return false
        }
        guard count <= limits.clientStates else {
            throw .quotaExceeded("an app has at most \(limits.clientStates) named indexes with a client state")
        }
    }

    /// Drops a batch that is not committed.
    public func drop(_ batch: Int) {
        guard batches.removeValue(forKey: batch) != nil else { return }
        // What is left is deleted when the store is opened next.
        try? run("DELETE FROM staged WHERE batch = ?", .integer(batch))
    }

    /// Returns the client state of the last batch of an index that is in the store; nil if there is none.
    public func clientState(of index: String, family: String) throws(SpotlightStoreError) -> [UInt8]? {
        guard let id = try knownFamily(family) else { return nil }
        var state: [UInt8]?
        try rows("SELECT state FROM states WHERE family = ? AND name = ?", [.integer(id), .text(index)]) { row in
            state = row.withBlob(0) { Array($0) }
            return false
        }
        return state
    }

    // MARK: Searches

    /// The aim of a search.
    public enum Search: Sendable {
        /// The items of all words, each of which may be the beginning of one.
        case words(String)
        /// The items that match a query.
        case query(SearchQuery)
        /// All items.
        case all
    }

    /// Returns a page of the items that a search finds, the latest change first.
    ///
    /// A page reads a bounded number of rows. So it may have fewer items than wanted, or none, and not be the last.
    ///
    /// - Parameters:
    ///   - search: the search.
    ///   - family: the app family; nil: all.
    ///   - before: the number of the last page; nil: the first page.
    ///   - count: the wanted number of items.
    ///   - now: the time, in seconds since 2001. Items that have expired are not found.
    public func page(
        _ search: Search, of family: String? = nil, before: Int? = nil, count: Int, now: Double
    ) throws(SpotlightStoreError) -> FoundPage {
        var scope: (number: Int, word: String, hasMost: Bool)?
        if let family {
            guard let id = try knownFamily(family) else { return FoundPage(items: [], next: nil) }
            scope = (id, Self.scope(id), try self.count(of: family) * 4 > self.count())
        }
        var condition = SearchCondition.none
        switch search {
        case .words(let text):
            guard let words = SearchCondition.freeWords(text, limit: limits.comparisons) else {
                return FoundPage(items: [], next: nil)
            }
            condition = words
        case .query(let query): condition = SearchCondition(query)
        case .all: break
        }
        var sql = SearchSQL(condition, scope: scope)
        sql.add("items.expires > ?", .real(now))
        if let before { sql.add("\(sql.row) < ?", .integer(before)) }
        var page = FoundPage(items: [], next: nil)
        var (read, bytes) = (0, 0)
        try rows(sql.text, sql.values) { row in
            read += 1
            bytes += row.withBlob(5) { $0.count }
            let number = row.integer(0)
            var item = FoundItem(
                number: number, family: row.text(1), identifier: row.text(2), domain: row.isNull(3) ? nil : row.text(3),
                expires: row.real(4), attributes: [:], searchableNames: [])
            (item.attributes, item.searchableNames) = Self.content(row, 5)
            let isMatch = if case .query(let query) = search { query.matches(item.queried) } else { true }
            if isMatch { page.items.append(item) }
            guard page.items.count < count, read < limits.rowsPerPage, bytes < limits.bytesPerPage else {
                page.next = number
                return false
            }
            return true
        }
        return page
    }

    /// Returns the thumbnail of an item; nil if it has none.
    public func thumbnail(of identifier: String, family: String) throws(SpotlightStoreError) -> [UInt8]? {
        guard let id = try knownFamily(family) else { return nil }
        return try stored(identifier, id)?.thumbnail
    }

    /// Returns the number of items of a family, or of all.
    public func count(of family: String? = nil) throws(SpotlightStoreError) -> Int {
        var count = 0
        let sql = "SELECT coalesce(sum(count), 0) FROM families" + (family == nil ? "" : " WHERE name = ?")
        try rows(sql, family.map { [.text($0)] } ?? []) { row in
            count = row.integer(0)
            return false
        }
        return count
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
