// ApplicationFindings: checks of the folders of applications, the bundles in them, and the detection of changes there.

import ExtensionProtocol
import Glibc
import LinuxSystem

struct ApplicationFindings {
    let subject: DoctorSubject

    private static let entriesLimit = 100_000
    /// The number of names in one line.
    private static let shown = 3

    func findings() -> [DoctorFinding] {
        let copies = subject.copies
        return subject.folders.map { folder($0, copies) } + [
            bundles(copies), identifiers(copies), watching, inotify(copies.count),
        ]
    }

    // MARK: Folders

    private func folder(_ path: String, _ copies: [ExtensionRecord]) -> DoctorFinding {
        guard let look = FileLook(path) else {
            return .ok(.applicationFolders, "\(path) does not exist; the daemon detects it when it appears")
        }
        guard look.isDirectory else {
            return .problem(
                .applicationFolders, "\(path) is \(look.kind)",
                remedy: "Name a folder with --applications or EXTHOST_APPLICATIONS")
        }
        do throws(SystemError) {
            _ = try listDirectory(path, maximumCount: Self.entriesLimit)
        } catch {
            return .problem(
                .applicationFolders, "\(path) cannot be read: \(error)",
                remedy: error.code == EOVERFLOW
                    ? "Put the applications into a folder of their own"
                    : "chmod +rx \(path), or run the daemon as a user who may read it")
        }
        let here = copies.filter { $0.path.hasPrefix(path.hasSuffix("/") ? path : path + "/") }
        let bad = here.count { !$0.problems.isEmpty }
        let facts = try? FileSystemFacts(of: path)
        let found =
            "\(path): \(here.count - bad) bundle\(here.count - bad == 1 ? "" : "s") good, \(bad) bad"
            + (facts.map { ", on \($0.type)" } ?? "")
        if look.isOpenToOthers {
            return .problem(
                .applicationFolders,
                "\(found): other users can put programs there that would run as user \(subject.user)",
                remedy: "chmod go-w \(path)")
        }
        if look.owner != subject.user, look.owner != 0 {
            return .warning(
                .applicationFolders,
                "\(found): belongs to user \(look.owner), whose programs would run as user \(subject.user)",
                remedy: "Give it to root or to that user, or search other folders with --applications")
        }
        if facts?.forbidsExecution == true {
            return .problem(
                .applicationFolders, "\(found): mounted with noexec, so nothing there can be launched",
                remedy: "Mount it with exec, or put the applications elsewhere")
        }
        if facts?.isRemote == true {
            return .warning(
                .applicationFolders, "\(found): on another machine, whose changes the kernel does not announce here",
                remedy: "Restart the daemon after changes there, or copy the applications to this machine")
        }
        return .ok(.applicationFolders, found)
    }

    // MARK: Bundles

    private func bundles(_ copies: [ExtensionRecord]) -> DoctorFinding {
        let bad = copies.filter { !$0.problems.isEmpty }
        let good = copies.count - bad.count
        if let first = bad.first {
            return .warning(
                .bundles,
                "\(good) can be used, \(bad.count) \(bad.count == 1 ? "has" : "have") faults: \(list(bad.map(\.path))): \(first.problems[0].cut(toBytes: 200))",
                remedy: "exthostctl lint \(first.path) shows every fault; exthostctl list -D all bundles")
        }
        guard good > 0 else {
            return .warning(
                .bundles, "there is no extension in \(subject.folders.joined(separator: ", "))",
                remedy:
                    "Put applications there, name their folder with --applications or EXTHOST_APPLICATIONS, or register one with exthostctl add"
            )
        }
        return .ok(.bundles, "\(good) can be used, none has faults")
    }

    /// Finds copies of one identifier without a single highest version. Which copy is used then depends on when each
    /// was registered.
    private func identifiers(_ copies: [ExtensionRecord]) -> DoctorFinding {
        let groups = Dictionary(grouping: copies.filter { $0.problems.isEmpty }, by: \.identifier).filter {
            $0.value.count > 1
        }
        guard !groups.isEmpty else { return .ok(.identifiers, "each exists once") }
        let alike = groups.filter { group in Set(group.value.map(\.version)).count < group.value.count }.keys.sorted()
        if let first = alike.first {
            return .warning(
                .identifiers,
                "\(list(alike)): several copies have one version, and the daemon uses the one registered last",
                remedy:
                    "exthostctl which \(first) shows the copies and the one in use; remove the others, or raise the version of the intended one"
            )
        }
        let names = groups.keys.sorted()
        return .ok(.identifiers, "\(list(names)): several copies, and the daemon uses the one of the highest version")
    }

    private func list(_ names: [String]) -> String {
        names.prefix(Self.shown).joined(separator: ", ")
            + (names.count > Self.shown ? " and \(names.count - Self.shown) more" : "")
    }

    // MARK: Watching

    private var watching: DoctorFinding {
        guard let daemon = subject.daemon else {
            do throws(SystemError) {
                let changes = try FolderChanges()
                for folder in subject.folders where FileLook(folder)?.isDirectory == true {
                    _ = try changes.watch(folder, for: .names)
                }
                return .ok(.watching, "a daemon started now would receive changes from the kernel (inotify)")
            } catch {
                return .warning(
                    .watching, "a daemon started now could not watch folders: \(error)",
                    remedy: error.code == EMFILE ? Self.instancesRemedy : Self.watchesRemedy)
            }
        }
        switch daemon.status.watching {
        case "inotify": return .ok(.watching, "the kernel reports every change to the daemon (inotify)")
        case "starting": return .ok(.watching, "the daemon has just started and will watch its folders soon")
        case "partly":
            return .warning(
                .watching, "only some folders are watched",
                remedy: Self.watchesRemedy + "; until then restart the daemon after changes")
        case "looking":
            return .warning(.watching, "the daemon polls the folders each second", remedy: Self.instancesRemedy)
        case let other?: return .ok(.watching, "the daemon reports “\(other)”, which this tool does not know")
        case nil: return .ok(.watching, "the daemon is too old to report this")
        }
    }

    private static let instancesRemedy =
        "End programs that watch files, or \(inotifyLimit("instances")?.remedy ?? "mount /proc")"
    private static let watchesRemedy =
        "End programs that watch files, or \(inotifyLimit("watches")?.remedy ?? "mount /proc")"

    /// Returns the limit of a user, and the way to raise it: the system's setting, or that of the user namespace, which
    /// binds as well (namespaces(7)).
    private static func inotifyLimit(_ kind: String) -> (count: Int, remedy: String)? {
        guard let system = KernelCapabilities.setting("fs/inotify/max_user_\(kind)") else { return nil }
        if let own = KernelCapabilities.setting("user/max_inotify_\(kind)"), own < system {
            return (own, "raise user.max_inotify_\(kind) with sysctl in this user namespace")
        }
        return (system, "raise fs.inotify.max_user_\(kind) with sysctl")
    }

    /// Checks this user's share of inotify. Root's use counts like any other's.
    private func inotify(_ bundles: Int) -> DoctorFinding {
        guard let instances = Self.inotifyLimit("instances")?.count, let watches = Self.inotifyLimit("watches")?.count
        else {
            return .warning(
                .inotify, "there is no /proc/sys/fs/inotify", remedy: "Mount /proc, or use a kernel with inotify")
        }
        let use = InotifyUse(of: subject.user)
        let found =
            "user \(subject.user) has \(use.instances) of \(instances) instances, \(use.watches) of \(watches) watches"
        // The daemon needs one instance, and an app about three watches.
        if use.instances >= instances {
            return .problem(.inotify, "\(found): none is left", remedy: Self.instancesRemedy)
        }
        if use.watches + (subject.daemon == nil ? 4 * bundles : 0) >= watches {
            return .problem(.inotify, "\(found): too few are left", remedy: Self.watchesRemedy)
        }
        if use.instances * 10 >= instances * 9 { return .warning(.inotify, found, remedy: Self.instancesRemedy) }
        if use.watches * 10 >= watches * 9 { return .warning(.inotify, found, remedy: Self.watchesRemedy) }
        return .ok(.inotify, found)
    }
}
