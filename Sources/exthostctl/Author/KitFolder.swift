// KitFolder: the location of the package that extensions are built with.

import Foundation

enum KitFolder {
    /// The package in whose build folder this program lies. Nil for a program that is installed elsewhere.
    static var own: String? {
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
        var folder = URL(fileURLWithPath: own).deletingLastPathComponent()
        while folder.path != "/" {
            if isKit(folder.path) { return folder.path }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    static func isKit(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/Package.swift")
            && FileManager.default.fileExists(atPath: path + "/Sources/ExtensionFoundation")
    }
}
