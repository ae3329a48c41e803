// DescriptorLimit: the limits on the descriptors of the daemon, which has many peers, and of extensions (setrlimit(2)).

import ExtensionProtocol
import Glibc
import LinuxSystem

/// The limits on descriptors of the daemon and of extensions.
///
/// The daemon takes as many descriptors as it may have. An extension gets the limit that the daemon was started with,
/// because programs that use select(2) cannot use more.
public enum DescriptorLimit {
    private static let inherited: rlimit = {
        var limit = rlimit()
        // The call fails for a bad address or an unknown resource only.
        _ = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit
    }()

    /// Raises this process's soft limit to its hard one. Call it once, before descriptors are needed.
    public static func raise() {
        var limit = inherited
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The most descriptors that this process may have, as of its start.
    static let most = Int(clamping: inherited.rlim_max)

    /// The number from which on descriptors are reserved for launches and for the daemon's own files.
    ///
    /// The kernel gives the lowest free number (open(2)), so a number from here on shows that only the reserve is left.
    private static let reserved = most - max(16, most / 4)

    /// Returns the error if a received descriptor has a number in the reserve, so that it is not accepted; nil if there
    /// is room.
    static func shortage(_ descriptor: Int32) -> ExtensionHostError? {
        guard Int(descriptor) >= reserved else { return nil }
        return ExtensionHostError(
            .quotaExceeded,
            "\(descriptor) of the daemon's \(most) descriptors are in use, and the others are reserved for launches",
            remedy: "Close connections or end requests, or allow the daemon more (LimitNOFILE= of its unit, ulimit -n)")
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
    /// Returns the limit lowered to `most`; a limit that is lower already stays.
    func lowered(to most: Int) -> Self {
        .init(resource: resource, soft: min(soft, UInt64(most)), hard: min(hard, UInt64(most)))
    }
}
