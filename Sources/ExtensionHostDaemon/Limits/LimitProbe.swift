// LimitProbe: the probe for the limits that this machine really enforces, by a throw-away child that exceeds a small
// one.

import EventLoop
import Glibc
import LinuxSystem

/// The limits that this machine enforces, as real children show.
///
/// Reading the system's own figures is not enough: a controller can be listed, take a limit and not enforce it.
struct LimitProbe: Sendable {
    /// The time limit of a child of the probe, in milliseconds.
    private static let patience: Int32 = 2_000
    private static let limit = 16 << 20
    private static let excess = 64 << 20

    let found: LimitCapabilities

    /// Tries each means with a real child, and removes the folders of ended daemons.
    ///
    /// It waits for children, so it must not run on the loop's thread.
    ///
    /// - Parameters:
    ///   - wanted: this back end and those after it in the order of `LimitBackEnd` are tried; nil: all.
    ///   - treeKill: the means of tree kill: `RLIMIT_NPROC` counts for one extension only in a user namespace of its
    ///     own.
    ///   - isOthers: whether extensions belong to other users, who have such a namespace even where the daemon is root.
    ///   - maySurvive: whether extensions may outlive the daemon. Then groups of version 2 are not used. A group with
    ///     controllers below it and processes beside them admits no further process (cgroups(7)). So it would not admit
    ///     the next daemon, which the service manager starts in it.
    init(_ initProgram: String?, wanted: LimitBackEnd?, treeKill: TreeKill, isOthers: Bool, maySurvive: Bool) {
        let backEnds = LimitBackEnd.allCases.drop { wanted != nil && $0 != wanted }
        var means = LimitCapabilities()
        if treeKill == .namespace, geteuid() != 0 || isOthers { means.tasks = .rlimit }
        guard let initProgram else {
            if backEnds.contains(where: { $0 != .poll }) {
                means.problems.append("exthost-init, which tests limits, was not found")
            }
            found = means
            return
        }
        var tried: [ControlGroupHierarchy] = []
        for backEnd in backEnds where backEnd != .poll {
            let version: ControlGroupHierarchy.Version = backEnd == .cgroup2 ? .two : .one
            if maySurvive, version == .two {
                means.problems.append(
                    "cgroup2: the next daemon could not start in a group that has controllers below it")
                continue
            }
            if case .poll = means.memory {
                switch Self.tryMemory(version, initProgram, &tried) {
                case .success(let hierarchy): means.memory = version == .two ? .cgroup2(hierarchy) : .cgroup1(hierarchy)
                case .failure(let problem): means.problems.append("\(backEnd.rawValue), memory: \(problem.text)")
                }
            }
            if case .pids = means.tasks { continue }
            switch Self.tryTasks(version, initProgram, &tried) {
            case .success(let hierarchy): means.tasks = .pids(hierarchy)
            case .failure(let problem): means.problems.append("\(backEnd.rawValue), tasks: \(problem.text)")
            }
        }
        for hierarchy in tried where !means.hierarchies.contains(hierarchy) { hierarchy.remove() }
        found = means
    }

    private struct Problem: Error { let text: String }

    private static func tryMemory(
        _ version: ControlGroupHierarchy.Version, _ initProgram: String, _ tried: inout [ControlGroupHierarchy]
    ) -> Result<ControlGroupHierarchy, Problem> {
        attempt("memory", version, &tried) { hierarchy throws(Problem) in
            let means = LimitCapabilities(memory: version == .two ? .cgroup2(hierarchy) : .cgroup1(hierarchy))
            let group = try self.group(means, memory: limit, tasks: nil)
            defer { _ = group.remove() }
            group.letThemWait()
            let child = try start(initProgram, ["memory", "\(excess)"], in: group)
            // Version 1 blocks the child and reports that; version 2 kills it.
            if version == .one {
                let told = isTold(group.notice?.raw, child.pidfd.raw)
                let hasRunOut = group.hasRunOut
                _ = try? child.signal(SIGKILL)
                _ = try end(of: child)
                guard told, hasRunOut else {
                    throw Problem(
                        text: "a child with a limit of \(limit) bytes filled \(excess), or the kernel did not report it"
                    )
                }
            } else {
                guard case .signalled = try end(of: child), group.hasRunOut else {
                    throw Problem(text: "a child with a limit of \(limit) bytes filled \(excess)")
                }
            }
        }
    }

    private static func tryTasks(
        _ version: ControlGroupHierarchy.Version, _ initProgram: String, _ tried: inout [ControlGroupHierarchy]
    ) -> Result<ControlGroupHierarchy, Problem> {
        attempt("pids", version, &tried) { hierarchy throws(Problem) in
            let group = try self.group(LimitCapabilities(tasks: .pids(hierarchy)), memory: nil, tasks: 1)
            defer { _ = group.remove() }
            let child = try start(initProgram, ["task"], in: group)
            guard try end(of: child) == .exited(75) else {
                throw Problem(text: "a child with a limit of one process started another")
            }
        }
    }

    /// Calls `body` with the hierarchy of a controller, after making the daemon's folder in it.
    private static func attempt(
        _ controller: String, _ version: ControlGroupHierarchy.Version, _ tried: inout [ControlGroupHierarchy],
        _ body: (ControlGroupHierarchy) throws(Problem) -> Void
    ) -> Result<ControlGroupHierarchy, Problem> {
        guard let hierarchy = ControlGroupHierarchy.with(controller: controller, version: version) else {
            return .failure(Problem(text: "no such hierarchy is mounted"))
        }
        hierarchy.sweep()
        tried.append(hierarchy)
        do {
            try hierarchy.make(controllers: [controller])
        } catch {
            return .failure(Problem(text: "no group can be made in \(hierarchy.own): \(error)"))
        }
        do throws(Problem) {
            try body(hierarchy)
            return .success(hierarchy)
        } catch {
            return .failure(error)
        }
    }

    private static func group(_ means: LimitCapabilities, memory: Int?, tasks: Int?) throws(Problem) -> LimitGroup {
        do {
            guard let group = try LimitGroup.make(means, name: "probe", memory: memory, tasks: tasks, spareTasks: 0)
            else {
                throw Problem(text: "no group is needed")
            }
            return group
        } catch let error as SystemError {
            throw Problem(text: "a limit cannot be set: \(error)")
        } catch {
            throw Problem(text: "\(error)")
        }
    }

    private static func start(
        _ initProgram: String, _ arguments: [String], in group: LimitGroup
    ) throws(Problem) -> SpawnedProcess {
        var attributes = SpawnAttributes(executable: initProgram, arguments: arguments)
        attributes.controlGroups = group.members
        do {
            return try spawn(attributes)
        } catch {
            throw Problem(text: "\(error)")
        }
    }

    /// Whether `notice` reports before the time limit. The pidfd becomes readable when no further report can come.
    private static func isTold(_ notice: Int32?, _ pidfd: Int32) -> Bool {
        guard let notice else { return false }
        var entries = [
            pollfd(fd: notice, events: Int16(POLLIN), revents: 0),
            pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = poll(&entries, 2, patience)
            if count < 0, errno == EINTR { continue }
            return count > 0 && (entries[0].revents != 0)
        }
    }

    private static func end(of child: borrowing SpawnedProcess) throws(Problem) -> ExitStatus {
        var entry = pollfd(fd: child.pidfd.raw, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&entry, 1, patience)
            if count > 0 { break }
            if count < 0, errno == EINTR { continue }
            _ = try? child.signal(SIGKILL)
            throw Problem(text: "a child did not exit within \(patience) ms")
        }
        guard let ending = try? child.reap() else { throw Problem(text: "a child's exit status was not readable") }
        return ending.status
    }
}
