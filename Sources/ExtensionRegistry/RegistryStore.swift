// RegistryStore: the registry's durable data on disk: elections, orders, consents, annotations, and when bundles were
// registered.

public import ExtensionProtocol
import Glibc
import LinuxSystem
import SQLite

/// The SQLite database in the state folder. It is used on one thread, and every call may wait for the disk.
///
/// A change is on disk when its call returns. The write-ahead log (WAL) keeps the file from being half-changed. Each
/// commit is synced (`synchronous=FULL`), so not even a loss of power takes back an acknowledged change.
public final class RegistryStore {
    /// The version of the layout that this code writes. A newer daemon writes a higher one.
    static let schema = 3
    public static let fileName = "registry.sqlite"

    /// A user's order for a path.
    public enum Order: Sendable, Hashable {
        /// The path was added.
        case added
        /// The path was removed while it had this stamp: a bundle of another stamp is another one.
        case removed(stamp: [UInt8])
    }

    /// The whole content of the store, as it was found.
    public struct Contents {
        public var elections: [String: Election] = [:]
        public var orders: [String: Order] = [:]
        public var values: [StoredValues.Owner: StoredValues] = [:]
        /// The registrations, with the index file's data of each bundle.
        var index = BundleIndex()
        /// Whether the index file has all of it.
        var isIndexed = false
        /// The generation of the registrations, which identifies an index file of the same state. A new database has
        /// none yet.
        ///
        /// Each change of the registrations sets another one.
        fileprivate(set) var generation: RequestIdentifier?
    }

    private let database: Database
    private let path: String
    private let folder: String
    /// The new path of a damaged file that was found and put aside, if there was one.
    public let setAside: String?
    public private(set) var contents: Contents

    /// Opens the store in `folder`, and makes the folder if needed.
    ///
    /// A damaged file is put aside under another name, never removed. The elections and orders that can still be read
    /// in it go into the new one.
    ///
    /// - Parameter file: the index file beside it. If it is of the same state, registrations are not read from the
    ///   database: see `checkRegistrations`.
    /// - Throws: `stateUnavailable`, with the cause: no room, no right, another daemon, a newer layout, a foreign file.
    public convenience init(folder: String) throws(ExtensionHostError) { try self.init(folder: folder, file: nil) }

    package init(folder: String, file: IndexFile?) throws(ExtensionHostError) {
        self.folder = folder
        path = "\(folder)/\(Self.fileName)"
        try Self.makeFolder(folder)
        var found = Contents()
        do throws(ExtensionHostError) {
            database = try Self.open(path, file, &found)
            (contents, setAside) = (found, nil)
        } catch  where error.cause?.hasPrefix(Self.damageMark) == true {
            let name = try Self.putAside(path)
            var none = Contents()
            database = try Self.open(path, nil, &none)
            contents = none
            setAside = name
            try restore(found)
        }
    }

    /// Creates a new database in place of a damaged one, which is put aside, and fills it with all that is known.
    ///
    /// The old database must be closed.
    init(folder: String, inPlaceOfDamaged known: Contents, index: BundleIndex) throws(ExtensionHostError) {
        self.folder = folder
        path = "\(folder)/\(Self.fileName)"
        setAside = try Self.putAside(path)
        var none = Contents()
        database = try Self.open(path, nil, &none)
        contents = none
        try restore(known)
        try register(index.entries, gone: [])
    }

    /// Writes the data that was read from a damaged file, as one change.
    private func restore(_ found: Contents) throws(ExtensionHostError) {
        let now = Int(BundleScan.wallClock / 1000)
        try change { () throws(SQLiteError) in
            for (identifier, election) in found.elections { try write(election, of: identifier, at: now) }
            for (path, order) in found.orders { try write(order, of: path, at: now) }
            for (owner, values) in found.values { try write(values, of: owner) }
        }
        (contents.elections, contents.orders, contents.values) = (found.elections, found.orders, found.values)
    }

    /// The prefix of the cause that identifies a damaged file.
    private static let damageMark = "the file is damaged"

    // MARK: Changes

    public func setElection(_ election: Election, of identifier: String, at time: Int) throws(ExtensionHostError) {
        try change { () throws(SQLiteError) in try write(election, of: identifier, at: time) }
        contents.elections[identifier] = election == .default ? nil : election
    }

    private func write(_ election: Election, of identifier: String, at time: Int) throws(SQLiteError) {
        if election == .default {
            try database.statement("DELETE FROM election WHERE identifier = ?").run(.text(identifier))
        } else {
            try database.statement("INSERT OR REPLACE INTO election VALUES (?, ?, ?)").run(
                .text(identifier), .text(election.rawValue), .integer(time))
        }
    }

    /// Stores the consents and annotations of an extension, in place of the earlier ones.
    func setValues(_ values: StoredValues, of owner: StoredValues.Owner) throws(ExtensionHostError) {
        try change { () throws(SQLiteError) in try write(values, of: owner) }
        contents.values[owner] = values.isEmpty ? nil : values
    }

    private func write(_ values: StoredValues, of owner: StoredValues.Owner) throws(SQLiteError) {
        let user = Int(owner.user)
        try database.statement("DELETE FROM value WHERE identifier = ? AND user = ?").run(
            .text(owner.identifier), .integer(user))
        let insertion = try database.statement("INSERT INTO value VALUES (?, ?, ?, ?, ?)")
        for name in values.consents {
            try insertion.run(.text(owner.identifier), .integer(user), .text("consent"), .text(name), .null)
        }
        for (name, value) in values.annotations {
            try insertion.run(.text(owner.identifier), .integer(user), .text("annotation"), .text(name), .blob(value))
        }
    }

    /// Stores several orders as one change; nil deletes the order for a path.
    func setOrders(_ orders: [String: Order?], at time: Int) throws(ExtensionHostError) {
        try change { () throws(SQLiteError) in for (path, order) in orders { try write(order, of: path, at: time) } }
        for (path, order) in orders { contents.orders[path] = order }
    }

    private func write(_ order: Order?, of path: String, at time: Int) throws(SQLiteError) {
        switch order {
        case nil: try database.statement("DELETE FROM placement WHERE path = ?").run(.text(path))
        case .added:
            try database.statement("INSERT OR REPLACE INTO placement VALUES (?, 'added', ?, NULL)").run(
                .text(path), .integer(time))
        case .removed(let stamp):
            try database.statement("INSERT OR REPLACE INTO placement VALUES (?, 'removed', ?, ?)").run(
                .text(path), .integer(time), .blob(stamp))
        }
    }

    /// Updates the registrations to match a scan, as one change. From then on the index file is of another state.
    func register(_ entries: [BundleIndex.Entry], gone: [String]) throws(ExtensionHostError) {
        guard !entries.isEmpty || !gone.isEmpty || contents.generation == nil else { return }
        let generation = RequestIdentifier()
        try change { () throws(SQLiteError) in
            let removal = try database.statement("DELETE FROM registration WHERE path = ?")
            for path in gone { try removal.run(.text(path)) }
            let insertion = try database.statement("INSERT OR REPLACE INTO registration VALUES (?, ?, ?, ?)")
            for entry in entries {
                try insertion.run(
                    .text(entry.path), .text(entry.registration.uuid.description), .integer(entry.registration.time),
                    entry.stamp.map { .blob($0.bytes) } ?? .null)
            }
            try database.statement("UPDATE generation SET value = ?").run(.text(generation.description))
        }
        contents.generation = generation
        // Opening a database reads its whole log, so a start should not find a log of a thousand bundles.
        if entries.count + gone.count >= Self.manyRows { _ = try? database.integer("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    private static let manyRows = 64

    /// Writes the index file anew. Its loss slows down a start and has no other effect.
    func writeIndex(_ index: BundleIndex) throws(SystemError) {
        guard let generation = contents.generation else { return }
        try IndexFile(generation: generation, entries: index.entries).write(to: folder)
    }

    /// Whether the part that a start left unread is intact; false for a damaged file.
    func checkRegistrations() -> Bool {
        do throws(SQLiteError) {
            let check = try database.statement("PRAGMA quick_check(1)")
            return try !check.step() || check.text(0) == "ok"
        } catch {
            return error.kind != .corrupt
        }
    }

    /// Returns the index as it was found, once. The caller owns it from then on.
    func takeIndex() -> BundleIndex {
        defer { contents.index = BundleIndex() }
        return contents.index
    }

    private func change(_ body: () throws(SQLiteError) -> Void) throws(ExtensionHostError) {
        do throws(SQLiteError) {
            try database.transaction(body)
        } catch {
            throw Self.unavailable(error, path)
        }
    }

    // MARK: Opening

    private static func makeFolder(_ folder: String) throws(ExtensionHostError) {
        var part = ""
        for name in folder.split(separator: "/") {
            part += "/\(name)"
            guard mkdir(part, 0o700) != 0 else { continue }
            let failure = SystemError("mkdir")
            var status = stat()
            if stat(part, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { continue }
            throw ExtensionHostError(
                .stateUnavailable, "the state folder \(folder) cannot be made",
                remedy: "Make it, or set XDG_STATE_HOME to a folder of your own", cause: "\(failure)")
        }
    }

    /// - Parameter contents: receives the contents; if the call throws, it has what was read before.
    private static func open(
        _ path: String, _ file: IndexFile?, _ contents: inout Contents
    ) throws(ExtensionHostError) -> Database {
        let database: Database
        let version: Int
        do throws(SQLiteError) {
            database = try Database(path: path)
            // One daemon owns the file: there is no shared memory file, and a second daemon fails instead of taking
            // turns. An older daemon that is just ending gets this long.
            try database.execute(
                "PRAGMA busy_timeout = 500; PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON"
            )
            version = try database.integer("PRAGMA user_version")
            // A foreign database may have version 0 as well.
            if version == 0, try database.integer("SELECT count(*) FROM sqlite_schema") > 0 { throw strange }
        } catch {
            throw unavailable(error, path)
        }
        guard version <= schema else {
            throw ExtensionHostError(
                .stateUnavailable,
                "\(path) was written by a newer daemon: its layout is \(version), and this daemon supports \(schema)",
                remedy: "Update exthostd, or move the file away and elect again")
        }
        do throws(SQLiteError) {
            try database.execute(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -512; PRAGMA temp_store = MEMORY"
            )
            try migrate(database, from: version)
            try load(database, file, into: &contents)
            return database
        } catch {
            throw unavailable(error, path)
        }
    }

    /// The error for a foreign database, for which SQLite has no code.
    private static let strange = SQLiteError(code: 0, message: "a database of another program")

    /// Migrates the layout step by step. Each step is one transaction with its number, so a kill leaves a complete
    /// layout.
    private static func migrate(_ database: Database, from version: Int) throws(SQLiteError) {
        let steps = [
            """
            CREATE TABLE election (
                identifier TEXT PRIMARY KEY, value TEXT NOT NULL CHECK (value IN ('use', 'ignore')), time INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE placement (
                path TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('added', 'removed')), time INTEGER NOT NULL, stamp BLOB
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE copy (
                path TEXT PRIMARY KEY, uuid TEXT NOT NULL, time INTEGER NOT NULL, stamp BLOB, bundle BLOB
            ) STRICT;
            """,
            // The data of the bundles moved to a file of its own.
            """
            CREATE TABLE registration (
                path TEXT PRIMARY KEY, uuid TEXT NOT NULL, time INTEGER NOT NULL, stamp BLOB
            ) STRICT, WITHOUT ROWID;
            INSERT INTO registration SELECT path, uuid, time, stamp FROM copy;
            DROP TABLE copy;
            CREATE TABLE generation (value TEXT NOT NULL) STRICT;
            INSERT INTO generation VALUES ('');
            """,
            """
            CREATE TABLE value (
                identifier TEXT NOT NULL, user INTEGER NOT NULL,
                kind TEXT NOT NULL CHECK (kind IN ('consent', 'annotation')), name TEXT NOT NULL, value BLOB,
                PRIMARY KEY (identifier, user, kind, name)
            ) STRICT, WITHOUT ROWID;
            """,
        ]
        for (number, step) in steps.enumerated().dropFirst(version) {
            try database.transaction { () throws(SQLiteError) in
                try database.execute(step)
                try database.execute("PRAGMA user_version = \(number + 1)")
            }
        }
    }

    private static func load(
        _ database: Database, _ file: IndexFile?, into contents: inout Contents
    ) throws(SQLiteError) {
        let elections = try database.statement("SELECT identifier, value FROM election")
        while try elections.step() { contents.elections[elections.text(0)] = Election(rawValue: elections.text(1)) }
        let orders = try database.statement("SELECT path, kind, stamp FROM placement")
        while try orders.step() {
            contents.orders[orders.text(0)] =
                orders.text(1) == "added" ? .added : .removed(stamp: orders.withBlob(2) { Array($0) })
        }
        let values = try database.statement("SELECT identifier, user, kind, name, value FROM value")
        while try values.step() {
            guard let user = UInt32(exactly: values.integer(1)) else { continue }
            let owner = StoredValues.Owner(values.text(0), of: user)
            if values.text(2) == "consent" {
                contents.values[owner, default: StoredValues()].consents.insert(values.text(3))
            } else {
                contents.values[owner, default: StoredValues()].annotations[values.text(3)] = values.withBlob(4) {
                    Array($0)
                }
            }
        }
        let generation = try database.statement("SELECT value FROM generation")
        if try generation.step(), let value = RequestIdentifier(generation.text(0)) {
            contents.generation = value
            if let file, file.generation == value {
                (contents.index, contents.isIndexed) = (BundleIndex(file.entries), true)
                return
            }
        }
        contents.index = try registrations(database, BundleIndex(file?.entries ?? []))
    }

    /// - Parameter file: the index of another state; its data of a bundle is valid if the stamps are equal.
    private static func registrations(_ database: Database, _ file: BundleIndex) throws(SQLiteError) -> BundleIndex {
        var entries: [BundleIndex.Entry] = []
        let rows = try database.statement("SELECT path, uuid, time, stamp FROM registration ORDER BY path")
        while try rows.step() {
            guard let uuid = RequestIdentifier(rows.text(1)) else { continue }
            let path = rows.text(0)
            let stamp = rows.withBlob(3) { BundleStamp($0) }
            let known = file[path].flatMap { $0.stamp == stamp ? $0 : nil }
            entries.append(
                BundleIndex.Entry(
                    path: path, registration: Registration(uuid: uuid, time: rows.integer(2)), stamp: stamp,
                    bundle: known?.bundle, isTrusted: known?.isTrusted ?? false,
                    listing: known?.listing ?? FolderListing()))
        }
        return BundleIndex(entries)
    }

    private static func putAside(_ path: String) throws(ExtensionHostError) -> String {
        var name = "\(path).damaged-\(time(nil))"
        var number = 1
        while access(name, F_OK) == 0 {
            number += 1
            name = "\(path).damaged-\(time(nil))-\(number)"
        }
        guard rename(path, name) == 0 else {
            throw ExtensionHostError(
                .stateUnavailable, "\(path) is damaged and cannot be renamed", remedy: "Move it away",
                cause: "\(SystemError("rename"))")
        }
        // The log belongs to the old file, not to the new one.
        _ = rename(path + "-wal", name + "-wal")
        return name
    }

    private static func unavailable(_ error: SQLiteError, _ path: String) -> ExtensionHostError {
        if error == strange {
            return ExtensionHostError(
                .stateUnavailable, "\(path) is a database of another program",
                remedy: "Move it away, or set XDG_STATE_HOME")
        }
        let (message, remedy) =
            switch error.kind {
            case .full: ("there is no space to write \(path)", "Free some space, or raise the quota, and try again")
            case .corrupt: ("\(path) is damaged", "Restart the daemon: it renames the file and makes a new one")
            case .busy:
                (
                    "another daemon has \(path) open",
                    "Stop the other daemon, or give this one its own folder with XDG_STATE_HOME"
                )
            case .denied:
                ("this user may not open or write \(path)", "Give this user access to it, or set XDG_STATE_HOME")
            case .input: ("\(path) cannot be read or written", "Check the disk: its space, its limits, its health")
            case .interrupted, .other: ("\(path) cannot be used", "Report it; the daemon continues without it")
            }
        let cause = error.kind == .corrupt ? "\(damageMark): \(error)" : "\(error)"
        return ExtensionHostError(.stateUnavailable, message, remedy: remedy, cause: cause)
    }
}
