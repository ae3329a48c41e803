// StoreExamination: the examination of the elections database, without a change and beside a running daemon.

import Glibc
import LinuxSystem
import SQLite

/// The result of examining a state folder. It reads files and writes a temporary copy, so it never runs on a loop.
package enum StoreExamination: Sendable, Hashable {
    /// There is no database: a daemon makes one.
    case absent
    /// A process has it open exclusively; 0 if its number is unknown.
    case inUse(pid: Int32)
    case sound(layout: Int, bundles: Int, elections: Int)
    /// A newer daemon wrote it.
    case newer(layout: Int, known: Int)
    /// The file is damaged; the text is SQLite's message.
    case damaged(String)
    /// The database belongs to another program.
    case strange
    /// The database, or a copy of it, cannot be read or made.
    case unreadable(String)

    /// The maximum size of a database that is copied, in bytes.
    private static let sizeLimit = 512 << 20

    package init(folder: String) {
        let path = "\(folder)/\(RegistryStore.fileName)"
        do {
            self = try Self.examine(path)
        } catch let error as SystemError {
            self = error.code == ENOENT ? .absent : .unreadable("\(error)")
        } catch let error as SQLiteError {
            self = error.kind == .corrupt ? .damaged("\(error)") : .unreadable("\(error)")
        } catch {
            self = .unreadable("\(error)")
        }
    }

    private static func examine(_ path: String) throws -> StoreExamination {
        let file = try openForReading(path)
        guard try FileStatus(of: file.raw).isRegular else { throw SystemError("open", code: EINVAL) }
        // SQLite locks bytes from 1 GiB on, the last 510 of them to read and to write (its os.h). A daemon holds these
        // locks for its whole life.
        if let holder = try lockHolder(of: file.raw, from: 0x4000_0000, count: 512) { return .inUse(pid: holder) }
        // The log is copied as well, because it may hold all the data. A copy is needed, since opening the log changes
        // the file.
        let folder = try TemporaryDirectory(prefix: "exthost-doctor")
        defer { try? folder.remove() }
        let copy = "\(folder.path)/\(RegistryStore.fileName)"
        for ending in ["", "-wal"] {
            do throws(SystemError) {
                let source = try openForReading(path + ending)
                let size = try FileStatus(of: source.raw).size
                guard size <= sizeLimit else { throw SystemError("read", code: EFBIG) }
                let target = try createFile(copy + ending)
                _ = try copyFile(from: source.raw, to: target.raw, size: size)
            } catch {
                guard error.code == ENOENT, !ending.isEmpty else { throw error }
            }
        }
        return try verdict(on: try Database(path: copy))
    }

    private static func verdict(on database: Database) throws(SQLiteError) -> StoreExamination {
        try database.execute(
            "PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        let layout = try database.integer("PRAGMA user_version")
        if layout == 0 {
            return try database.integer("SELECT count(*) FROM sqlite_schema") > 0
                ? .strange : .sound(layout: 0, bundles: 0, elections: 0)
        }
        guard layout <= RegistryStore.schema else { return .newer(layout: layout, known: RegistryStore.schema) }
        let check = try database.statement("PRAGMA quick_check(1)")
        if try check.step(), check.text(0) != "ok" { return .damaged(check.text(0)) }
        return .sound(
            layout: layout,
            bundles: try database.integer("SELECT count(*) FROM \(layout == 1 ? "copy" : "registration")"),
            elections: try database.integer("SELECT count(*) FROM election"))
    }
}
