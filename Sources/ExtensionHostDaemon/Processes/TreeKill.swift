// TreeKill: the means that ensures that nothing that an extension started outlives it.

import LinuxSystem

/// The means that holds an extension's descendants together. The words are those of `TreeKill` on the bus.
public enum TreeKill: String, Sendable, Hashable, CaseIterable {
    /// A pid namespace with `exthost-init` as its first process. When that process ends, the kernel kills all of the
    /// namespace, also when the daemon dies.
    case namespace
    /// A control group of version 2, which one write kills, with a guardian in it for the daemon's death. No process
    /// leaves the group.
    case cgroup
    /// A parent process, `exthost-init`, from below which no descendant escapes.
    ///
    /// An extension that kills it saves those of its descendants that have left its process group. Before Linux 6.9
    /// these may be all but the program itself.
    case guardian
    /// The session: a descendant that makes one of its own survives.
    case session

    /// Returns the enclosure for a spawn, by the program `exthost-init`.
    func enclosure(_ initProgram: String) -> SpawnAttributes.Enclosure {
        switch self {
        case .namespace: .processNamespace(initProgram: initProgram)
        case .cgroup, .guardian: .guardian(program: initProgram)
        case .session: .session
        }
    }
}
