// DevelopmentTimers: the timers that a bundle in development sets for itself.

import ExtensionPoints
import ExtensionProtocol
import LinuxSystem
import PropertyListCoding

/// The reader of the dictionary `ExtensionHostTimers` of an `Info.plist`.
///
/// Installed bundles do not get these timers: no extension may extend the time that a user's daemon gives it.
package enum DevelopmentTimers {
    package static let key = "ExtensionHostTimers"

    /// Reads the timers into the bundle. An invalid timer becomes a problem of the bundle.
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
        for (name, setting) in settings {
            guard let timer = Timers.Name(rawValue: name), let duration = Duration(setting: setting) else {
                let names = Timers.Name.allCases.map(\.rawValue).joined(separator: ", ")
                bundle.disable(
                    "\(key).\(name.cut(toBytes: 64)) in Info.plist is not a timer, or its value is not a duration. "
                        + "There are \(names); write durations as 500ms, 3s or 5min")
                continue
            }
            bundle.timers[timer] = duration
        }
    }
}
