// BundleIdentity: the identifier of the bundle in a folder.

internal import Glibc
internal import LinuxSystem
internal import PropertyListCoding

/// The identifier of a bundle, and its path. The files are of strangers: no link is followed inside the bundle, a file
/// has a bound, and a pipe is refused. All calls read files.
enum BundleIdentity {
    /// The bytes of an `Info.plist` at most, as for the registry.
    private static let fileLimit = 1 << 20

    /// Returns the `CFBundleIdentifier` of the bundle at a path; nil if there is none that can be read.
    static func identifier(at path: String) -> String? {
        guard let bundle = try? ViewFile(path) else { return nil }
        for place in ["Info.plist", "Contents/Info.plist"] {
            guard let file = try? bundle.read(place), let bytes = try? readFile(file, maximumSize: fileLimit) else {
                continue
            }
            return (try? PropertyList(file: bytes, limits: .packet))?.dictionary?["CFBundleIdentifier"]?.string
        }
        return nil
    }

    /// Returns the path of a folder without links, by which all its names are one; the path itself if there is no folder.
    static func canonical(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
