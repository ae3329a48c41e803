// Bookmarks: bookmark data with a file's path.

public import Foundation

extension URL {
    /// The options of a new bookmark. They are carried only.
    public struct BookmarkCreationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Has no effect: a bookmark is small.
        public static let minimalBookmark = BookmarkCreationOptions(rawValue: 1 << 9)
        /// Has no effect.
        public static let suitableForBookmarkFile = BookmarkCreationOptions(rawValue: 1 << 10)
        /// Has no effect: a bookmark opens no file.
        public static let withSecurityScope = BookmarkCreationOptions(rawValue: 1 << 11)
        /// Has no effect.
        public static let securityScopeAllowOnlyReadAccess = BookmarkCreationOptions(rawValue: 1 << 12)
        /// Has no effect.
        public static let withoutImplicitSecurityScope = BookmarkCreationOptions(rawValue: 1 << 29)
    }

    /// The options of resolving a bookmark. They are carried only.
    public struct BookmarkResolutionOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Has no effect: nothing is shown.
        public static let withoutUI = BookmarkResolutionOptions(rawValue: 1 << 8)
        /// Has no effect: nothing is mounted.
        public static let withoutMounting = BookmarkResolutionOptions(rawValue: 1 << 9)
        /// Has no effect: a bookmark opens no file.
        public static let withSecurityScope = BookmarkResolutionOptions(rawValue: 1 << 10)
        /// Has no effect.
        public static let withoutImplicitStartAccessing = BookmarkResolutionOptions(rawValue: 1 << 15)
    }

    /// Returns the path of a file as data, from which `init(resolvingBookmarkData:)` makes the URL again.
    ///
    /// A bookmark is the file's path. Unlike Apple's it does not follow a file that is moved or renamed, and it gives
    /// no right to open the file. A confined process opens only files of its own folders and groups.
    ///
    /// - Parameters:
    ///   - options: have no effect.
    ///   - keys: have no effect: no values are stored.
    ///   - url: has no effect: the path is stored whole.
    /// - Throws: `CocoaError`: `fileReadUnsupportedScheme` for a URL of no file, `fileReadNoSuchFile` if there is no
    ///   file.
    public func bookmarkData(
        options: BookmarkCreationOptions = [], includingResourceValuesForKeys keys: Set<URLResourceKey>? = nil,
        relativeTo url: URL? = nil
    ) throws -> Data {
        guard isFileURL else { throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: self]) }
        guard FileManager.default.fileExists(atPath: path) else {
            throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: path])
        }
        return Data((Self.bookmarkHead + absoluteURL.absoluteString).utf8)
    }

    /// Makes the URL of a bookmark.
    ///
    /// - Parameters:
    ///   - data: made by `bookmarkData(options:includingResourceValuesForKeys:relativeTo:)` here.
    ///   - options: have no effect.
    ///   - url: has no effect.
    ///   - isStale: false afterwards: a bookmark does not follow its file.
    /// - Throws: `CocoaError`: `fileReadCorruptFile` for other data, those of Apple's systems among them,
    ///   `fileNoSuchFile` if the file is gone.
    public init(
        resolvingBookmarkData data: Data, options: BookmarkResolutionOptions = [], relativeTo url: URL? = nil,
        bookmarkDataIsStale isStale: inout Bool
    ) throws {
        guard let text = String(data: data, encoding: .utf8), text.hasPrefix(Self.bookmarkHead),
            let found = URL(string: String(text.dropFirst(Self.bookmarkHead.count))), found.isFileURL
        else { throw CocoaError(.fileReadCorruptFile) }
        guard FileManager.default.fileExists(atPath: found.path) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: found.path])
        }
        isStale = false
        self = found
    }

    /// The first line of every bookmark.
    private static let bookmarkHead = "exthost bookmark 1\n"
}
