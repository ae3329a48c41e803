// KernelCapabilities: the kernel's mechanisms to confine processes and to signal all of them, queried without using
// them.

internal import CLinux
internal import Glibc

/// Queries of the kernel. Each reads files or makes a call that changes nothing; any thread may call.
public enum KernelCapabilities {
    /// Returns the version of Landlock, 1 or more; throws `ENOSYS` if the kernel lacks it, `EOPNOTSUPP` if it is
    /// switched off.
    public static func landlockVersion() throws(SystemError) -> Int {
        let version = exthost_landlock_version()
        guard version > 0 else { throw SystemError("landlock_create_ruleset", code: -version) }
        return Int(version)
    }

    /// Whether the kernel supports filters of system calls (seccomp(2)).
    public static var hasSeccompFilters: Bool {
        // PR_GET_SECCOMP would end a process in strict mode; every process can read its status (proc(5)).
        guard let text = try? readFile("/proc/self/status", maximumSize: 64 * 1024) else { return false }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").contains { $0.hasPrefix("Seccomp:") }
    }

    /// The control group of this process, and the actions that it may perform there.
    public struct ControlGroup: Sendable, Hashable {
        /// The group's folder in the file system of version 2.
        public let path: String
        public let controllers: [String]
        /// Whether groups can be made below it, and processes moved there.
        public let isDelegated: Bool
        /// Whether it has `cgroup.kill` (Linux 5.14).
        public let canKill: Bool
    }

    /// The control group of this process; nil if version 2 is not mounted, or this process is in none of its groups.
    public static var controlGroup: ControlGroup? {
        guard let text = try? readFile("/proc/self/cgroup", maximumSize: 64 * 1024),
            let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first(where: {
                $0.hasPrefix("0::/")
            }),
            let mount = try? FileSystemFacts.all().first(where: { $0.type == "cgroup2" })
        else { return nil }
        let name = String(line.dropFirst(3))
        let path = name == "/" ? mount.mountPoint : mount.mountPoint + name
        guard let controllers = try? readFile(path + "/cgroup.controllers", maximumSize: 4096) else { return nil }
        return ControlGroup(
            path: path,
            controllers: String(decoding: controllers, as: UTF8.self).split { $0 == " " || $0 == "\n" }.map(
                String.init),
            isDelegated: access(path, W_OK) == 0 && access(path + "/cgroup.procs", W_OK) == 0,
            canKill: access(path + "/cgroup.kill", F_OK) == 0)
    }

    /// Returns a number of `/proc/sys`, such as `fs/inotify/max_user_instances`; nil if there is none.
    public static func setting(_ name: String) -> Int? {
        guard let text = try? readFile("/proc/sys/" + name, maximumSize: 4096) else { return nil }
        return Int(String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace })
    }
}
