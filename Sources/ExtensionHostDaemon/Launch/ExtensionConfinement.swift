// ExtensionConfinement: the files and network that the daemon lets an extension or an app access.

import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// The confinement of one launch.
///
/// All files and folders in it that come from a bundle or a program were opened and checked, and are no longer names.
enum ExtensionConfinement {
    /// Returns the confinement by the layers in force; nil where there are none.
    ///
    /// The process may read its bundle and its app's libraries. An app's bundle has both, and its extensions. The
    /// process may write to its container and those of its groups (spec 5.6). It may use the network if its
    /// entitlements ask for it.
    ///
    /// - Parameters:
    ///   - point: the deviations of the extension point.
    ///   - containers: the folder of all containers; no path through it gives access.
    static func make(
        for opened: OpenedBundle, _ entitlements: GroupEntitlements, _ point: PointConfinement,
        layers: ConfinementLayers, container: ExtensionContainer.Files?, _ containers: FolderIdentity?,
        _ identity: UserIdentity?
    ) -> Confinement? {
        guard !layers.isEmpty else { return nil }
        var confinement = Confinement(layers: layers, readable: [opened.file])
        confinement.containers = containers
        if opened.bundle.isProgram, let folder = try? opened.folder(outside: containers) {
            let companions = companions(in: folder, user: identity?.uid ?? geteuid())
            confinement.readable += companions.files
            confinement.links = companions.links
        }
        // The libraries that an app shares with its extensions, in the flat layout and under `Contents`. Links are not
        // followed, because with a link an app could open any folder.
        if let app = opened.app {
            confinement.readable += ["Frameworks", "Contents/Frameworks"].compactMap { try? app.file($0) }.filter(
                \.isFolder)
        }
        if let container {
            confinement.writable = [container.home.folder]
            switch point.groupContainers {
            case .readWrite: confinement.writable += container.groups
            case .readOnly: confinement.readable += container.groups
            }
            confinement.home = container.home.path
            confinement.temporaryFolder = container.home.temporary
        }
        if point.network == .entitled {
            if entitlements.isClient { confinement.network.insert(.client) }
            if entitlements.isServer { confinement.network.insert(.server) }
        }
        // A developer who registers a bundle or program for a while is its author, and wants to know which paths it
        // looks for.
        confinement.teachesPaths = opened.bundle.registration != nil
        return confinement
    }

    private static let companionsAllowed = 64

    /// Returns the libraries and SwiftPM's resource folders that a build puts beside a program without a bundle.
    ///
    /// The program's folder may be its author's home. So each file has to be what its name says, and no other user may
    /// be able to change it. A link stays a link if it leads to another of these files. Any other link is left out,
    /// because it could open any folder.
    private static func companions(in folder: ViewFile, user: UInt32) -> (files: [ViewFile], links: [String: String]) {
        // The system's own files are visible anyway.
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

extension Confinement {
    /// Adds what the definition of a service grants its program.
    ///
    /// - Parameter containers: the folder of all containers, for a service that uses them. It is one entry, so that a
    ///   file can be renamed from one container into another.
    mutating func admit(_ service: ServiceDefinition, _ containers: ViewFile?) {
        if service.isNetworkClient { network.insert(.client) }
        if let containers { writable = [containers] }
    }
}
