// RegistryStore: what the registry remembers on disk: elections, registrations, and the index of bundles.

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
    static let schema = 1
    public static let fileName = "registry.sqlite"

    /// What is known of a path besides the bundle itself.
    struct Registration: Sendable, Hashable {
        var uuid: String
        /// Microseconds since 1970.
        var time: Int
    }

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
        var index = BundleIndex()
    }

    private let database: Database
    private let path: String
    /// A damaged file that was found and put aside, if there was one.
    public let setAside: String?
    public private(set) var contents: Contents

    /// Opens the store in `folder`, which is made if it is not there. A damaged file is put aside under another name, never removed; what
    /// can still be read in it of elections and orders goes into the new one. The index is most of a file, and is made anew.
    ///
    /// - Throws: `stateUnavailable`, with what keeps it: no room, no right, another daemon, a newer layout, a strange file.
    public init(folder: String) throws(ExtensionHostError) {
        path = "\(folder)/\(Self.fileName)"
        try Self.makeFolder(folder)
        var found = Contents()
        do throws(ExtensionHostError) {
            database = try Self.open(path, &found)
            (contents, setAside) = (found, nil)
        } catch  where error.cause?.hasPrefix(Self.damageMark) == true {
            let name = try Self.putAside(path)
            var none = Contents()
            database = try Self.open(path, &none)
            contents = none
            setAside = name
            try restore(found)
        }
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

    /// Brings the index in step with a walk, as one change.
    func update(_ entries: [BundleIndex.Entry], gone: [String]) throws(ExtensionHostError) {
        guard !entries.isEmpty || !gone.isEmpty else { return }
        try change { () throws(SQLiteError) in
            let removal = try database.statement("DELETE FROM copy WHERE path = ?")
            for path in gone { try removal.run(.text(path)) }
            let insertion = try database.statement("INSERT OR REPLACE INTO copy VALUES (?, ?, ?, ?, ?)")
            for entry in entries {
                // What cannot be trusted is read again anyway; its registration is kept all the same.
                let bundle = entry.isTrusted ? entry.bundle : nil
                try insertion.run(
                    .text(entry.path), .text(entry.registration.uuid), .integer(entry.registration.time),
                    entry.stamp.map { .blob($0.bytes) } ?? .null,
                    bundle.map { .blob(BundleCoding.encode($0, beside: entry.listing.bytes)) } ?? .null)
            }
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
    private static func open(_ path: String, _ contents: inout Contents) throws(ExtensionHostError) -> Database {
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
            try load(database, into: &contents)
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
            """
        ]
        for (number, step) in steps.enumerated().dropFirst(version) {
            try database.transaction { () throws(SQLiteError) in
                try database.execute(step)
                try database.execute("PRAGMA user_version = \(number + 1)")
            }
        }
    }

    private static func load(_ database: Database, into contents: inout Contents) throws(SQLiteError) {
        let elections = try database.statement("SELECT identifier, value FROM election")
        while try elections.step() { contents.elections[elections.text(0)] = Election(rawValue: elections.text(1)) }
        let orders = try database.statement("SELECT path, kind, stamp FROM placement")
        while try orders.step() {
            contents.orders[orders.text(0)] =
                orders.text(1) == "added" ? .added : .removed(stamp: orders.withBlob(2) { Array($0) })
        }
        var entries: [BundleIndex.Entry] = []
        let copies = try database.statement("SELECT path, uuid, time, stamp, bundle FROM copy")
        while try copies.step() {
            let path = copies.text(0)
            let registration = Registration(uuid: copies.text(1), time: copies.integer(2))
            let stamp = copies.withBlob(3) { BundleStamp($0) }
            let (bundle, listing) = copies.withBlob(4) { blob in
                let kept = BundleCoding.decode(blob, path: path)
                return (kept?.bundle, kept.map { FolderListing($0.beside) } ?? FolderListing())
            }
            entries.append(
                BundleIndex.Entry(
                    path: path, registration: registration, stamp: stamp, bundle: bundle,
                    isTrusted: bundle != nil && stamp != nil, listing: listing))
        }
        contents.index = BundleIndex(entries)
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
