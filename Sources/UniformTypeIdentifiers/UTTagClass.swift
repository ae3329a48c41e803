// UTTagClass: the class of a tag, which names a type: a filename extension, a MIME type, or another one.

/// A class of tags, named by its own identifier as Apple's module does.
public struct UTTagClass: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }

    /// Filename extensions, without the dot: `jpeg`.
    public static var filenameExtension: UTTagClass { UTTagClass(rawValue: "public.filename-extension") }
    /// MIME types: `image/jpeg`.
    public static var mimeType: UTTagClass { UTTagClass(rawValue: "public.mime-type") }

    /// Returns the form in which tags of this class are compared; nil if the text cannot be a tag. Case never counts.
    func normalized(_ tag: String) -> String? {
        guard !tag.isEmpty, tag.utf8.count <= 255, !tag.utf8.contains(0) else { return nil }
        switch self {
        case .filenameExtension: return tag.utf8.contains(UInt8(ascii: "/")) ? nil : tag.lowercased()
        case .mimeType: return tag.lowercased().filter { $0 != " " }
        default: return tag
        }
    }
}
