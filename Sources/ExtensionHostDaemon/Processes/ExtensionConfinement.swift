// ExtensionConfinement: what the daemon lets an extension or an app touch.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// The confinement of one launch.
enum ExtensionConfinement {
    /// By the layers in force; nil where there are none. Bundle and libraries of its app to read (an app's bundle has both, and its extensions), its container and those of its groups to
    /// write (spec 5.6), the network where its entitlements ask for it.
    static func make(
        for bundle: ExtensionBundle, _ entitlements: GroupEntitlements, layers: ConfinementLayers, container: ExtensionContainer?
    ) -> Confinement? {
        guard !layers.isEmpty else { return nil }
        var confinement = Confinement(layers: layers, readable: [bundle.path])
        if bundle.isProgram { confinement.readable += companions(of: bundle) }
        // Libraries that an app shares with its extensions. Not behind a link, by which an app could open any folder.
        if let app = bundle.containingApp { confinement.readable += frameworks(of: app) }
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

    /// In the flat layout and under `Contents`.
    private static func frameworks(of app: String) -> [String] {
        let contents = app + "/Contents"
        return ([app] + (isFolder(contents) ? [contents] : [])).map { $0 + "/Frameworks" }.filter(isFolder)
    }

    private static let companionsAllowed = 64

    /// Of a program without a bundle, whose folder may be its author's home, what a build puts beside it for it to load: libraries, and
    /// SwiftPM's folders of resources.
    private static func companions(of bundle: ExtensionBundle) -> [String] {
        let names = (try? listDirectory(bundle.folder, maximumCount: 4096)) ?? []
        let loaded = names.filter { $0.hasSuffix(".so") || $0.contains(".so.") || $0.hasSuffix(".resources") }
        return loaded.prefix(companionsAllowed).map { "\(bundle.folder)/\($0)" }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
