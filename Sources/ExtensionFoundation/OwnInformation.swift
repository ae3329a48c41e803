// OwnInformation: the Info.plist of the bundle that this process runs, read on its first use.

import ExtensionConnection
import ExtensionWire
import LinuxDescriptors
import PropertyListCoding

/// The values of the bundle's Info.plist. No launch reads it: the daemon has sent what a launch needs.
package enum OwnInformation {
    /// The size limit of the file, which is the daemon's own.
    private static let fileLimit = 1 << 20

    /// Returns a text under a key at the top.
    static func text(_ key: String) -> String? { current[key]?.string }

    /// Returns a text under `NSExtension`.
    package static func declaration(_ key: String) -> String? { current["NSExtension"]?.dictionary?[key]?.string }

    /// The property list, read once; empty if there is none that can be read: then it declares nothing.
    private static let current: PropertyListDictionary = {
        guard let bundle = ProcessRole.runningExtension?.bundle else { return PropertyListDictionary() }
        for path in [bundle + "/Contents/Info.plist", bundle + "/Info.plist"] {
            guard let bytes = try? readFile(path, maximumSize: fileLimit),
                let read = try? PropertyList(file: bytes, limits: .packet, form: .authored).dictionary
            else { continue }
            return read
        }
        return PropertyListDictionary()
    }()
}
