// AssetCatalog: colours and images by name, from flat files of a bundle or from an uncompiled catalogue.

import Foundation
import LinuxDescriptors

/// The catalogues (`.xcassets`) and image files of a bundle.
struct AssetCatalog {
    private let folder: URL?

    init(_ bundle: Bundle?) { folder = (bundle ?? .main).resourceURL }

    /// Returns red, green, blue and alpha. Nil for an unknown color, or a reference to an unknown color of the system.
    func color(_ name: String) -> [CGFloat]? {
        struct Contents: Decodable {
            struct Entry: Decodable {
                struct Color: Decodable { let components: [String: String]?, reference: String? }
                let color: Color?
                let appearances: [[String: String]]?
            }
            let colors: [Entry]
        }
        guard let set = find("\(name).colorset"),
            let data = try? Data(contentsOf: set.appendingPathComponent("Contents.json")),
            let contents = try? JSONDecoder().decode(Contents.self, from: data),
            let color = (contents.colors.first { $0.appearances == nil } ?? contents.colors.first)?.color
        else { return nil }
        if let reference = color.reference { return UIColor.ofSystem(reference)?.cgColor.components }
        guard let parts = color.components else { return nil }
        func part(_ name: String) -> CGFloat {
            guard let text = parts[name] ?? parts["white"] else { return 0 }
            if text.hasPrefix("0x") { return CGFloat(Int(text.dropFirst(2), radix: 16) ?? 0) / 255 }
            return CGFloat(Double(text) ?? 0) / (text.contains(".") ? 1 : 255)
        }
        return [part("red"), part("green"), part("blue"), CGFloat(Double(parts["alpha"] ?? "1") ?? 1)]
    }

    /// Returns the bytes of an image, the largest there is.
    func image(_ name: String) -> Data? {
        guard let folder else { return nil }
        let names =
            (name as NSString).pathExtension.isEmpty ? ["png", "jpg", "jpeg", "gif"].map { "\(name).\($0)" } : [name]
        for name in names {
            let base = (name as NSString).deletingPathExtension
            for scale in ["@3x", "@2x", ""] {
                let file = folder.appendingPathComponent("\(base)\(scale).\((name as NSString).pathExtension)")
                if let data = try? Data(contentsOf: file) { return data }
            }
        }
        guard let set = find("\(name).imageset") else { return nil }
        let files = (try? FileManager.default.contentsOfDirectory(at: set, includingPropertiesForKeys: nil)) ?? []
        let images = files.filter { $0.lastPathComponent != "Contents.json" }
        return images.sorted { $0.lastPathComponent < $1.lastPathComponent }.last.flatMap { try? Data(contentsOf: $0) }
    }

    /// Returns the first file of a data set, with its type. The file is a regular one of at most 256 MiB, and no link.
    func data(_ name: String) -> (data: Data, type: String)? {
        struct Contents: Decodable {
            struct Entry: Decodable {
                let filename: String?
                let type: String?
                enum CodingKeys: String, CodingKey { case filename, type = "universal-type-identifier" }
            }
            let data: [Entry]
        }
        guard let set = find("\(name).dataset"),
            let contents = try? readFile(set.path + "/Contents.json", maximumSize: 1 << 20),
            let entries = try? JSONDecoder().decode(Contents.self, from: Data(contents)).data
        else { return nil }
        for entry in entries {
            guard let file = entry.filename, !file.contains("/"),
                let bytes = try? readFile("\(set.path)/\(file)", maximumSize: 1 << 28, followingLinks: false)
            else { continue }
            return (Data(bytes), entry.type ?? "public.data")
        }
        return nil
    }

    /// Returns the set of that name in any catalogue of the bundle.
    private func find(_ name: String) -> URL? {
        guard let folder,
            let top = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        else { return nil }
        for catalog in top where catalog.pathExtension == "xcassets" {
            let all = FileManager.default.enumerator(at: catalog, includingPropertiesForKeys: nil)
            while let entry = all?.nextObject() as? URL {
                if entry.path.hasSuffix("/\(name)") { return entry }
            }
        }
        return nil
    }
}
