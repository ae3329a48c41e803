// TreeKillProbe: how the best means of tree kill that the machine has is found.

import EventLoop
import Glibc
import LinuxSystem

/// Which means an operator or a test asks for, and what was found.
struct TreeKillProbe: Sendable {
    /// How long a child of the probe may take: on a busy machine a means that works must not be taken for one that does not.
    private static let patience: Int32 = 10_000

    let found: TreeKill
    /// Where the groups are made when `found` is `cgroup`, or the daemon's own was delegated to it: its folder is there.
    let trees: ControlGroupHierarchy?
    /// Why a better one is not to be had, in the order tried.
    let problems: [String]

    /// Tries each means with a real child; the first that works is taken. Waits for children: not for the loop's thread.
    ///
    /// - Parameters:
    ///   - wanted: this one and those after it in `TreeKill`'s order; nil: all.
    ///   - identity: whose children are tried; nil: the daemon's own user's.
    init(_ initProgram: String?, wanted: TreeKill?, as identity: UserIdentity?) {
        let first = wanted.flatMap(TreeKill.allCases.firstIndex) ?? 0
        var problems: [String] = []
        var found = TreeKill.session
        var trees: ControlGroupHierarchy?
        for means in TreeKill.allCases[first...] where means != .session {
            guard let initProgram else {
                problems.append(SandboxProbe.nowhere)
                break
            }
            if means == .cgroup { trees = ControlGroupHierarchy.forTrees() }
            if let problem = Self.problem(of: means, initProgram, trees, identity) {
                problems.append("\(means.rawValue): \(problem)")
            } else {
                found = means
                break
            }
        }
        if found != .cgroup {
            trees?.remove()
            trees = Self.delegated(&problems)
        }
        self.found = found
        self.trees = trees
        self.problems = problems
    }

    /// Where a service manager has given the daemon's group away (`Delegate=`), each extension gets one, for people and their tools to see.
    private static func delegated(_ problems: inout [String]) -> ControlGroupHierarchy? {
        guard let trees = ControlGroupHierarchy.forTrees(), trees.isDelegated else { return nil }
        trees.sweep()
        do throws(SystemError) {
            try trees.make(controllers: [])
            return trees
        } catch {
            problems.append("no groups to tell extensions apart by: \(error)")
            return nil
        }
    }

    /// A child that is to exit with a status of its own, which has to come through, or to be killed by its group; nil when that is so.
    private static func problem(
        of means: TreeKill, _ initProgram: String, _ trees: ControlGroupHierarchy?, _ identity: UserIdentity?
    ) -> String? {
        if means == .cgroup {
            guard let trees else { return "no control groups of version 2 are mounted where this process is" }
            // The group's guardian is tried first: a kill alone would not show that the program does its part.
            return problem(of: .guardian, initProgram, nil, identity) ?? problem(ofGroupsIn: trees, initProgram)
        }
        // Without arguments the init explains its usage, on a standard error that nobody reads, and exits with EX_USAGE.
        var attributes = SpawnAttributes(executable: initProgram)
        attributes.enclosure = means.enclosure(initProgram)
        attributes.identity = identity
        attributes.onDaemonExit = .keep
        do {
            let child = try spawn(attributes)
            return wrong(.exited(64), try end(of: child))
        } catch {
            return "\(error)"
        }
    }

    private static func problem(ofGroupsIn trees: ControlGroupHierarchy, _ initProgram: String) -> String? {
        trees.sweep()
        do {
            try trees.make(controllers: [])
            guard
                let group = try LimitGroup.make(
                    LimitCapabilities(), name: "probe", memory: nil, tasks: nil, spareTasks: 0, trees: trees)
            else { return "no group was made" }
            defer { _ = group.remove() }
            // It waits for a pipe to be closed that this side keeps.
            let pipe = try Pipe()
            guard fcntl(pipe.reading.raw, F_SETFL, 0) == 0 else { throw SystemError("fcntl") }
            var attributes = SpawnAttributes(executable: initProgram, arguments: ["groups", "3", trees.folder + "/none"])
            attributes.descriptors = [.init(parent: pipe.reading.raw, child: 3)]
            attributes.controlGroups = group.members
            attributes.onDaemonExit = .keep
            let child = try spawn(attributes)
            group.kill()
            return wrong(.signalled(SIGKILL, coreDumped: false), try end(of: child))
        } catch {
            return "no group can be made in \(trees.own): \(error)"
        }
    }

    private static func wrong(_ wanted: ExitStatus, _ status: ExitStatus?) -> String? {
        guard let status else { return "a child did not end within \(patience) ms" }
        return status == wanted ? nil : "a child ended otherwise than it should: \(status)"
    }

    /// Nil, and killed, when it does not end in time.
    private static func end(of child: borrowing SpawnedProcess) throws -> ExitStatus? {
        var entry = pollfd(fd: child.pidfd.raw, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&entry, 1, patience)
            if count > 0 { return try child.reap()?.status }
            if count < 0, errno == EINTR { continue }
            _ = try? child.signal(SIGKILL)
            return nil
        }
    }
}
