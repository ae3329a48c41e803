// BundleReader: one .appex folder on disk into an ExtensionBundle; a bad one says why and disables itself only.

import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding

/// Reads bundles. Every name and value in a bundle is hostile until checked. Reads files, so never on the loop.
enum BundleReader {
    /// An `Info.plist` beyond this is not one.
    /// Bytes of one text in it: names travel in lists.
    private static let textLimit = 512
    static let informationLimit = 1024 * 1024

    static func read(_ path: String, containingApp: String?) -> ExtensionBundle {
        var problems: [String] = []
        let root = layoutRoot(of: path)
        let information = dictionary(at: root.folder + "/Info.plist", &problems)
        let declaration = information["NSExtension"]?.dictionary ?? PropertyListDictionary()
        if let value = information["NSExtension"], value.dictionary == nil {
            problems.append("NSExtension in Info.plist is not a dictionary. Write it as <dict>…</dict>")
        }

        func text(_ key: String, in dictionary: PropertyListDictionary) -> String? {
            guard let value = dictionary[key] else { return nil }
            if let text = value.string, !text.isEmpty {
                if text.utf8.count <= textLimit { return text }
                problems.append("\(key) in Info.plist is longer than \(textLimit) bytes. Shorten it")
                return nil
            }
            problems.append("\(key) in Info.plist is not a non-empty string. Write it as <string>…</string>")
            return nil
        }

        let identifier = text("CFBundleIdentifier", in: information)
        let point = text("NSExtensionPointIdentifier", in: declaration)
        let principal = text("NSExtensionPrincipalClass", in: declaration)
        if problems.isEmpty {
            if identifier == nil { problems.append("Info.plist has no CFBundleIdentifier. Add one that starts with the app's") }
            if information["NSExtension"] == nil {
                problems.append("Info.plist has no NSExtension dictionary. Add one")
            } else if point == nil {
                problems.append("NSExtension has no NSExtensionPointIdentifier. Name the extension point")
            }
            if let identifier, !isIdentifier(identifier) {
                problems.append(
                    "CFBundleIdentifier may hold letters, digits, hyphens and dots only, at most 255 of them, and must not start with a dot"
                )
            }
        }
        let executable = executable(named: text("CFBundleExecutable", in: information), in: root.programs, &problems)
        let version = text("CFBundleVersion", in: information) ?? "0"
        return ExtensionBundle(
            identifier: identifier.flatMap { isIdentifier($0) ? $0 : nil } ?? path, version: version,
            shortVersion: text("CFBundleShortVersionString", in: information) ?? version,
            displayName: text("CFBundleDisplayName", in: information) ?? text("CFBundleName", in: information) ?? identifier,
            point: point ?? "", principalClass: principal, executable: problems.isEmpty ? executable : nil, path: path,
            containingApp: containingApp, problems: problems)
    }

    /// Where a bundle's files are: flat (iOS), or under `Contents` (macOS), accepted for reading.
    static func layoutRoot(of path: String) -> (folder: String, programs: String) {
        var status = stat()
        guard stat(path + "/Info.plist", &status) != 0, stat(path + "/Contents/Info.plist", &status) == 0 else {
            return (path, path)
        }
        return (path + "/Contents", path + "/Contents/MacOS")
    }

    private static func dictionary(at path: String, _ problems: inout [String]) -> PropertyListDictionary {
        do {
            let bytes = try readFile(path, maximumSize: informationLimit)
            guard case .dictionary(let dictionary) = try PropertyList(file: bytes, limits: .file) else {
                problems.append("Info.plist is a property list, but no dictionary. Make its root a <dict>")
                return PropertyListDictionary()
            }
            return dictionary
        } catch let error as SystemError {
            problems.append("Info.plist cannot be read: \(error). Put a readable one at \(path)")
        } catch {
            problems.append("Info.plist cannot be read: \(error). Check it with plistutil or exthostctl lint")
        }
        return PropertyListDictionary()
    }

    private static func executable(named name: String?, in folder: String, _ problems: inout [String]) -> String? {
        guard let name else {
            if problems.isEmpty { problems.append("Info.plist has no CFBundleExecutable. Name the program in the bundle") }
            return nil
        }
        guard !name.contains("/"), name != "..", name != ".", !name.contains("\0") else {
            problems.append("CFBundleExecutable must be a file name inside the bundle, without folders")
            return nil
        }
        let path = "\(folder)/\(name)"
        var status = stat()
        guard lstat(path, &status) == 0 else {
            problems.append("the executable \(name) is missing. Build it into \(folder)")
            return nil
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            problems.append("the executable \(name) is not a regular file. Put the program itself into the bundle, not a link")
            return nil
        }
        guard access(path, X_OK) == 0 else {
            problems.append("the executable \(name) may not be executed. Set its mode with chmod +x")
            return nil
        }
        return path
    }

    /// Folders are named by identifiers, so neither `..` nor a hidden name is one.
    static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count <= 255 && !text.hasPrefix(".")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
