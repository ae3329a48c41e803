// Application: an app that can be run: what a launch of it and a search for its URL schemes need, read from its bundle.

package import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding

/// An `.app` with a program. A value: what is on disk may change, and is looked at once more before the launch.
package struct Application: Sendable {
    package let path: String
    package let identifier: String
    /// The program's path.
    package let executable: String
    /// `CFBundleURLSchemes` of all its `CFBundleURLTypes` (Apple's Information Property List Key Reference), in lower case.
    package let schemes: Set<String>

    /// The folder, whatever path leads to it.
    private let device: UInt64
    private let inode: UInt64

    /// Schemes of one app that count.
    private static let schemesLimit = 256

    /// Reads the bundle at an absolute path: files, so never on the loop.
    ///
    /// - Throws: `noSuchExtension` for what is no app or has nothing to run; says which, and what would help.
    package init(at path: String) throws(ExtensionHostError) {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        var status = stat()
        guard path.hasPrefix("/"), path.hasSuffix(".app"), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ExtensionHostError(
                .noSuchExtension, "there is no app at \(path.cut(toBytes: 512))",
                remedy: "Name a folder NAME.app, by its whole path")
        }
        let layout = BundleLayout(of: path)
        guard let bytes = try? readFile(layout.information, maximumSize: BundleInformation.fileLimit),
            let information = try? PropertyList(file: bytes, limits: .packet).dictionary,
            let identifier = information["CFBundleIdentifier"]?.string, BundleInformation.isIdentifier(identifier)
        else {
            throw ExtensionHostError(
                .noSuchExtension, "\(path) has no CFBundleIdentifier that could be read", remedy: "Write one into its Info.plist")
        }
        guard let name = information["CFBundleExecutable"]?.string, Self.isName(name) else {
            throw ExtensionHostError(
                .noSuchExtension, "\(path) names no program",
                remedy: "Write CFBundleExecutable into its Info.plist, a name without folders")
        }
        let place = layout.programs + name
        if let problem = BundleReader.problem(ofProgram: place, name, in: path) {
            let parts = problem.split(separator: ". ", maxSplits: 1).map(String.init)
            throw ExtensionHostError(
                .noSuchExtension, "\(path): \(parts[0])", remedy: parts.count > 1 ? parts[1] : "Build it into the app")
        }
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
        self.path = path
        self.identifier = identifier
        executable = "\(path)/\(place)"
        let declared = (information["CFBundleURLTypes"]?.array ?? []).flatMap { type in
            (type.dictionary?["CFBundleURLSchemes"]?.array ?? []).compactMap(\.string)
        }
        schemes = Set(declared.prefix(Self.schemesLimit).map { $0.lowercased() })
    }

    /// Whether both are one folder.
    package func isSame(as other: Application) -> Bool { device == other.device && inode == other.inode }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.contains("/") && !name.contains("\0")
    }

    /// The scheme of a URL, in lower case: what stands before its first colon (RFC 3986, section 3.1); nil of a text that has none.
    package static func scheme(of url: String) -> String? {
        guard let colon = url.firstIndex(of: ":"), let first = url.utf8.first, isLetter(first) else { return nil }
        let scheme = url[..<colon]
        let isScheme = scheme.utf8.allSatisfy { byte in
            isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
        }
        return isScheme ? scheme.lowercased() : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    /// As a process of it is known: a bundle of no extension point.
    ///
    /// - Parameter isInstalled: false of one that no registered extension lies in: who names it by its path is its author, and told more.
    package func bundle(isInstalled: Bool) -> ExtensionBundle {
        var bundle = ExtensionBundle(identifier: identifier, point: "", executable: executable, path: path)
        if !isInstalled { bundle.registration = 0 }
        return bundle
    }
}
