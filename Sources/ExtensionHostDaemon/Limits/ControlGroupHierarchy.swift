// ControlGroupHierarchy: the place of this process in a tree of control groups, and the folder that a daemon makes
// there.

import Glibc
import LinuxSystem

/// One mounted tree of control groups, and the group that this process was started in.
struct ControlGroupHierarchy: Sendable, Hashable {
    enum Version: Int, Sendable, Hashable { case one = 1, two }

    /// The purpose of the groups in the daemon's folder, as the prefix of the folder's name.
    enum Purpose: String, Sendable, Hashable {
        case limits = "exthost-"
        /// Groups that hold all that an extension has started (`TreeKill.cgroup`).
        case trees = "exthost-trees-"
        /// The same purposes, for processes that may outlive the daemon.
        case survivingLimits = "exthost-kept-"
        case survivingTrees = "exthost-kept-trees-"

        var surviving: Purpose {
            switch self {
            case .limits, .survivingLimits: .survivingLimits
            case .trees, .survivingTrees: .survivingTrees
            }
        }
    }

    let version: Version
    /// The folder of the daemon's own group.
    let own: String
    /// The daemon's folder below `own`, named by its pid and start time, so that another daemon can tell that this one
    /// is over.
    let folder: String

    private let purpose: Purpose

    init(version: Version, own: String, for purpose: Purpose = .limits) {
        self.version = version
        self.own = own
        self.purpose = purpose
        let pid = getpid()
        folder = "\(own)/\(purpose.rawValue)\(pid)-\((try? ProcessDescriptor.startTime(of: pid)) ?? 0)"
    }

    /// The folder beside this one for processes that may outlive the daemon.
    ///
    /// Only the init of such a process ends it, and the next daemon finds it there.
    var surviving: ControlGroupHierarchy { ControlGroupHierarchy(version: version, own: own, for: purpose.surviving) }

    /// Whether a service manager has delegated the own group to this process (`Delegate=`,
    /// systemd.resource-control(5)).
    ///
    /// The system's manager notes that on the group. The manager of a user's services notes nothing (systemd 252), so
    /// the unit sets `EXTHOST_DELEGATED`.
    var isDelegated: Bool {
        extendedAttribute("user.delegate", of: own) == [UInt8(ascii: "1")]
            || getenv("EXTHOST_DELEGATED") != nil && access(own, W_OK) == 0
    }

    /// Returns the tree that has a controller; nil where none is mounted, or where the own group lies outside of what
    /// is mounted.
    ///
    /// It reads `/proc`, so it must not run on the loop's thread.
    static func with(controller: String, version: Version) -> ControlGroupHierarchy? {
        guard let groups = try? readFile("/proc/self/cgroup", maximumSize: 64 * 1024),
            let mounts = try? readFile("/proc/self/mountinfo", maximumSize: 4 * 1024 * 1024)
        else { return nil }
        return find(
            controller: controller, version: version, groups: String(decoding: groups, as: UTF8.self),
            mounts: String(decoding: mounts, as: UTF8.self))
    }

    /// Returns the tree of version 2, for groups without controllers; nil where none is mounted.
    ///
    /// It reads `/proc`, so it must not run on the loop's thread.
    static func forTrees() -> ControlGroupHierarchy? {
        with(controller: "", version: .two).map { ControlGroupHierarchy(version: .two, own: $0.own, for: .trees) }
    }

    /// Finds the tree by the text of `/proc/PID/cgroup` and `/proc/PID/mountinfo` (cgroups(7), proc(5)).
    static func find(controller: String, version: Version, groups: String, mounts: String) -> ControlGroupHierarchy? {
        let lines = groups.split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        }
        let line = lines.first { fields in
            guard fields.count == 3 else { return false }
            return version == .two ? fields[0] == "0" : fields[1].split(separator: ",").contains { $0 == controller }
        }
        guard let group = line?[2] else { return nil }
        for mount in mounts.split(separator: "\n") {
            let halves = mount.components(around: " - ")
            let fields = halves.before.split(separator: " ")
            let file = halves.after.split(separator: " ")
            guard fields.count > 4, file.count > 2, file[0] == (version == .two ? "cgroup2" : "cgroup"),
                version == .two || file[2].split(separator: ",").contains(where: { $0 == controller })
            else { continue }
            // The mount may show only a part of the tree (a container's).
            let root = fields[3] == "/" ? "" : fields[3]
            guard group.hasPrefix(root), !group.contains("/..") else { continue }
            let rest = group.dropFirst(root.count)
            guard rest.isEmpty || rest.hasPrefix("/") else { continue }
            return ControlGroupHierarchy(version: version, own: String(fields[4]) + (rest == "/" ? "" : rest))
        }
        return nil
    }

    /// Makes the daemon's folder. In version 2, it also enables the controllers in the groups above those of
    /// extensions.
    func make(controllers: [String]) throws(SystemError) {
        if version == .two, !controllers.isEmpty { try delegate(controllers, in: own) }
        if mkdir(folder, 0o755) != 0, errno != EEXIST { throw SystemError("mkdir") }
        if version == .two, !controllers.isEmpty { try enable(controllers, in: folder) }
    }

    /// Enables controllers in the daemon's own group.
    ///
    /// A group below the root may hold processes or have controllers below it, not both. So the daemon moves into a
    /// group of its own if it is alone in its group, as in a service with `Delegate=yes`.
    private func delegate(_ controllers: [String], in folder: String) throws(SystemError) {
        do throws(SystemError) {
            try enable(controllers, in: folder)
        } catch {
            guard error.code == EBUSY, let list = try? readFile(folder + "/cgroup.procs", maximumSize: 64 * 1024),
                String(decoding: list, as: UTF8.self).split(separator: "\n").map(String.init) == ["\(getpid())"]
            else { throw error }
            if mkdir(folder + "/daemon", 0o755) != 0, errno != EEXIST { throw SystemError("mkdir") }
            try writeControl("0", to: folder + "/daemon/cgroup.procs")
            try enable(controllers, in: folder)
        }
    }

    private func enable(_ controllers: [String], in folder: String) throws(SystemError) {
        try writeControl(controllers.map { "+\($0)" }.joined(separator: " "), to: folder + "/cgroup.subtree_control")
    }

    /// Moves a process to the daemon's group: its own group, or the one below it into which `make` moved the daemon.
    func takeBack(_ pid: Int32) {
        do {
            try writeControl("\(pid)", to: own + "/cgroup.procs")
        } catch {
            try? writeControl("\(pid)", to: own + "/daemon/cgroup.procs")
        }
    }

    /// Removes the daemon's folder and the groups in it; false while one of them holds processes.
    @discardableResult
    func remove() -> Bool { Self.remove(folder) }

    /// Removes the folders that ended daemons have left.
    ///
    /// - Parameter known: groups that are left alone, empty or not.
    func sweep(allBut known: Set<String> = []) {
        guard let names = try? listDirectory(own, maximumCount: 65_536) else { return }
        for name in names where name.hasPrefix(purpose.rawValue) {
            let parts = name.dropFirst(purpose.rawValue.count).split(separator: "-")
            guard parts.count == 2, let pid = Int32(parts[0]), let start = UInt64(parts[1]),
                (try? ProcessDescriptor.startTime(of: pid)) != start
            else { continue }
            Self.remove(own + "/" + name, allBut: known)
        }
    }

    @discardableResult
    private static func remove(_ folder: String, allBut known: Set<String> = []) -> Bool {
        for name in (try? listDirectory(folder, maximumCount: 1_000_000)) ?? []
        where !known.contains(folder + "/" + name) {
            rmdir(folder + "/" + name)
        }
        return rmdir(folder) == 0 || errno == ENOENT
    }
}

extension Substring {
    fileprivate func components(around separator: String) -> (before: Substring, after: Substring) {
        guard let range = self.firstRange(of: separator) else { return (self, "") }
        return (self[..<range.lowerBound], self[range.upperBound...])
    }
}

/// Writes a setting of the kernel with one write, as its files require.
func writeControl(_ text: String, to path: String) throws(SystemError) {
    let raw = open(path, O_WRONLY | O_CLOEXEC)
    guard raw >= 0 else { throw SystemError("open") }
    let descriptor = OwnedDescriptor(owning: raw)
    let bytes = Array(text.utf8)
    guard write(descriptor.raw, bytes, bytes.count) == bytes.count else { throw SystemError("write") }
}
