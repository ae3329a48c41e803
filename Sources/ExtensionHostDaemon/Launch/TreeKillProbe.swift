// TreeKillProbe: the probe for the best means of tree kill that the machine has.

import EventLoop
import Glibc
import LinuxSystem

/// The means of tree kill that the probe found.
struct TreeKillProbe: Sendable {
    /// The time limit of a child of the probe, in milliseconds, so long that a working means passes on a busy machine,
    /// too.
    private static let patience: Int32 = 10_000

    let found: TreeKill
    /// The hierarchy in which the daemon makes groups, and whose folder exists.
    ///
    /// It is set when `found` is `cgroup`, or when the daemon's own group was delegated to it.
    let trees: ControlGroupHierarchy?
    /// The reasons why a better means is not available, in the order tried.
    let problems: [String]

    /// Tries each means with a real child and takes the first that works.
    ///
    /// It waits for children, so it must not run on the loop's thread.
    ///
    /// - Parameters:
    ///   - wanted: this means and those after it in `TreeKill`'s order are tried; nil: all.
    ///   - identity: the user whose children are tried; nil: the daemon's own user.
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

    /// Makes the folder for the groups of extensions where the service manager has delegated the daemon's group
    /// (`Delegate=`).
    ///
    /// There each extension has a group, which people and their tools can see.
    ///
    /// - Returns: nil if the group is not delegated or the folder cannot be made.
    private static func delegated(_ problems: inout [String]) -> ControlGroupHierarchy? {
        guard let trees = ControlGroupHierarchy.forTrees(), trees.isDelegated else { return nil }
        trees.sweep()
        do throws(SystemError) {
            try trees.make(controllers: [])
            return trees
        } catch {
            problems.append("no groups to distinguish extensions: \(error)")
            return nil
        }
    }

    /// Returns what is wrong with a means; nil if it works.
    ///
    /// A child has to exit with a status of its own, which has to come through, or its group has to kill it.
    private static func problem(
        of means: TreeKill, _ initProgram: String, _ trees: ControlGroupHierarchy?, _ identity: UserIdentity?
    ) -> String? {
        if means == .cgroup {
            guard let trees else { return "there are no control groups of version 2 where this process is" }
            // The probe tries the group's guardian first: a kill alone would not show that the program does its part.
            return problem(of: .guardian, initProgram, nil, identity) ?? problem(ofGroupsIn: trees, initProgram)
        }
        // Without arguments the init prints its usage on a standard error that nothing reads, and exits with EX_USAGE.
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
            // The child waits until a pipe is closed that this side holds open.
            let pipe = try Pipe()
            guard fcntl(pipe.reading.raw, F_SETFL, 0) == 0 else { throw SystemError("fcntl") }
            var attributes = SpawnAttributes(
                executable: initProgram, arguments: ["groups", "3", trees.folder + "/none"])
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
        guard let status else { return "a child did not exit within \(patience) ms" }
        return status == wanted ? nil : "a child ended with an unexpected status: \(status)"
    }

    /// Waits for the end of a child and returns its status. A child that does not end in time is killed, and the result
    /// is nil.
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
