// NearestPath: a suggestion for a path that does not exist.

import ExtensionProtocol
import Foundation

enum NearestPath {
    /// Returns `Is ./Notes meant? `, or nothing; another remedy may follow it. The first missing part may be a folder
    /// on the way.
    static func question(_ path: String) -> String {
        let parts = path.split(separator: "/")
        var (found, missing) = (path.hasPrefix("/") ? "/" : "", 0)
        while missing < parts.count, FileManager.default.fileExists(atPath: found + parts[missing]) {
            found += parts[missing] + "/"
            missing += 1
        }
        guard missing < parts.count else { return "" }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: found.isEmpty ? "." : found)) ?? []
        let near = NearestNames.of(String(parts[missing]), among: names.filter { !$0.hasPrefix(".") }.sorted())
        let rest = parts[(missing + 1)...].map { "/" + $0 }.joined()
        let whole = near.map { found + $0 + rest }.filter { FileManager.default.fileExists(atPath: $0) }
        let meant = whole.isEmpty ? near.map { found + $0 } : whole
        return meant.isEmpty ? "" : "Is \(meant.joined(separator: " or ")) meant? "
    }
}
