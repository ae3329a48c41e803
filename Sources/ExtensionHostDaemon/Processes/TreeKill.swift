// TreeKill: by which means nothing that an extension started outlives it.

import LinuxSystem

/// What holds an extension's descendants together. The words are those of `TreeKill` on the bus.
public enum TreeKill: String, Sendable, Hashable, CaseIterable {
    /// A pid namespace with `exthost-init` as its first process: the kernel kills all of it with that one, also when the daemon dies.
    case namespace
    /// A control group of version 2, killed by one write, with a guardian in it for the daemon's death. Nobody leaves the group.
    case cgroup
    /// `exthost-init` as a parent from below which no descendant gets out. An extension that kills it saves those of its descendants
    /// that have left its process group; before Linux 6.9 it may be all but the program itself.
    case guardian
    /// The session: a descendant that makes one of its own survives.
    case session

    /// For a spawn, by the program `exthost-init`.
    func enclosure(_ initProgram: String) -> SpawnAttributes.Enclosure {
        switch self {
        case .namespace: .processNamespace(initProgram: initProgram)
        case .cgroup, .guardian: .guardian(program: initProgram)
        case .session: .session
        }
    }
}
