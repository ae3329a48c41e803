// ExtensionConfinement: what the daemon lets an extension touch.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// The confinement of one launch.
enum ExtensionConfinement {
    /// By the layers in force; nil where there are none. Bundle and libraries of its app to read, its container and those of its groups to
    /// write (spec 5.6), the network where its entitlements ask for it.
    static func make(
        for bundle: ExtensionBundle, _ entitlements: GroupEntitlements, layers: ConfinementLayers, container: ExtensionContainer?
    ) -> Confinement? {
        guard !layers.isEmpty else { return nil }
        // Of a program without a bundle the program alone: its folder may be its author's home.
        var confinement = Confinement(layers: layers, readable: [bundle.path])
        // Libraries that an app shares with its extensions. Not behind a link, by which an app could open any folder.
        if let app = bundle.containingApp { confinement.readable += [app + "/Frameworks"].filter(isFolder) }
        if let container {
            confinement.writable = [container.home] + container.groups.map { "\(container.groupFolder)/\($0.text)" }
            confinement.home = container.home
            confinement.temporaryFolder = container.home + "/tmp"
        }
        if entitlements.isClient { confinement.network.insert(.client) }
        if entitlements.isServer { confinement.network.insert(.server) }
        // Whoever brings a bundle or program along is its author, and wants to know which paths it looks for.
        confinement.teachesPaths = bundle.registration != nil
        return confinement
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
