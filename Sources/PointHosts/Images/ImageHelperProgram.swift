// ImageHelperProgram: the search for exthost-images.

package import ExtensionProtocol
internal import Glibc
internal import LinuxDescriptors

/// The program that decodes images for hosts.
package enum ImageHelperProgram {
    package static let name = "exthost-images"

    /// Returns the path of the program.
    ///
    /// - Throws: `helperMissing` with the places that were searched.
    package static func locate() throws(ExtensionHostError) -> String {
        let places = places
        if let found = places.first(where: { access($0, X_OK) == 0 }) { return found }
        throw ExtensionHostError(
            .helperMissing,
            "\(name), which decodes images for hosts, was not found at \(places.joined(separator: ", "))",
            remedy: "Install it beside exthostd, or name it in EXTHOST_IMAGES")
    }

    /// The places, in the order of the search.
    private static var places: [String] {
        if let named = variable("EXTHOST_IMAGES") { return [named] }
        var folders: [String] = []
        if let own = linkTarget("/proc/self/exe") { folders.append(folder(of: own)) }
        if let daemon = variable("EXTHOSTD") { folders.append(folder(of: daemon)) }
        for entry in (variable("PATH") ?? "").split(separator: ":") where access("\(entry)/exthostd", X_OK) == 0 {
            folders.append(String(entry))
        }
        return folders.flatMap { ["\($0)/\(name)", "\($0)/../libexec/exthost/\(name)"] }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
        return value
    }
}
