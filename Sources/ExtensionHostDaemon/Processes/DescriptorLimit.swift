// DescriptorLimit: room for the sockets, pidfds and memory files of many peers (setrlimit(2)).

import ExtensionProtocol
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

    /// How many this process may have since its start.
    static let most = Int(clamping: inherited.rlim_max)

    /// The kernel gives the lowest free number (open(2)): one from here on says that only what is kept for launches and
    /// for the daemon's own files is left.
    private static let reserved = most - max(16, most / 4)

    /// Why what came as the descriptor of this number is not kept; nil: there is room.
    static func shortage(_ descriptor: Int32) -> ExtensionHostError? {
        guard Int(descriptor) >= reserved else { return nil }
        return ExtensionHostError(
            .quotaExceeded, "\(descriptor) of the daemon's \(most) descriptors are taken, and the others are kept for launches",
            remedy: "Close connections or end requests, or let the daemon have more (LimitNOFILE= of its unit, ulimit -n)")
    }

    static func shortage(_ descriptors: [SharedDescriptor]) -> ExtensionHostError? {
        descriptors.map(\.raw).max().flatMap { shortage($0) }
    }

    static var forExtensions: SpawnAttributes.ResourceLimit {
        SpawnAttributes.ResourceLimit(
            resource: Int32(RLIMIT_NOFILE.rawValue), soft: UInt64(inherited.rlim_cur), hard: UInt64(inherited.rlim_max))
    }
}

extension SpawnAttributes.ResourceLimit {
    /// At most so much, and no more than now.
    func lowered(to most: Int) -> Self { .init(resource: resource, soft: min(soft, UInt64(most)), hard: min(hard, UInt64(most))) }
}
