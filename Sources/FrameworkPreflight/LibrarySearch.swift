// LibrarySearch: the search for the libraries that a library needs, as the loader would find them (ld.so(8)).

import CLoading
import ELF
import Foundation
import Glibc
import LinuxDescriptors

/// The loader's search, without loading. It follows the libraries that run paths find, and those of the system not.
enum LibrarySearch {
    /// The maximum number of libraries that are followed.
    private static let filesLimit = 256

    /// Returns the names of the libraries that a file, or a library that it needs, would not find; sorted.
    static func missing(for path: String) -> [String] {
        var queue = [path]
        var seen: Set<String> = []
        var missing: Set<String> = []
        while let next = queue.popLast() {
            guard let file = try? ELFFile(next), let links = try? ELFLinks(file) else { continue }
            let origin = (next as NSString).deletingLastPathComponent
            let folders = (links.runPath ?? links.inheritedRunPath ?? []).map {
                $0.replacingOccurrences(of: "${ORIGIN}", with: origin)
                    .replacingOccurrences(of: "$ORIGIN", with: origin)
            }
            for name in links.needed where seen.count < filesLimit && seen.insert(name).inserted {
                if isLoaded(name) { continue }
                let places = name.contains("/") ? [name] : (folders + ownFolders).map { "\($0)/\(name)" }
                if let place = places.first(where: { access($0, R_OK) == 0 }) {
                    queue.append(place)
                } else if name.contains("/") || !isOfSystem(name) {
                    missing.insert(name)
                }
            }
        }
        return missing.sorted()
    }

    private static func isLoaded(_ name: String) -> Bool {
        guard let library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD) else { return false }
        dlclose(library)
        return true
    }

    private static var ownFolders: [String] {
        (getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? "").split(separator: ":").map(String.init)
    }

    private static let cacheLimit = 8 << 20

    /// Whether the system has a library: beside the C library, in a folder that is always searched, or in the loader's
    /// cache, which contains whole paths.
    private static func isOfSystem(_ name: String) -> Bool {
        var folders = ["/lib64", "/usr/lib64", "/lib", "/usr/lib"]
        if let known = exthost_c_library() {
            folders.append((String(cString: known) as NSString).deletingLastPathComponent)
        }
        if folders.contains(where: { access("\($0)/\(name)", R_OK) == 0 }) { return true }
        guard let cache = try? readFile("/etc/ld.so.cache", maximumSize: cacheLimit) else { return false }
        return Data(cache).range(of: Data("/\(name)\0".utf8)) != nil
    }
}
