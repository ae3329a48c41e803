// Bookmarks: a file's place as data.

public import Foundation

extension URL {
    /// Options of a new bookmark. Carried only.
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

    /// Options of resolving a bookmark. Carried only.
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

    /// The place of a file as data, from which `init(resolvingBookmarkData:)` makes the URL again.
    ///
    /// A bookmark is the file's path. Unlike Apple's it does not follow a file that is moved or renamed, and it gives
    /// nobody the right to open the file: a confined process opens what its own folders and groups have.
    ///
    /// - Parameters:
    ///   - options: have no effect.
    ///   - keys: have no effect: no values are stored.
    ///   - url: has no effect: the path is stored whole.
    /// - Throws: `CocoaError`: `fileReadUnsupportedScheme` for a URL of no file, `fileReadNoSuchFile` where there is
    ///   none.
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

    /// The URL of a bookmark.
    ///
    /// - Parameters:
    ///   - data: made by `bookmarkData(options:includingResourceValuesForKeys:relativeTo:)` here.
    ///   - options: have no effect.
    ///   - url: has no effect.
    ///   - isStale: false afterwards: a bookmark does not follow its file.
    /// - Throws: `CocoaError`: `fileReadCorruptFile` for other data, those of Apple's systems among them,
    ///   `fileNoSuchFile` where the file is gone.
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
