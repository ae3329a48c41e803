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
        _ search: IndexCursor.Search, _ identifier: String?, _ count: Int
    ) async throws -> [FoundItem] {
        let family: AppFamily? = if let identifier { try await self.family(of: identifier) } else { nil }
        var items: [FoundItem] = []
        var cursor = IndexCursor(search, of: family, now: now, limits: limits)
        while !cursor.isAtEnd, items.count < count {
            let (page, behind) = try await index.page(cursor, count: min(count, 256))
            cursor = behind
            items += page
            try Task.checkCancellation()
        }
        // An app may have gone in a way that changes nothing of the registry, or is about to.
        let families = Set(items.lazy.map(\.family))
        let gone = try await index.beside { families.filter(Self.isGone) }
        if !gone.isEmpty {
            await removeFamilies { gone.contains($0) }
            items.removeAll { gone.contains($0.family) }
        }
        return Array(items.prefix(count))
    }

    private func family(of identifier: String) async throws -> AppFamily {
        let found = try await host.extensions().first { $0.identifier == identifier }
        guard let found else { throw ExtensionHostError(.noSuchExtension, "there is no extension \(identifier)") }
        return await family(of: found)
    }

    /// Returns the app family of an extension: its app, or itself.
    func family(of found: FoundExtension) async -> AppFamily {
        await family(identifier: found.identifier, path: found.path, app: found.containingApp)
    }

    /// Returns the app family of a client.
    func family(of client: ServiceClient, _ identifier: String) async throws -> AppFamily {
        if let app = client.app, let path = client.containingApp {
            return AppFamily(app, owner: await beside(path) { BundleIdentity.canonical($0) } ?? path)
        }
        let found = try await host.extensions().first { $0.identifier == identifier }
        return await family(identifier: identifier, path: found?.path, app: found?.containingApp)
    }

    private func family(identifier: String, path: String?, app: String?) async -> AppFamily {
        let family = await beside(app) { app in
            BundleIdentity.identifier(at: app).map { AppFamily($0, owner: BundleIdentity.canonical(app)) }
        }
        if let family { return family }
        return AppFamily(identifier, owner: await beside(path) { BundleIdentity.canonical($0) } ?? "")
    }

    /// Reads files of a bundle beside the host's other work.
    private func beside<Value: Sendable>(
        _ path: String?, _ read: @escaping @Sendable (String) -> Value?
    ) async -> Value? {
        guard let path else { return nil }
        return try? await index.beside { read(path) }
    }

    // MARK: Removed apps

    /// Deletes the items of apps that are gone, also of those whose place another bundle has.
    func removeGoneApps() async {
        await removeFamilies(where: Self.isGone)
    }

    @Sendable private static func isGone(_ family: AppFamily) -> Bool {
        // The folder of an extension that its author has registered may not be known. It is there as long as this host.
        !family.owner.isEmpty && BundleIdentity.isGone(family.identifier, at: family.owner)
    }

    /// Deletes the items whose owner an earlier host has not known.
    func removeItemsWithoutOwner() async { await removeFamilies { $0.owner.isEmpty } }

    private func removeFamilies(where isGone: @escaping @Sendable (AppFamily) -> Bool) async {
        guard let families = try? await index.use({ store throws(SpotlightStoreError) in try store.families }),
            let gone = try? await index.beside({ families.filter(isGone) })
        else { return }
        for family in gone {
            // A part at a time, so that other calls get their turns.
            while (try? await index.use { store throws(SpotlightStoreError) in try store.removePart(of: family) })
                == true
            {}
        }
    }

    /// Opens a found item in its app, as a person who taps it does.
    ///
    /// The app gets an activity of the type `CSSearchableItemActionType`, whose `userInfo` has the item's identifier.
    ///
    /// - Throws: `ExtensionHostError` `noSuchExtension` without an app that has a registered extension, `timedOut` if the
    ///   app does not take the activity, and others of `openApp`.
    public func open(_ item: FoundItem) async throws {
        let apps = Set(try await host.extensions().compactMap(\.containingApp))
        var app: String?
        for path in apps.sorted() where app == nil {
            let family = await family(identifier: "", path: nil, app: path)
            if family == item.family { app = path }
        }
        guard let app else {
            throw ExtensionHostError(.noSuchExtension, "no registered extension is in an app \(item.family)")
        }
        try await host.open(
            app: app,
            continuing: Self.activityType, userInfo: [Self.activityIdentifier: .string(item.identifier)])
    }
}
