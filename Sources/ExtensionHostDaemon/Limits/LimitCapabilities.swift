// LimitCapabilities: by which means the limits of extensions are enforced on this machine.

/// What the probe found.
struct LimitCapabilities: Sendable, Hashable {
    enum Memory: Sendable, Hashable {
        /// In the folder of the daemon's own group.
        case cgroup2(ControlGroupHierarchy)
        case cgroup1(ControlGroupHierarchy)
        case poll
    }

    enum Tasks: Sendable, Hashable {
        /// The controller `pids`.
        case pids(ControlGroupHierarchy)
        /// `RLIMIT_NPROC`, which counts within the user namespace of an extension.
        case rlimit
        /// Counted and logged; nothing here can refuse them.
        case poll
    }

    var memory = Memory.poll
    var tasks = Tasks.poll
    /// Why better means are not to be had, in the order tried.
    var problems: [String] = []

    /// As on the bus and in the status.
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

    /// The same means in other folders; by looking where there is none.
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

    /// Every hierarchy in which groups are made.
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
