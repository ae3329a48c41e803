// ContentStore: the contents of a replicated provider's files, in a folder of the host's.

import Foundation
import Glibc
import LinuxDescriptors
import PointMessages
import SQLite

/// A step of the storing of contents, after which a test ends the host.
package enum ContentStep: String, Sendable, CaseIterable {
    /// Fetched contents are in a file without a record.
    case copied
    /// A record of them is made, and their file is not at its place.
    case recorded
    /// The record and the file are there.
    case adopted
    /// Contents are about to be replaced in place.
    case replacing
    /// The contents are replaced, and their record says that they are not.
    case replaced
    /// The provider has the contents of a file that takes another's place.
    case moved
    /// The former contents of the place are dropped.
    case dropped
    /// The record of the place has the new contents, and the first item is still there.
    case settled
}

/// The files of one provider, and a table with the version of each.
///
/// A file whose size or time differs from the table has changes that the provider has not got, also after the host's
/// end. Only the executor of its `ProviderFiles` uses it.
final class ContentStore {
    /// A row of the table.
    struct Record {
        /// The item as it was when the contents were last the provider's.
        var item: FileItem
        /// The name in the folder.
        let number: Int
    }

    let folder: String
    private let database: Database
    private let lock: OwnedDescriptor
    /// The function that hears of each step.
    let onStep: @Sendable (ContentStep) -> Void

    /// Opens the store in a folder, which is made if it is not there.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - identifier: the provider, which the table names for whoever looks at the store.
    ///   - domain: the domain, or an empty text.
    ///   - onStep: hears of each step.
    /// - Throws: `FileFailure` `failed` if another process has the store, or the folder cannot be used.
    init(
        folder: String, of identifier: String, domain: String, onStep: @escaping @Sendable (ContentStep) -> Void
    ) throws(FileFailure) {
        (self.folder, self.onStep) = (folder, onStep)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let lock = try openDirectory(folder)
            guard try lockFile(lock.raw, exclusive: true) else {
                throw FileFailure(
                    .failed,
                    "another process has the store \(folder). End it, or use another folder with --store")
            }
            self.lock = lock
            database = try Database(path: folder + "/items.db")
            try database.execute(
                """
                PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
                CREATE TABLE IF NOT EXISTS files (
                    number INTEGER PRIMARY KEY AUTOINCREMENT, identifier TEXT NOT NULL UNIQUE, item BLOB NOT NULL,
                    size INTEGER NOT NULL, changed INTEGER NOT NULL);
                CREATE TABLE IF NOT EXISTS owner (identifier TEXT NOT NULL, domain TEXT NOT NULL);
                DELETE FROM owner;
                """)
            try database.statement("INSERT INTO owner VALUES (?, ?)").run(.text(identifier), .text(domain))
        } catch let failure as FileFailure {
            throw failure
        } catch {
            throw FileFailure(.failed, "the store \(folder) cannot be used: \(error)")
        }
        dropStrays()
    }

    /// Lets another host have the store. This object is not used any more.
    func release() { flock(lock.raw, LOCK_UN) }

    /// The number in place of a time that says: the contents are no good, since a host has ended while it replaced them.
    private static let incomplete = -1

    /// Deletes files without a record, and records without good contents: a host has ended while it stored them.
    private func dropStrays() {
        for record in all() where access(path(record.number), F_OK) != 0 { drop(record.number) }
        if let statement = try? database.statement("SELECT number FROM files WHERE changed = ?") {
            var numbers: [Int] = []
            try? statement.bind([.integer(Self.incomplete)])
            while (try? statement.step()) == true { numbers.append(statement.integer(0)) }
            for number in numbers { drop(number) }
        }
        let known = Set(all().map { "\($0.number)" })
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where !name.hasPrefix("items.db") && !known.contains(name) {
            unlink("\(folder)/\(name)")
        }
    }

    func path(_ number: Int) -> String { "\(folder)/\(number)" }

    private func storing<Value>(_ body: () throws -> Value) throws(FileFailure) -> Value {
        do {
            return try body()
        } catch let error as SystemError {
            throw FileFailure(system: error.code, "the store \(folder): \(error)")
        } catch {
            throw FileFailure(.failed, "the store \(folder): \(error)")
        }
    }

    /// Returns the record of an item whose contents are here.
    func record(_ identifier: String) -> Record? {
        guard let statement = try? database.statement("SELECT number, item FROM files WHERE identifier = ?"),
            (try? statement.bind([.text(identifier)])) != nil, (try? statement.step()) == true
        else { return nil }
        return record(statement)
    }

    private func record(_ statement: Statement) -> Record? {
        let bytes = statement.withBlob(1) { [UInt8]($0) }
        guard let item = try? JSONDecoder().decode(StoredItem.self, from: Data(bytes)) else { return nil }
        return Record(item: item.item, number: statement.integer(0))
    }

    /// All records.
    func all() -> [Record] {
        guard let statement = try? database.statement("SELECT number, item FROM files ORDER BY number") else {
            return []
        }
        var found: [Record] = []
        while (try? statement.step()) == true { if let record = record(statement) { found.append(record) } }
        return found
    }

    /// Makes an empty file and its record, which counts as unchanged.
    func make(_ item: FileItem) throws(FileFailure) -> Record {
        try storing {
            let insert = try database.statement(
                "INSERT OR REPLACE INTO files (identifier, item, size, changed) VALUES (?, ?, 0, 0)")
            try insert.run(.text(item.identifier), .blob(try Self.encode(item)))
            let number = try database.integer("SELECT last_insert_rowid()")
            unlink(path(number))
            let file = try createFile(path(number))
            try note(number, item, file.raw)
            return Record(item: item, number: number)
        }
    }

    /// Makes the record of contents that are whole, and moves their file to its place. The item's former record goes.
    ///
    /// - Parameter draft: a file in the folder, whose name no record has.
    func adopt(_ draft: String, _ item: FileItem, _ raw: Int32) throws(FileFailure) -> Record {
        if let old = record(item.identifier) { drop(old.number) }
        return try storing {
            try database.statement("INSERT INTO files (identifier, item, size, changed) VALUES (?, ?, 0, 0)").run(
                .text(item.identifier), .blob(try Self.encode(item)))
            let number = try database.integer("SELECT last_insert_rowid()")
            try note(number, item, raw)
            onStep(.recorded)
            guard rename(draft, path(number)) == 0 else { throw SystemError("rename") }
            onStep(.adopted)
            return Record(item: item, number: number)
        }
    }

    /// Notes that the contents are being replaced in place. `settle` ends that.
    func beginReplacing(_ number: Int) throws(FileFailure) {
        try storing {
            try database.statement("UPDATE files SET changed = ? WHERE number = ?").run(
                .integer(Self.incomplete), .integer(number))
        }
        onStep(.replacing)
    }

    /// Notes that the file has the provider's contents of `item`.
    func settle(_ number: Int, _ item: FileItem, _ raw: Int32) throws(FileFailure) {
        try storing { try note(number, item, raw) }
    }

    private func note(_ number: Int, _ item: FileItem, _ raw: Int32) throws {
        let (size, latest) = try Self.stamp(raw)
        // A write within the same tick of the kernel's clock would give the same time: no write gives this one.
        let changed = latest - 1
        var times = (timespec(), timespec())
        times.0.tv_nsec = Self.unchangedTime
        times.1 = timespec(tv_sec: changed / 1_000_000_000, tv_nsec: changed % 1_000_000_000)
        let isSet = withUnsafePointer(to: &times) { pair in
            pair.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(raw, $0) }
        }
        guard isSet == 0 else { throw SystemError("futimens") }
        try database.statement("UPDATE files SET item = ?, size = ?, changed = ?, identifier = ? WHERE number = ?").run(
            .blob(try Self.encode(item)), .integer(size), .integer(changed), .text(item.identifier), .integer(number))
    }

    /// Keeps the record of an item in step with it, without a word on the contents.
    func update(_ number: Int, _ item: FileItem) throws(FileFailure) {
        try storing {
            try database.statement("UPDATE files SET item = ?, identifier = ? WHERE number = ?").run(
                .blob(try Self.encode(item)), .text(item.identifier), .integer(number))
        }
    }

    /// Whether the file has changes that the provider has not got.
    func isChanged(_ number: Int, _ raw: Int32) -> Bool {
        guard let statement = try? database.statement("SELECT size, changed FROM files WHERE number = ?"),
            (try? statement.bind([.integer(number)])) != nil, (try? statement.step()) == true,
            let stamp = try? Self.stamp(raw)
        else { return false }
        return statement.integer(1) != Self.incomplete && (statement.integer(0), statement.integer(1)) != stamp
    }

    /// Drops a record and its file. Open descriptors keep the contents.
    func drop(_ number: Int) {
        try? database.statement("DELETE FROM files WHERE number = ?").run(.integer(number))
        unlink(path(number))
    }

    /// `UTIME_OMIT` of utimensat(2), a macro that Swift does not import.
    private static let unchangedTime = (1 << 30) - 2

    /// The size and the time of the last change, in nanoseconds.
    static func stamp(_ raw: Int32) throws(SystemError) -> (Int, Int) {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw SystemError("fstat") }
        return (Int(status.st_size), Int(status.st_mtim.tv_sec) * 1_000_000_000 + Int(status.st_mtim.tv_nsec))
    }

    private static func encode(_ item: FileItem) throws -> [UInt8] {
        [UInt8](try JSONEncoder().encode(StoredItem(item)))
    }
}

/// A store of a replicated provider, as anybody may look at it.
public struct FileStoreSummary: Sendable, Hashable {
    /// The extension's identifier.
    public let identifier: String
    /// The domain's identifier; nil for a provider without domains.
    public let domain: String?
    /// The number of files that are on this machine, and their bytes.
    public let (files, bytes): (Int, Int)
    /// The names of files whose changes the provider has not got.
    public let pending: [String]
    /// Whether a host has the store.
    public let isInUse: Bool

    /// Looks at all stores in a folder. A folder that is not there has none.
    ///
    /// - Throws: `FileFailure` if a store cannot be read.
    public static func all(in folder: String) throws(FileFailure) -> [FileStoreSummary] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var found: [FileStoreSummary] = []
        for name in names.sorted() where name.hasPrefix("store-") {
            do {
                if let summary = try FileStoreSummary("\(folder)/\(name)") { found.append(summary) }
            } catch {
                throw FileFailure(.failed, "the store \(folder)/\(name) cannot be read: \(error)")
            }
        }
        return found
    }

    /// - Returns: nil for a folder that no host has finished to make.
    private init?(_ folder: String) throws {
        guard FileManager.default.fileExists(atPath: folder + "/items.db") else { return nil }
        let lock = try openDirectory(folder)
        isInUse = try !lockFile(lock.raw, exclusive: true)
        let database = try Database(path: folder + "/items.db")
        let owner = try database.statement("SELECT identifier, domain FROM owner")
        guard try owner.step() else { return nil }
        identifier = owner.text(0)
        domain = owner.text(1).isEmpty ? nil : owner.text(1)
        let rows = try database.statement("SELECT number, item, size, changed FROM files ORDER BY number")
        var (count, bytes, pending) = (0, 0, [String]())
        while try rows.step() {
            guard let file = try? openForReading("\(folder)/\(rows.integer(0))") else { continue }
            let stamp = try ContentStore.stamp(file.raw)
            count += 1
            bytes += stamp.0
            guard (rows.integer(2), rows.integer(3)) != stamp else { continue }
            let stored = rows.withBlob(1) { Data($0) }
            pending.append((try? JSONDecoder().decode(StoredItem.self, from: stored))?.item.name ?? "?")
        }
        (files, self.bytes, self.pending) = (count, bytes, pending)
    }
}

/// The parts of an item that a later host needs. Values for rules are not among them.
private struct StoredItem: Codable {
    var item: FileItem

    init(_ item: FileItem) {
        self.item = item
        self.item.userInfo = nil
    }
}

/// A file that another process cannot make writable, with the bytes of `source` at this moment.
///
/// - Throws: `SystemError`.
func snapshot(of source: Int32, in folder: String) throws(SystemError) -> SharedDescriptor {
    let path = "\(folder)/\(UUID().uuidString).snapshot"
    let file = SharedDescriptor(try createFile(path))
    // Nothing stays behind, whenever this process ends.
    unlink(path)
    _ = try copyFile(from: source, to: file.raw, size: try FileStatus(of: source).size)
    return SharedDescriptor(try openForReading("/proc/self/fd/\(file.raw)"))
}
