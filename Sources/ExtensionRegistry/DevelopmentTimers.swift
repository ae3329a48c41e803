// DevelopmentTimers: the timers that a bundle in development sets for itself.

import ExtensionPoints
import ExtensionProtocol
import LinuxSystem
import PropertyListCoding

/// Reads the dictionary `ExtensionHostTimers` of an `Info.plist`. Of an installed bundle it is not read: nobody's extension may
/// lengthen the time that a user's daemon gives it.
package enum DevelopmentTimers {
    package static let key = "ExtensionHostTimers"

    /// A timer that is none becomes a problem of the bundle. Reads a file, so never on the loop.
    static func read(into bundle: inout ExtensionBundle) {
        let path = BundleLayout(of: bundle.path).information
        // What keeps the file from being read is among the bundle's problems already.
        guard let bytes = try? readFile(path, maximumSize: BundleInformation.fileLimit),
            let information = try? PropertyList(file: bytes, limits: .file), let value = information.dictionary?[key]
        else { return }
        guard let settings = value.dictionary else {
            bundle.disable("\(key) in Info.plist is not a dictionary. Write it as <dict>…</dict>")
            return
        }
        for (name, setting) in settings {
            guard let timer = Timers.Name(rawValue: name), let duration = Duration(setting: setting) else {
                let names = Timers.Name.allCases.map(\.rawValue).joined(separator: ", ")
                bundle.disable(
                    "\(key).\(name.cut(toBytes: 64)) in Info.plist is no timer, or its value no duration. "
                        + "There are \(names); write durations as 500ms, 3s or 5min")
                continue
            }
            bundle.timers[timer] = duration
        }
    }
}
