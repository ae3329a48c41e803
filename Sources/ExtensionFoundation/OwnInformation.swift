// OwnInformation: the Info.plist of the bundle that this process runs, read when something in it is asked for.

import ExtensionConnection
import ExtensionWire
import LinuxDescriptors
import PropertyListCoding

/// No launch reads it: the daemon has said what a launch needs.
enum OwnInformation {
    /// The daemon's own bound on the file.
    private static let fileLimit = 1 << 20

    /// A text under a key at the top.
    static func text(_ key: String) -> String? { current[key]?.string }

    /// A text under `NSExtension`.
    static func declaration(_ key: String) -> String? { current["NSExtension"]?.dictionary?[key]?.string }

    /// Empty where there is none that can be read: then it declares nothing. Read once.
    private static let current: PropertyListDictionary = {
        guard let bundle = ProcessRole.runningExtension?.bundle else { return PropertyListDictionary() }
        for path in [bundle + "/Contents/Info.plist", bundle + "/Info.plist"] {
            guard let bytes = try? readFile(path, maximumSize: fileLimit),
                let read = try? PropertyList(file: bytes, limits: .packet).dictionary
            else { continue }
            return read
        }
        return PropertyListDictionary()
    }()
}
