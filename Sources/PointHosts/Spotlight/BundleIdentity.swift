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
    static func identifier(at path: String) -> String? { try? read(path) }

    /// Whether the bundle at a path is not there any more, or has another identifier.
    ///
    /// A bundle that cannot be read for another reason, such as a lack of descriptors, counts as present.
    static func isGone(_ identifier: String, at path: String) -> Bool {
        do throws(SystemError) {
            return try read(path) != identifier
        } catch {
            return false
        }
    }

    /// Errors of a path at which no bundle is. A link in the bundle, a pipe and a large file are among them.
    private static let absences = [ENOENT, ENOTDIR, ELOOP, EXDEV, EINVAL, EFBIG]

    /// Returns the identifier; nil if there is no bundle, or one without an identifier.
    private static func read(_ path: String) throws(SystemError) -> String? {
        func unlessAbsent<Value: ~Copyable>(_ body: () throws(SystemError) -> Value) throws(SystemError) -> Value? {
            do throws(SystemError) {
                return try body()
            } catch {
                if absences.contains(error.code) { return nil }
                throw error
            }
        }
        guard let bundle = try unlessAbsent({ () throws(SystemError) in try ViewFile(path) }) else { return nil }
        for place in ["Info.plist", "Contents/Info.plist"] {
            let bytes = try unlessAbsent { () throws(SystemError) in
                try readFile(bundle.read(place), maximumSize: fileLimit)
            }
            guard let bytes else { continue }
            return (try? PropertyList(file: bytes, limits: .packet, form: .authored))?.dictionary?[
                "CFBundleIdentifier"]?.string
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
