// SpotlightClient: the calls of one app or extension to the index.

internal import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import Foundation
internal import Locks
internal import PointMessages
internal import PropertyListCoding
internal import SpotlightStore

/// One connection of an app, or of an extension, with the index. It sees the items of its app family only.
final class SpotlightClient: Sendable {
    let connection: ServiceConnection
    let family: AppFamily
    let pid: Int
    private let index: SpotlightIndex
    private let state = Mutex(State())
    private weak let host: SpotlightHost?

    private struct State {
        var hasDelegate = false
        var batches: Set<Int> = []
        var isOver = false
    }

    static let isGone = ExtensionHostError(.serviceUnavailable, "the index is gone")

    init(_ connection: ServiceConnection, _ client: ServiceClient, _ family: AppFamily, _ host: SpotlightHost) {
        (self.connection, self.family) = (connection, family)
        pid = client.pid
        self.host = host
        index = host.index
    }

    /// Whether the app takes the questions of the index itself.
    var hasDelegate: Bool { state.withLock { $0.hasDelegate } }

    /// Notes that the app has released its delegate.
    func lostDelegate() { state.withLock { $0.hasDelegate = false } }

    var handlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(PutItems.self) { [weak self] message, _ in
            let (client, host, now) = try await Self.opened(self)
            let items = message.items.map { IndexedItem($0) }
            try await client.change(.put(items), message.batch, host, now)
            return Nothing()
        }
        handlers.on(DeleteItems.self) { [weak self] message, _ in
            let (client, host, now) = try await Self.opened(self)
            if message.all { try await client.change(.deleteAll, message.batch, host, now) }
            if !message.identifiers.isEmpty {
                try await client.change(.delete(identifiers: message.identifiers), message.batch, host, now)
            }
            if !message.domains.isEmpty {
                try await client.change(.deleteDomains(message.domains), message.batch, host, now)
            }
            return Nothing()
        }
        handlers.on(BeginIndexBatch.self) { [weak self] _, _ in
            let (client, _, _) = try await Self.opened(self)
            return BeginIndexBatch.Reply(try await client.beginBatch())
        }
        handlers.on(EndIndexBatch.self) { [weak self] message, _ in
            let (client, host, now) = try await Self.opened(self)
            try await client.endBatch(message, host, now)
            return Nothing()
        }
        handlers.on(DropIndexBatch.self) { [weak self] message, _ in
            guard let client = self else { throw Self.isGone }
            await client.drop(message.batch)
            return Nothing()
        }
        handlers.on(LastClientState.self) { [weak self] message, _ in
            guard let client = self else { throw Self.isGone }
            let family = client.family
            return LastClientState.Reply(
                try await client.index.use { store throws(SpotlightStoreError) in
                    try store.clientState(of: message.index, family: family)
                })
        }
        handlers.on(SetIndexDelegate.self) { [weak self] message, _ in
            guard let client = self else { throw Self.isGone }
            // An extension's principal object is asked by its request.
            let isApp = client.connection.client?.role == .app
            client.state.withLock { $0.hasDelegate = message.isSet && isApp }
            return Nothing()
        }
        handlers.on(QueryItems.self) { [weak self] message, call in
            guard let client = self, let host = client.host else { throw Self.isGone }
            return QueryItems.Reply(try await client.search(message, call, await host.now))
        }
        return handlers
    }

    /// Waits while the index is throttled.
    private static func opened(
        _ client: SpotlightClient?
    ) async throws -> (SpotlightClient, SpotlightHost, now: Double) {
        guard let client, let host = client.host else { throw isGone }
        try await host.waitUntilOpen()
        return (client, host, await host.now)
    }

    // MARK: Changes

    private func change(_ change: IndexChange, _ batch: Int?, _ host: SpotlightHost, _ now: Double) async throws {
        if let batch {
            guard state.withLock({ $0.batches.contains(batch) }) else { throw Self.noBatch }
            return try await index.use { store throws(SpotlightStoreError) in try store.stage(change, in: batch) }
        }
        let family = family
        let effect = try await index.use { store throws(SpotlightStoreError) in
            try store.apply([change], of: family, now: now)
        }
        await host.count(effect, of: family)
    }

    private static let noBatch = SpotlightStoreError.invalidClientState("the batch is not open").indexError

    private func beginBatch() async throws -> Int {
        let family = family
        let batch = try await index.use { store throws(SpotlightStoreError) in try store.beginBatch(of: family) }
        let isOver = state.withLock { state in
            if !state.isOver { state.batches.insert(batch) }
            return state.isOver
        }
        // The client has gone meanwhile.
        if isOver { try await index.use { $0.drop(batch) } }
        return batch
    }

    private func endBatch(_ message: EndIndexBatch, _ host: SpotlightHost, _ now: Double) async throws {
        let family = family
        let batch = message.batch
        guard state.withLock({ $0.batches.remove(batch) != nil }) else {
            // After a restart of the daemon the client tells the end again, over another connection perhaps.
            let hasEnded = try await index.use { store throws(SpotlightStoreError) in
                try store.hasEnded(batch, of: family)
            }
            guard hasEnded else { throw Self.noBatch }
            return
        }
        let effect = try await index.use { store throws(SpotlightStoreError) in
            try store.commit(batch, index: message.index, state: message.state, now: now)
        }
        await host.count(effect, of: family)
    }

    /// Drops a batch whose changes the client does not want any more.
    private func drop(_ batch: Int) async {
        guard state.withLock({ $0.batches.remove(batch) != nil }) else { return }
        try? await index.use { $0.drop(batch) }
    }

    /// Drops the batches that have not ended, once the client is gone.
    func dropBatches() async {
        let batches = state.withLock { state in
            state.isOver = true
            defer { state.batches = [] }
            return state.batches
        }
        guard !batches.isEmpty else { return }
        try? await index.use { store throws(SpotlightStoreError) in for batch in batches { store.drop(batch) } }
    }

    // MARK: Queries

    /// The items and about the bytes of one part.
    private static let (itemsOfPart, bytesOfPart) = (64, 1 << 20)

    private func search(_ message: QueryItems, _ call: IncomingCall, _ now: Double) async throws -> Int {
        guard message.filters.count <= 16 else {
            throw NSError(
                domain: SpotlightService.queryErrorDomain, code: -2002,
                userInfo: [NSLocalizedDescriptionKey: "a query has at most 16 filters"])
        }
        let query: SearchQuery
        do throws(SearchQuery.Fault) {
            let limits = index.limits
            query = try SearchQuery(all: [message.query] + message.filters, limits: limits, now: now)
        } catch {
            throw error.queryError
        }
        let names = Set(message.attributes)
        var count = 0
        var cursor = IndexCursor(.query(query), of: family, now: now, limits: index.limits)
        while !cursor.isAtEnd {
            let (items, behind) = try await index.page(cursor, count: Self.itemsOfPart)
            cursor = behind
            var part: [SpotlightItem] = []
            var bytes = 0
            for item in items {
                let found = SpotlightItem(item, attributes: names)
                let size = (try? found.attributes.plist.encodeBinary().count) ?? 0
                if !part.isEmpty, bytes + size > Self.bytesOfPart {
                    try await call.send(part: PointEncoder.encode(QueryItems.Part(part)))
                    (part, bytes) = ([], 0)
                }
                part.append(found)
                bytes += size
            }
            if !part.isEmpty { try await call.send(part: PointEncoder.encode(QueryItems.Part(part))) }
            count += items.count
            try Task.checkCancellation()
        }
        return count
    }
}

extension SpotlightItem {
    /// - Parameter names: the names of the attributes that the item has.
    fileprivate init(_ item: FoundItem, attributes names: Set<String>) {
        var attributes: PropertyListDictionary = [:]
        for (name, value) in zip(item.attributes.keys, item.attributes.values) where names.contains(name) {
            attributes[name] = value
        }
        self.init(
            identifier: item.identifier, domain: item.domain, expires: item.expires,
            attributes: PointValue(.dictionary(attributes)),
            searchable: item.searchableNames.isEmpty ? nil : item.searchableNames)
    }
}
