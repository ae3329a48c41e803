// RegistryStore: what the registry remembers on disk and must not lose: elections, orders, and when bundles were registered.

public import ExtensionProtocol
import Glibc
import LinuxSystem
import SQLite

/// A SQLite database in the state folder. Used on one thread; every call may wait for the disk.
///
/// What a call has changed is on the disk when it returns: the log is written ahead (WAL), so that a file is never half-changed, and
/// synced at each commit (`synchronous=FULL`), so that not even a loss of power takes back what was acknowledged.
public final class RegistryStore {
    /// The layout that this version writes; a higher one is a newer daemon's.
    static let schema = 2
    public static let fileName = "registry.sqlite"

    /// What somebody ordered for a path.
    public enum Order: Sendable, Hashable {
        /// It was added by its path.
        case added
        /// It was removed, as it was then: a bundle of another stamp is another one.
        case removed(stamp: [UInt8])
    }

    /// Everything, as it was found.
    public struct Contents {
        public var elections: [String: Election] = [:]
        public var orders: [String: Order] = [:]
        /// The registrations, with what the index file knows of each bundle.
        var index = BundleIndex()
        /// Whether the index file says all of it.
        var isIndexed = false
        /// Another one with each change of the registrations: by it an index file is known to be of the same state. A new database has
        /// none yet.
        fileprivate(set) var generation: RequestIdentifier?
    }

    private let database: Database
    private let path: String
    private let folder: String
    /// A damaged file that was found and put aside, if there was one.
    public let setAside: String?
    public private(set) var contents: Contents

    /// Opens the store in `folder`, which is made if it is not there. A damaged file is put aside under another name, never removed; what
    /// can still be read in it of elections and orders goes into the new one.
    ///
    /// - Parameter file: the index that lies beside it. Where that is of the same state, registrations are not read from the database: see
    ///   `checkRegistrations`.
    /// - Throws: `stateUnavailable`, with what keeps it: no room, no right, another daemon, a newer layout, a strange file.
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

    /// Begins anew in place of a damaged database, which is put aside, with all that is known. Nobody may have it open any more.
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

    /// What was read of a damaged file, as one change.
    private func restore(_ found: Contents) throws(ExtensionHostError) {
        let now = Int(BundleScan.wallClock / 1000)
        try change { () throws(SQLiteError) in
            for (identifier, election) in found.elections { try write(election, of: identifier, at: now) }
            for (path, order) in found.orders { try write(order, of: path, at: now) }
        }
        (contents.elections, contents.orders) = (found.elections, found.orders)
    }

    /// The start of the cause by which a damaged file is known.
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

    /// Several orders as one change; nil forgets what was ordered for a path.
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

    /// Brings the registrations in step with a walk, as one change. The index file is of another state from then on.
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
        // A log is read whole when it is opened: a start should not find that of a thousand bundles.
        if entries.count + gone.count >= Self.manyRows { _ = try? database.integer("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    private static let manyRows = 64

    /// Writes the index file anew. It costs a start some time if it is lost, and nobody anything else.
    func writeIndex(_ index: BundleIndex) throws(SystemError) {
        guard let generation = contents.generation else { return }
        try IndexFile(generation: generation, entries: index.entries).write(to: folder)
    }

    /// Whether what a start left unread is as it should be; `false` for a damaged file.
    func checkRegistrations() -> Bool {
        do throws(SQLiteError) {
            let check = try database.statement("PRAGMA quick_check(1)")
            return try !check.step() || check.text(0) == "ok"
        } catch {
            return error.kind != .corrupt
        }
    }

    /// The index as it was found, once: it is the caller's from then on.
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

    /// - Parameter contents: what is there; where it throws, what was read before.
    private static func open(
        _ path: String, _ file: IndexFile?, _ contents: inout Contents
    ) throws(ExtensionHostError) -> Database {
        let database: Database
        let version: Int
        do throws(SQLiteError) {
            database = try Database(path: path)
            // One daemon owns it: no shared memory file, and a second daemon is told so instead of taking turns. An older one
            // that is just ending gets this long.
            try database.execute(
                "PRAGMA busy_timeout = 500; PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON"
            )
            version = try database.integer("PRAGMA user_version")
            // A database of somebody else's counts from 0, too.
            if version == 0, try database.integer("SELECT count(*) FROM sqlite_schema") > 0 { throw strange }
        } catch {
            throw unavailable(error, path)
        }
        guard version <= schema else {
            throw ExtensionHostError(
                .stateUnavailable,
                "\(path) was written by a newer daemon: its layout is \(version), and this one knows \(schema)",
                remedy: "Bring exthostd up to date, or move the file away and elect anew")
        }
        do throws(SQLiteError) {
            try database.execute(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -512; PRAGMA temp_store = MEMORY")
            try migrate(database, from: version)
            try load(database, file, into: &contents)
            return database
        } catch {
            throw unavailable(error, path)
        }
    }

    /// SQLite has no code for it.
    private static let strange = SQLiteError(code: 0, message: "a database of something else")

    /// Each step is one transaction with its number, so that a kill leaves the layout before it or after it.
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
            // What was known of the bundles went into a file of its own.
            """
            CREATE TABLE registration (
                path TEXT PRIMARY KEY, uuid TEXT NOT NULL, time INTEGER NOT NULL, stamp BLOB
            ) STRICT, WITHOUT ROWID;
            INSERT INTO registration SELECT path, uuid, time, stamp FROM copy;
            DROP TABLE copy;
            CREATE TABLE generation (value TEXT NOT NULL) STRICT;
            INSERT INTO generation VALUES ('');
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

    /// - Parameter file: of another state; what it knows of a bundle holds where the stamps are the same.
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
                    bundle: known?.bundle, isTrusted: known?.isTrusted ?? false, listing: known?.listing ?? FolderListing()))
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
        // Its log belongs to it, not to the new file.
        _ = rename(path + "-wal", name + "-wal")
        return name
    }

    private static func unavailable(_ error: SQLiteError, _ path: String) -> ExtensionHostError {
        if error == strange {
            return ExtensionHostError(
                .stateUnavailable, "\(path) is a database of something else", remedy: "Move it away, or set XDG_STATE_HOME")
        }
        let (message, remedy) =
            switch error.kind {
            case .full: ("there is no room to write \(path)", "Free some space, or raise the quota, and try again")
            case .corrupt: ("\(path) is damaged", "Restart the daemon: it puts the file aside and begins a new one")
            case .busy:
                ("another daemon has \(path)", "End the other daemon, or give this one a folder of its own by XDG_STATE_HOME")
            case .denied: ("\(path) may not be opened or written", "Give this user the right to it, or set XDG_STATE_HOME")
            case .input: ("\(path) cannot be read or written", "Look after the disk: its room, its limits, its health")
            case .other: ("\(path) cannot be used", "Report it; the daemon serves on without it")
            }
        let cause = error.kind == .corrupt ? "\(damageMark): \(error)" : "\(error)"
        return ExtensionHostError(.stateUnavailable, message, remedy: remedy, cause: cause)
    }
}
