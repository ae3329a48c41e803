// DevelopmentBundle: an extension outside the application folders, which its author can try.

public import ExtensionProtocol
import ExtensionPoints
import Glibc

/// The reader of what `register` names: a program, or an `.appex` without an app around it.
public enum DevelopmentBundle {
    /// Reads the extension at an absolute path. Its `problems` has its faults, as for an installed one.
    ///
    /// It reads files, so it never runs on the loop.
    ///
    /// - Throws: `invalidArgument` if nothing at the path could be an extension, with what to name instead.
    public static func read(_ path: String) throws(ExtensionHostError) -> ExtensionBundle {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard path.hasPrefix("/"), !path.utf8.contains(0), path.utf8.count < Int(PATH_MAX) else {
            throw ExtensionHostError(.invalidArgument, "“\(path)” is no absolute path", remedy: "Begin it with a slash")
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ExtensionHostError(
                .noSuchExtension, "there is no \(path)", remedy: "Name a program or an .appex",
                cause: String(cString: strerror(errno)))
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return program(path)
        case S_IFDIR where path.hasSuffix(".appex"):
            var bundle = BundleReader.read(path, containingApp: nil)
            DevelopmentTimers.read(into: &bundle)
            DevelopmentLimits.read(into: &bundle)
            return bundle
        case S_IFDIR:
            let remedy =
                if path.hasSuffix(".app") {
                    "Name one of the bundles in its PlugIns, or move it into a folder of applications"
                } else if access(path + "/Package.swift", F_OK) == 0 {
                    "Build it with swift build, and name the program"
                } else {
                    "Name a program, or a folder whose name ends in .appex"
                }
            throw ExtensionHostError(.invalidArgument, "the folder \(path) is no extension", remedy: remedy)
        default:
            throw ExtensionHostError(
                .invalidArgument, "\(path) is neither a program nor a folder", remedy: "Name a program or an .appex")
        }
    }

    private static func program(_ path: String) -> ExtensionBundle {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        // Characters that identifiers do not allow become hyphens, and a hidden file's dot must not yield an empty
        // part.
        let spelled = name.utf8.prefix(200).map { byte -> Character in
            let character = Character(UnicodeScalar(byte))
            return BundleInformation.isIdentifier(String(character)) || character == "." ? character : "-"
        }
        var problems: [String] = []
        if access(path, X_OK) != 0 {
            problems.append("the program \(name) is not executable. Set its mode with chmod +x")
        }
        return ExtensionBundle(
            identifier: "dev." + String(spelled.drop { $0 == "." }), displayName: name,
            point: PointTable.pointOfPrograms,
            executable: problems.isEmpty ? path : nil, path: path, problems: problems, isProgram: true)
    }
}
