// DevelopmentLimits: the limits that a bundle in development sets for itself.

import ExtensionPoints
import ExtensionProtocol
import LinuxSystem
import PropertyListCoding

/// The reader of the dictionary `ExtensionHostLimits` of an `Info.plist`.
///
/// Installed bundles do not get these limits: no extension may take more of the machine than a user's daemon allows.
package enum DevelopmentLimits {
    package static let key = "ExtensionHostLimits"

    /// Reads the limits into the bundle. An invalid limit becomes a problem of the bundle.
    ///
    /// It reads a file, so it never runs on the loop.
    static func read(into bundle: inout ExtensionBundle) {
        let path = BundleLayout(of: bundle.path).information
        // If the file cannot be read, the bundle's problems already say why.
        guard let bytes = try? readFile(path, maximumSize: BundleInformation.fileLimit),
            let information = try? PropertyList(file: bytes, limits: .file, form: .authored),
            let value = information.dictionary?[key]
        else { return }
        guard let settings = value.dictionary else {
            bundle.disable("\(key) in Info.plist is not a dictionary. Write it as <dict>…</dict>")
            return
        }
        for (text, setting) in settings {
            guard let name = ResourceLimits.Name(rawValue: text) else {
                let names = ResourceLimits.Name.allCases.map(\.rawValue).joined(separator: ", ")
                bundle.disable("\(key).\(text.cut(toBytes: 64)) in Info.plist is not a limit. There are \(names)")
                continue
            }
            guard let limit = ResourceLimits.Setting(name, setting: setting) else {
                bundle.disable("\(key).\(text) in Info.plist is invalid. Write \(name.form)")
                continue
            }
            bundle.limits[setting: name] = limit
        }
    }
}
