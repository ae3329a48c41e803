// Application: an app that can be run, with what its launch and a search for its URL schemes need from its bundle.

package import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding

/// An `.app` with a program. It is a value; the files may change, so they are checked again before the launch.
package struct Application: Sendable {
    package let path: String
    package let identifier: String
    /// The program's path.
    package let executable: String
    /// The `CFBundleURLSchemes` of all its `CFBundleURLTypes`, in lower case (Apple's Information Property List Key
    /// Reference).
    package let schemes: Set<String>

    /// The identity of the folder, whatever path leads to it.
    private let device: UInt64
    private let inode: UInt64

    /// The maximum number of schemes that count for one app.
    private static let schemesLimit = 256

    /// Reads the bundle at an absolute path. It reads files, so it never runs on the loop.
    ///
    /// - Throws: `noSuchExtension` if there is no app, or if the app has nothing to run; the error says which, with a
    ///   remedy.
    package init(at path: String) throws(ExtensionHostError) {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        var status = stat()
        guard path.hasPrefix("/"), path.hasSuffix(".app"), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR
        else {
            throw ExtensionHostError(
                .noSuchExtension, "there is no app at \(path.cut(toBytes: 512))",
                remedy: "Name a folder NAME.app, by its absolute path")
        }
        let layout = BundleLayout(of: path)
        guard let bytes = try? readFile(layout.information, maximumSize: BundleInformation.fileLimit),
            let information = try? PropertyList(file: bytes, limits: .packet, form: .authored).dictionary,
            let identifier = information["CFBundleIdentifier"]?.string, BundleInformation.isIdentifier(identifier)
        else {
            throw ExtensionHostError(
                .noSuchExtension, "\(path) has no readable CFBundleIdentifier", remedy: "Write one into its Info.plist")
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

    /// Whether both are the same folder.
    package func isSame(as other: Application) -> Bool { device == other.device && inode == other.inode }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.contains("/") && !name.contains("\0")
    }

    /// Returns the scheme of a URL in lower case: the text before its first colon (RFC 3986, section 3.1). Nil without
    /// one.
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

    /// Returns the app as a bundle without an extension point, the form in which the daemon knows its process.
    ///
    /// - Parameter isInstalled: false if no registered extension lies in the app. A caller that names it by its path is
    ///   its author, and is told more.
    package func bundle(isInstalled: Bool) -> ExtensionBundle {
        var bundle = ExtensionBundle(identifier: identifier, point: "", executable: executable, path: path)
        if !isInstalled { bundle.registration = 0 }
        return bundle
    }
}
