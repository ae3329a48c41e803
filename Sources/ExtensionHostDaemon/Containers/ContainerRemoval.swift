// ContainerRemoval: the containers that are deleted with a removed app, and those that remain for others.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// The containers that a removal concerns: found when a bundle is removed, deleted when its processes are gone.
struct ContainerRemoval: Sendable {
    /// Folders to which no registered bundle has a claim.
    private(set) var deleted: [String] = []
    /// Containers of groups that another member still holds.
    private(set) var kept: [String] = []

    /// Reads the entitlements of the remaining bundles, so the loop must not call it.
    ///
    /// - Parameters:
    ///   - path: the removed item: an app with all its extensions, or one extension.
    ///   - removed: the copies concerned.
    ///   - remaining: all other registered bundles.
    init(of path: String, removed: [ExtensionBundle], remaining: [ExtensionBundle], in folder: ContainerFolder) {
        let claimed = Set(remaining.map(\.identifier))
        var owned: Set<String> = []
        for bundle in removed where bundle.problems.isEmpty && !claimed.contains(bundle.identifier) {
            if let own = folder.plugIn(bundle.identifier) { owned.insert(own) }
        }
        // The app's own container goes only if no other copy of the app is registered.
        if path.hasSuffix(".app"), let application = applicationIdentifier(path),
            !remaining.contains(where: { $0.identifier.hasPrefix(application + ".") }),
            let own = folder.application(application)
        {
            owned.insert(own)
        }
        deleted = owned.sorted().filter(Self.isThere)
        var groups = Set(removed.flatMap { GroupEntitlements(of: $0).held })
        // The other bundles are read only if there is a container to delete.
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
