// ContainerRemoval: what of the containers goes with a removed app, and what stays for others.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// Found when a bundle is removed; carried out when its processes are gone.
struct ContainerRemoval: Sendable {
    /// Folders that nobody who is registered has any claim to.
    private(set) var deleted: [String] = []
    /// Containers of groups that another member still holds.
    private(set) var kept: [String] = []

    /// Reads the entitlements of the bundles that remain: not for the loop.
    ///
    /// - Parameters:
    ///   - path: what was removed: an app with all its extensions, or one extension.
    ///   - removed: the copies concerned.
    ///   - remaining: all that are registered besides.
    init(of path: String, removed: [ExtensionBundle], remaining: [ExtensionBundle], in folder: ContainerFolder) {
        let claimed = Set(remaining.map(\.identifier))
        var owned: Set<String> = []
        for bundle in removed where bundle.problems.isEmpty && !claimed.contains(bundle.identifier) {
            if let own = folder.plugIn(bundle.identifier) { owned.insert(own) }
        }
        // Its own only where no other copy of the app is registered.
        if path.hasSuffix(".app"), let application = applicationIdentifier(path),
            !remaining.contains(where: { $0.identifier.hasPrefix(application + ".") }), let own = folder.application(application)
        {
            owned.insert(own)
        }
        deleted = owned.sorted().filter(Self.isThere)
        var groups = Set(removed.flatMap { GroupEntitlements(of: $0).held })
        // Nobody else is asked where nothing is at stake.
        groups = groups.filter { Self.isThere(folder.group($0)) }
        guard !groups.isEmpty else { return }
        let held = Set(remaining.flatMap { GroupEntitlements(of: $0).held })
        for group in groups.sorted() {
            if held.contains(group) { kept.append(folder.group(group)) } else { deleted.append(folder.group(group)) }
        }
    }

    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
