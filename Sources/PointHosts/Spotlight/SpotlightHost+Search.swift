// SpotlightHost+Search: the search among the items of all apps, and the opening of a found item.

internal import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import Foundation
internal import PointMessages
internal import PropertyListCoding
public import SpotlightStore

extension SpotlightHost {
    /// Returns the items whose main texts have words that begin with these, the latest change first.
    ///
    /// - Parameters:
    ///   - words: the words, with spaces between them. Case and accents do not matter.
    ///   - identifier: an index extension, whose app's items are searched; nil: those of all apps.
    ///   - count: the largest number of items.
    /// - Throws: `NSError` of `CSIndexErrorDomain` if the file fails.
    public func search(_ words: String, of identifier: String? = nil, count: Int = 100) async throws -> [FoundItem] {
        try await items(
            .words(String(decoding: words.utf8.prefix(limits.queryBytes), as: UTF8.self)), identifier, count)
    }

    /// Returns the items that match a query of `CSSearchQuery`, the latest change first.
    ///
    /// - Parameters:
    ///   - query: the query, such as `title == "fo*"cd`.
    ///   - identifier: an index extension, whose app's items are searched; nil: those of all apps.
    ///   - count: the largest number of items.
    /// - Throws: `NSError` of `CSSearchQueryErrorDomain` for a query that cannot be read, or of `CSIndexErrorDomain`.
    public func query(_ query: String, of identifier: String? = nil, count: Int = 100) async throws -> [FoundItem] {
        let read: SearchQuery
        do throws(SearchQuery.Fault) {
            read = try SearchQuery(query, limits: limits, now: now)
        } catch {
            throw error.queryError
        }
        return try await items(.query(read), identifier, count)
    }

    /// All items, the latest change first.
    public var items: [FoundItem] {
        get async throws { try await items(.all, nil, .max) }
    }

    /// Returns the bytes of an item's thumbnail; nil if it has none.
    public func thumbnail(of item: FoundItem) async throws -> [UInt8]? {
        try await index.use { store throws(SpotlightStoreError) in
            try store.thumbnail(of: item.identifier, family: item.family)
        }
    }

    private func items(
        _ search: SpotlightStore.Search, _ identifier: String?, _ count: Int
    ) async throws -> [FoundItem] {
        let family: String? = if let identifier { try await self.family(of: identifier) } else { nil }
        var items: [FoundItem] = []
        var before: Int?
        let now = now
        repeat {
            let (last, wanted) = (before, min(count - items.count, 256))
            let page = try await index.use { store throws(SpotlightStoreError) in
                try store.page(search, of: family, before: last, count: wanted, now: now)
            }
            items += page.items
            before = page.next
            try Task.checkCancellation()
        } while before != nil && items.count < count
        return items
    }

    /// Returns the app family of an extension: the identifier of its app, or its own.
    func family(of identifier: String) async throws -> String {
        let found = try await host.extensions().first { $0.identifier == identifier }
        guard let found else { throw ExtensionHostError(.noSuchExtension, "there is no extension \(identifier)") }
        guard let app = found.containingApp else { return identifier }
        return Self.identifier(ofApp: app) ?? identifier
    }

    private static func identifier(ofApp path: String) -> String? {
        guard let bytes = FileManager.default.contents(atPath: path + "/Info.plist"), bytes.count <= 1 << 20 else {
            return nil
        }
        return (try? PropertyList(file: [UInt8](bytes), limits: .file))?.dictionary?["CFBundleIdentifier"]?.string
    }

    /// Opens a found item in its app, as a person who taps it does.
    ///
    /// The app gets an activity of the type `CSSearchableItemActionType`, whose `userInfo` has the item's identifier.
    ///
    /// - Throws: `ExtensionHostError` `noSuchExtension` without an app that has a registered extension, `timedOut` if the
    ///   app does not take the activity, and others of `openApp`.
    public func open(_ item: FoundItem) async throws {
        let apps = Set(try await host.extensions().compactMap(\.containingApp))
        guard let app = apps.sorted().first(where: { Self.identifier(ofApp: $0) == item.family }) else {
            throw ExtensionHostError(.noSuchExtension, "no registered extension is in an app \(item.family)")
        }
        try await host.open(
            app: app,
            continuing: Self.activityType, userInfo: [Self.activityIdentifier: .string(item.identifier)])
    }
}
