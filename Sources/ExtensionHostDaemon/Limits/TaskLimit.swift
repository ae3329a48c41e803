// TaskLimit: the limit of setrlimit(2) on an extension's tasks, where the kernel counts only them.

import ExtensionPoints
import Glibc
import LinuxSystem

/// The task limits of launches. The kernel counts tasks for each user, so the limit depends on what encloses the
/// extension.
enum TaskLimit {
    /// Returns the limit for a launch in a namespace; nil where the kernel would count other tasks, too.
    ///
    /// In a user namespace of its own the kernel counts the extension's tasks only. The kernel does not bind root.
    /// There the init applies the number to its pid namespace (limits.h of exthost-init).
    static func ofNamespace(_ count: Int, _ attributes: SpawnAttributes) -> SpawnAttributes.ResourceLimit? {
        guard case .processNamespace = attributes.enclosure else { return nil }
        guard geteuid() != 0 || attributes.identity != nil || isRootOfMachine else { return nil }
        // The init is one more task.
        let most = UInt64(count + 1)
        return .init(resource: Int32(__RLIMIT_NPROC.rawValue), soft: most, hard: most)
    }

    /// Returns the limit for a launch under a guardian; nil where the kernel does not bind the program's user, or
    /// already has a lower limit.
    ///
    /// The kernel counts all of the user's tasks there. The init adds their number to the soft limit, and makes the sum
    /// the hard limit (`share_tasks`, limits.h of exthost-init). Other tasks of the user that start later take from the
    /// share. So the share is never less than the backstop, also where a lower limit is set.
    static func ofGuardian(_ count: Int, _ attributes: SpawnAttributes) -> SpawnAttributes.ResourceLimit? {
        guard case .guardian = attributes.enclosure else { return nil }
        guard geteuid() != 0 || attributes.identity != nil || !isRootOfMachine else { return nil }
        let share = UInt64(max(count, Backstop.limits[.tasks] ?? 0))
        var own = rlimit()
        guard getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &own) == 0, own.rlim_max > share else {
            return nil
        }
        return .init(resource: Int32(__RLIMIT_NPROC.rawValue), soft: share, hard: UInt64(own.rlim_max))
    }

    /// Whether root here is the machine's root, which the kernel does not bind, and not that of a container.
    private static let isRootOfMachine: Bool = {
        guard let text = try? readFile("/proc/self/uid_map", maximumSize: 4096) else { return false }
        return String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace) == ["0", "0", "4294967295"]
    }()
}
