// RegistrationPath: the check of paths that are registered or removed.

import ExtensionProtocol
import Glibc

/// The paths of `add` and `remove`.
enum RegistrationPath {
    static func trimmed(_ path: String) -> String {
        path.count > 1 && path.hasSuffix("/") ? trimmed(String(path.dropLast())) : path
    }

    /// Returns the path without trailing slashes, if an app or an `.appex` lies there. Accesses files.
    static func check(_ path: String) throws(ExtensionHostError) -> String {
        let path = trimmed(path)
        guard path.hasPrefix("/"), !path.utf8.contains(0), path.utf8.count < Int(PATH_MAX),
            !path.split(separator: "/").contains("..")
        else {
            throw ExtensionHostError(
                .invalidArgument, "“\(path.cut(toBytes: 256))” is no absolute path",
                remedy: "Begin it with a slash, and omit “..”")
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ExtensionHostError(
                .noSuchExtension, "there is no \(path)", remedy: "Name an .app or an .appex",
                cause: String(cString: strerror(errno)))
        }
        let isApp = path.hasSuffix(".app")
        guard status.st_mode & S_IFMT == S_IFDIR, isApp || path.hasSuffix(".appex") else {
            throw ExtensionHostError(
                .invalidArgument, "\(path) is not a bundle", remedy: "Name a folder whose name ends in .app or .appex")
        }
        guard !isApp || !BundleScan([path]).found.isEmpty else {
            throw ExtensionHostError(
                .noSuchExtension, "\(path) has no extension in it", remedy: "Put an .appex into its PlugIns")
        }
        return path
    }
}
