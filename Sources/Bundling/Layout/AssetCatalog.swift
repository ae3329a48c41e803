// AssetCatalog: the images, colors and data of an .xcassets folder.

import Foundation
import Glibc
import LinuxSystem

/// A catalog as it was read ("Asset Catalog Format Reference").
///
/// Of a set of variants, those for any device count, or else the first. Variants for special appearances do not count.
struct AssetCatalog {
    private(set) var images: [XcodeFile] = []
    /// The sets of colors and of data, which stay in their catalog, where UIKit reads them.
    private(set) var sets: [XcodeFile] = []
    private static let (setsLimit, depthLimit, fileLimit) = (10_000, 16, 1 << 20)

    init(_ path: String) throws(ProjectError) {
        var queue = [(folder: path, prefix: "", depth: 0)]
        var count = 0
        while let (folder, prefix, depth) = queue.popLast() {
            for name in ((try? listDirectory(folder, maximumCount: Self.setsLimit)) ?? []).sorted()
            where !name.hasPrefix(".") {
                let place = "\(folder)/\(name)"
                var status = stat()
                guard stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
                count += 1
                guard count <= Self.setsLimit else { return }
                if name.hasSuffix(".imageset") {
                    try addImages(place, prefix + name.dropLast(".imageset".count))
                } else if name.hasSuffix(".colorset") || name.hasSuffix(".dataset") {
                    let catalog = path.split(separator: "/").last.map(String.init) ?? "Assets.xcassets"
                    sets.append(XcodeFile(path: place, name: "\(catalog)/\(prefix)\(name)"))
                } else if depth < Self.depthLimit, !name.contains(".") {
                    let isNamespace = try Self.contents(place)["properties"] as? [String: Any]
                    let named = isNamespace?["provides-namespace"] as? Bool == true ? "\(prefix)\(name)/" : prefix
                    queue.append((place, named, depth + 1))
                }
            }
        }
    }

    /// Reads `Contents.json`; empty if there is none.
    private static func contents(_ folder: String) throws(ProjectError) -> [String: Any] {
        let file = folder + "/Contents.json"
        guard access(file, F_OK) == 0 else { return [:] }
        guard let bytes = try? readFile(file, maximumSize: fileLimit),
            let value = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        else {
            throw ProjectError(
                ProjectFinding(
                    .interfaceUnreadable, file, "it is not a JSON object",
                    remedy: "Open the catalog in Xcode and save it")
            )
        }
        return value
    }

    private mutating func addImages(_ folder: String, _ name: String) throws(ProjectError) {
        var placed: Set<String> = []
        let entries = try Self.contents(folder)["images"] as? [[String: Any]] ?? []
        // The images for any device come first.
        for entry in entries.filter({ $0["idiom"] as? String == "universal" }) + entries {
            guard let file = entry["filename"] as? String, !file.contains("/"), entry["appearances"] == nil,
                let dot = file.lastIndex(of: ".")
            else { continue }
            let scale = entry["scale"] as? String ?? "1x"
            let target = name + (scale == "1x" ? "" : "@\(scale)") + file[dot...]
            if placed.insert(target).inserted { images.append(XcodeFile(path: "\(folder)/\(file)", name: target)) }
        }
    }
}
