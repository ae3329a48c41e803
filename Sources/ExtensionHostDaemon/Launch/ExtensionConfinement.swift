// ExtensionConfinement: what the daemon lets an extension or an app touch.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// The confinement of one launch. Everything in it that comes from a bundle or a program was opened and checked; nothing is a name any more.
enum ExtensionConfinement {
    /// By the layers in force; nil where there are none. Bundle and libraries of its app to read (an app's bundle has both, and its extensions), its container and those of its groups to
    /// write (spec 5.6), the network where its entitlements ask for it.
    ///
    /// - Parameter containers: the folder of all containers, through which nothing is reached.
    static func make(
        for opened: OpenedBundle, _ entitlements: GroupEntitlements, layers: ConfinementLayers,
        container: ExtensionContainer.Files?, _ containers: FolderIdentity?, _ identity: UserIdentity?
    ) -> Confinement? {
        guard !layers.isEmpty else { return nil }
        var confinement = Confinement(layers: layers, readable: [opened.file])
        confinement.containers = containers
        if opened.bundle.isProgram, let folder = try? opened.folder(outside: containers) {
            let companions = companions(in: folder, user: identity?.uid ?? geteuid())
            confinement.readable += companions.files
            confinement.links = companions.links
        }
        // Libraries that an app shares with its extensions, in the flat layout and under `Contents`. Not behind a link, by which an app could open
        // any folder.
        if let app = opened.app {
            confinement.readable += ["Frameworks", "Contents/Frameworks"].compactMap { try? app.file($0) }.filter(\.isFolder)
        }
        if let container {
            confinement.writable = [container.home.folder] + container.groups
            confinement.home = container.home.path
            confinement.temporaryFolder = container.home.temporary
        }
        if entitlements.isClient { confinement.network.insert(.client) }
        if entitlements.isServer { confinement.network.insert(.server) }
        // Whoever brings a bundle or program along is its author, and wants to know which paths it looks for.
        confinement.teachesPaths = opened.bundle.registration != nil
        return confinement
    }

    private static let companionsAllowed = 64

    /// Of a program without a bundle, whose folder may be its author's home, what a build puts beside it for it to load: libraries, and
    /// SwiftPM's folders of resources. Each is what its name says, and nobody else's. A link is kept as a link where it leads to another of
    /// them; one that leads elsewhere could open any folder, and is left out.
    private static func companions(in folder: ViewFile, user: UInt32) -> (files: [ViewFile], links: [String: String]) {
        // The system's own is there anyway.
        guard !folder.path.hasPrefix("/usr/") else { return ([], [:]) }
        let names = ((try? folder.names(maximumCount: 4096)) ?? []).filter { isLibrary($0) || isResources($0) }
        var files: [ViewFile] = []
        var links: [String: String] = [:]
        for name in names.prefix(companionsAllowed) {
            if let target = folder.linkTarget(name) {
                if !target.contains("/"), names.contains(target) { links["\(folder.path)/\(name)"] = target }
            } else if let file = try? folder.file(name), !file.isForeign(to: user),
                isLibrary(name) ? file.facts.isRegularFile : file.isFolder
            {
                files.append(file)
            }
        }
        return (files, links)
    }

    private static func isLibrary(_ name: String) -> Bool { name.hasSuffix(".so") || name.contains(".so.") }
    private static func isResources(_ name: String) -> Bool { name.hasSuffix(".resources") }
}
