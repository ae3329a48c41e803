// DescriptorLimit: room for the sockets, pidfds and memory files of many peers (setrlimit(2)).

import Glibc
import LinuxSystem

/// The daemon takes as many descriptors as it may have; an extension gets the number that the daemon was started with, for
/// programs that use select(2) cannot live with more.
public enum DescriptorLimit {
    private static let inherited: rlimit = {
        var limit = rlimit()
        // Fails for a bad address or an unknown resource only.
        _ = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit
    }()

    /// Raises this process's soft limit to its hard one. Call it once, before descriptors are wanted.
    public static func raise() {
        var limit = inherited
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    static var forExtensions: SpawnAttributes.ResourceLimit {
        SpawnAttributes.ResourceLimit(
            resource: Int32(RLIMIT_NOFILE.rawValue), soft: UInt64(inherited.rlim_cur), hard: UInt64(inherited.rlim_max))
    }
}
