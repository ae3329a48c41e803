// LimitCapabilities: the means by which this machine enforces the limits of extensions.

/// The means that `LimitProbe` found.
struct LimitCapabilities: Sendable, Hashable {
    enum Memory: Sendable, Hashable {
        /// Groups of version 2, in the folder of the daemon's own group.
        case cgroup2(ControlGroupHierarchy)
        case cgroup1(ControlGroupHierarchy)
        case poll
    }

    enum Tasks: Sendable, Hashable {
        /// The controller `pids`.
        case pids(ControlGroupHierarchy)
        /// `RLIMIT_NPROC`, which counts within the user namespace of an extension.
        case rlimit
        /// Polling: tasks are counted and logged, but not refused.
        case poll
    }

    var memory = Memory.poll
    var tasks = Tasks.poll
    /// The reasons why better means are not available, in the order tried.
    var problems: [String] = []

    /// The text for the bus and the status.
    var summary: String {
        let memory =
            switch memory {
            case .cgroup2: "cgroup2"
            case .cgroup1: "cgroup1"
            case .poll: "poll"
            }
        let tasks =
            switch tasks {
            case .pids: "pids"
            case .rlimit: "rlimit"
            case .poll: "poll"
            }
        return "memory:\(memory),cpu:rlimit,tasks:\(tasks),descriptors:rlimit,output"
    }

    /// Returns the same means in other folders; polling where there is no other folder.
    func replacingHierarchies(_ other: (ControlGroupHierarchy) -> ControlGroupHierarchy?) -> LimitCapabilities {
        var means = self
        switch memory {
        case .cgroup2(let hierarchy): means.memory = other(hierarchy).map { .cgroup2($0) } ?? .poll
        case .cgroup1(let hierarchy): means.memory = other(hierarchy).map { .cgroup1($0) } ?? .poll
        case .poll: break
        }
        if case .pids(let hierarchy) = tasks { means.tasks = other(hierarchy).map { .pids($0) } ?? .poll }
        return means
    }

    /// The hierarchies in which groups are made.
    var hierarchies: [ControlGroupHierarchy] {
        var all: [ControlGroupHierarchy] = []
        switch memory {
        case .cgroup2(let hierarchy), .cgroup1(let hierarchy): all.append(hierarchy)
        case .poll: break
        }
        if case .pids(let hierarchy) = tasks, !all.contains(hierarchy) { all.append(hierarchy) }
        return all
    }
}
