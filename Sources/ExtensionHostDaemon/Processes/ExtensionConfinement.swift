// ExtensionConfinement: what the daemon lets an extension touch, and the folder that is its own.

import ExtensionRegistry
import Glibc
import LinuxSystem

/// The confinement of one launch.
enum ExtensionConfinement {
    /// By the layers in force; nil where there are none.
    ///
    /// Makes the extension's container (`Data/PlugIn/IDENTIFIER` of the containers, spec 5.6) on first use.
    static func make(
        for bundle: ExtensionBundle, layers: ConfinementLayers, containers: String?
    ) throws(SystemError) -> Confinement? {
        guard !layers.isEmpty else { return nil }
        var confinement = Confinement(layers: layers, readable: [bundle.folder])
        // Libraries that an app shares with its extensions.
        if let app = bundle.containingApp { confinement.readable += [app + "/Frameworks"].filter { access($0, F_OK) == 0 } }
        if let containers, let name = folderName(bundle.identifier) {
            let container = containers + "/Data/PlugIn/" + name
            try makeFolders(container + "/tmp")
            confinement.writable = [container]
            confinement.home = container
            confinement.temporaryFolder = container + "/tmp"
        }
        return confinement
    }

    /// An identifier is a stranger's word: it must not lead out of the folder. nil for one that cannot be a name.
    private static func folderName(_ identifier: String) -> String? {
        guard !identifier.isEmpty, identifier.utf8.count <= 255, !identifier.contains("/"), identifier != ".", identifier != ".."
        else {
            return nil
        }
        return identifier
    }

    private static func makeFolders(_ path: String) throws(SystemError) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/" + part
            guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir") }
        }
    }
}
