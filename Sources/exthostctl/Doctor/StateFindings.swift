// StateFindings: checks of the state on disk: its folder, the free space, the database, and leftovers of a crash.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

struct StateFindings {
    let subject: DoctorSubject

    /// The size below which free space is low: the database takes some kilobytes for each bundle, and its log as much
    /// again.
    private static let littleRoom = 64 << 20
    private static let noRoom = 4 << 20

    func findings() -> [DoctorFinding] {
        guard let folder = subject.stateFolder else { return [withoutFolder] }
        var findings = [self.folder(folder)]
        guard let existing = Self.existing(folder) else { return findings }
        findings.append(space(existing))
        guard existing == folder else { return findings }
        return findings + [database(folder), leftovers(folder)]
    }

    /// A check of a daemon that stores no state, or of a user without a home.
    private var withoutFolder: DoctorFinding {
        guard let daemon = subject.daemon else {
            return .problem(
                .stateFolder, "neither XDG_STATE_HOME nor HOME names a folder",
                remedy: "Set HOME, or XDG_STATE_HOME to a folder of your own")
        }
        guard let state = daemon.status.state, state.hasPrefix("not kept") else {
            return .ok(.stateFolder, daemon.status.state ?? "the daemon does not report it")
        }
        return .problem(
            .stateFolder, state,
            remedy: "Follow the message, and restart the daemon; until then it refuses orders that it should store")
    }

    /// Returns the folder, or the first existing one above it.
    private static func existing(_ path: String) -> String? {
        var part = path
        while access(part, F_OK) != 0 {
            guard let slash = part.lastIndex(of: "/"), slash != part.startIndex else { return "/" }
            part = String(part[..<slash])
        }
        return FileLook(part)?.isDirectory == true ? part : nil
    }

    private func folder(_ path: String) -> DoctorFinding {
        guard let existing = Self.existing(path), let look = FileLook(existing) else {
            return .problem(
                .stateFolder, "\(path) cannot be a folder: a part of the path is not a folder",
                remedy: "Move that away, or set XDG_STATE_HOME")
        }
        var found =
            existing == path ? "\(path), owner \(look.owner), mode \(look.modeText)" : "\(path) does not exist yet"
        let facts = try? FileSystemFacts(of: existing)
        if let facts { found += ", on \(facts.type)" }
        let remedy = "Give user \(subject.user) access to it, or set XDG_STATE_HOME to a folder of its own"
        if existing == path, look.owner != subject.user, look.owner != 0 {
            return .problem(.stateFolder, "\(found): belongs to another user", remedy: remedy)
        }
        // Another user's daemon writes with its own permissions, which this program lacks.
        if subject.user == geteuid(), access(existing, W_OK | X_OK) != 0 {
            return .problem(.stateFolder, "\(found): not writable: \(String(cString: strerror(errno)))", remedy: remedy)
        }
        if existing == path, look.isOpenToOthers {
            return .problem(
                .stateFolder, "\(found): other users can write there, and elect for you", remedy: "chmod 700 \(path)")
        }
        if facts?.isReadOnly == true {
            return .problem(
                .stateFolder, "\(found): mounted read-only", remedy: "Mount it writable, or set XDG_STATE_HOME")
        }
        if facts?.isRemote == true {
            return .warning(
                .stateFolder, "\(found): on another machine, where locks are not reliable",
                remedy: "Set XDG_STATE_HOME to a folder on a disk of this machine")
        }
        if facts?.isInMemory == true {
            return .warning(
                .stateFolder, "\(found): in memory, so it is lost when this machine stops",
                remedy: "Set XDG_STATE_HOME to a folder on a disk")
        }
        return .ok(.stateFolder, found)
    }

    private func space(_ path: String) -> DoctorFinding {
        let space: FreeSpace
        do throws(SystemError) {
            space = try FreeSpace(at: path)
        } catch {
            return .warning(
                .stateSpace, "the free space of \(path) is not known: \(error)", remedy: "Check the file system with df"
            )
        }
        let found =
            "\(written(bytes: space.bytes)) free at \(path)" + (space.files.map { ", room for \($0) files" } ?? "")
        let remedy = "Free some space, or set XDG_STATE_HOME to a folder with more"
        if space.bytes < Self.noRoom || space.files.map({ $0 < 8 }) == true {
            return .problem(.stateSpace, found, remedy: remedy)
        }
        if space.bytes < Self.littleRoom { return .warning(.stateSpace, found, remedy: remedy) }
        return .ok(.stateSpace, found)
    }

    private func database(_ folder: String) -> DoctorFinding {
        let path = "\(folder)/\(RegistryStore.fileName)"
        switch StoreExamination(folder: folder) {
        case .absent: return .ok(.stateDatabase, "\(path) does not exist yet: a daemon makes it")
        case .sound(let layout, let bundles, let elections):
            return .ok(
                .stateDatabase, "\(path): layout \(layout), \(bundles) bundles, \(elections) elections, no faults")
        case .inUse(let pid):
            guard subject.daemon?.status.pid == Int(pid) || (pid == 0 && subject.daemon != nil) else {
                return .problem(
                    .stateDatabase, "process \(pid) has \(path) open, and is not the checked daemon",
                    remedy: "Stop that daemon, or give each daemon its own folder with XDG_STATE_HOME")
            }
            return .ok(.stateDatabase, "\(path) is in use by the daemon, which reads and writes it")
        case .newer(let layout, let known):
            return .problem(
                .stateDatabase,
                "\(path) was written by a newer daemon: its layout is \(layout), and this version supports \(known)",
                remedy: "Update exthostd, or move the file away and elect again")
        case .damaged(let why):
            return .problem(
                .stateDatabase, "\(path) is damaged: \(why)",
                remedy: "Start the daemon: it renames the file and makes a new one. Elections are lost; check the disk")
        case .strange:
            return .problem(
                .stateDatabase, "\(path) is a database of another program",
                remedy: "Move it away, or set XDG_STATE_HOME")
        case .unreadable(let why):
            return .problem(
                .stateDatabase, "\(path) is not readable: \(why)",
                remedy: "Give this user read access, and space in TMPDIR for a copy")
        }
    }

    private func leftovers(_ folder: String) -> DoctorFinding {
        let names = (try? listDirectory(folder, maximumCount: 10_000)) ?? []
        let damaged = names.filter { $0.hasPrefix("\(RegistryStore.fileName).damaged-") }
        guard let first = damaged.first else { return .ok(.stateLeftovers, "there is no renamed file in \(folder)") }
        return .warning(
            .stateLeftovers,
            "\(damaged.count) damaged file\(damaged.count == 1 ? "" : "s") renamed: \(folder)/\(first)\(damaged.count > 1 ? " …" : "")",
            remedy: "Elect again what was lost, check the disk, then remove them")
    }
}
