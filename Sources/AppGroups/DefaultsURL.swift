// DefaultsURL: the form of an address in shared defaults, for which property lists have no type.

internal import Foundation
internal import PropertyListCoding

/// The form of an address in shared defaults.
///
/// The form of a file's address is its path, as in Apple's documentation of `url(forKey:)`, but never with “~”, which
/// is another folder in each process of a group. Any other address is data, a binary property list of one dictionary
/// (`docs/containers.md`). Apple's systems archive the object there, a form that no reader can bound.
enum DefaultsURL {
    private static let key = "URL"
    private static let baseKey = "base"
    private static let limits = PropertyListLimits(
        bytes: 64 << 10, objects: 8, depth: 1, expandedNodes: 8, expandedBytes: 128 << 10)

    static func propertyList(_ url: URL) throws(UnsupportedValue) -> PropertyList {
        if url.isFileURL { return .string(url.path) }
        var entries: PropertyListDictionary = [key: .string(url.relativeString)]
        if let base = url.baseURL { entries[baseKey] = .string(base.absoluteString) }
        guard let bytes = try? PropertyList.dictionary(entries).encodeBinary(), bytes.count <= limits.bytes else {
            throw UnsupportedValue(description: "an address of more than \(limits.bytes) bytes")
        }
        return .data(bytes)
    }

    static func url(_ plist: PropertyList) -> URL? {
        switch plist {
        case .string(let path): return URL(fileURLWithPath: NSString(string: path).expandingTildeInPath)
        case .data(let bytes):
            guard let entries = try? PropertyList(binary: bytes, limits: limits).dictionary,
                let text = entries[key]?.string
            else {
                return nil
            }
            return URL(string: text, relativeTo: entries[baseKey]?.string.flatMap { URL(string: $0) })
        default: return nil
        }
    }
}
