// NearestPath: what was probably meant by a path at which nothing is.

import ExtensionProtocol
import Foundation

enum NearestPath {
    /// `Is ./Notes meant? `, or nothing: to be followed by what else helps.
    static func question(_ path: String) -> String {
        let place = URL(fileURLWithPath: path)
        let folder = place.deletingLastPathComponent().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let written = path.contains("/") ? String(path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)) : ""
        let near = NearestNames.of(place.lastPathComponent, among: names.filter { !$0.hasPrefix(".") }.sorted())
        return near.isEmpty ? "" : "Is \(near.map { written + $0 }.joined(separator: " or ")) meant? "
    }
}
