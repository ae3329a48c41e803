// URLThumbnailDictionaryItem: the keys of a file's thumbnails.

/// A key of a file's thumbnails, which are attributes on Apple's systems only.
public struct URLThumbnailDictionaryItem: RawRepresentable, Hashable, Sendable {
    /// The key's name.
    public let rawValue: String
    /// Makes a key of a name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The key of a thumbnail with at most 1,024 points a side.
    public static let NSThumbnail1024x1024SizeKey = URLThumbnailDictionaryItem(
        rawValue: "NSThumbnail1024x1024SizeKey")
}
