// StoreExamination: what state the database of elections is in, found without changing it and beside a daemon that has it.

import Glibc
import LinuxSystem
import SQLite

/// Looks at a state folder. Reads files and writes a copy into a temporary folder, so never on a loop.
package enum StoreExamination: Sendable, Hashable {
    /// There is no database: a daemon makes one.
    case absent
    /// A process has it open for itself; 0 when its number cannot be told.
    case inUse(pid: Int32)
    case sound(layout: Int, bundles: Int, elections: Int)
    /// Written by a newer daemon.
    case newer(layout: Int, known: Int)
    /// With SQLite's words.
    case damaged(String)
    /// A database of something else.
    case strange
    /// It, or a copy of it, cannot be read or made.
    case unreadable(String)

    /// A database beyond this is not copied, in bytes.
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
        // SQLite locks bytes from 1 GiB on, the last 510 of them to read and to write (its os.h); a daemon keeps them for its whole life.
        if let holder = try lockHolder(of: file.raw, from: 0x4000_0000, count: 512) { return .inUse(pid: holder) }
        // With its log, which may hold all there is. A copy, since to open the log is to change the file.
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
        try database.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        let layout = try database.integer("PRAGMA user_version")
        if layout == 0 {
            return try database.integer("SELECT count(*) FROM sqlite_schema") > 0
                ? .strange : .sound(layout: 0, bundles: 0, elections: 0)
        }
        guard layout <= RegistryStore.schema else { return .newer(layout: layout, known: RegistryStore.schema) }
        let check = try database.statement("PRAGMA quick_check(1)")
        if try check.step(), check.text(0) != "ok" { return .damaged(check.text(0)) }
        return .sound(
            layout: layout, bundles: try database.integer("SELECT count(*) FROM \(layout == 1 ? "copy" : "registration")"),
            elections: try database.integer("SELECT count(*) FROM election"))
    }
}
