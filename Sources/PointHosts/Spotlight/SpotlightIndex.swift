// SpotlightIndex: the store of the index, on a thread of its own.

internal import Dispatch
internal import ExtensionPointKit
internal import Foundation
internal import PointMessages
internal import PropertyListCoding
internal import SpotlightStore

/// The store, which one call at a time uses. Calls wait for files, so they run beside the host's other work.
final class SpotlightIndex: Sendable {
    private struct Guarded: @unchecked Sendable {
        let store: SpotlightStore
    }

    private let queue = DispatchQueue(label: "org.exthost.spotlight.index")
    /// The queue of work that needs no store: the comparisons of queries, and the files of bundles.
    private let besides = DispatchQueue(label: "org.exthost.spotlight.besides", attributes: .concurrent)
    private let guarded: Guarded
    let limits: SearchLimits

    init(path: String, limits: SearchLimits) throws {
        self.limits = limits
        do {
            guarded = Guarded(store: try SpotlightStore(path: path, limits: limits))
        } catch {
            throw error.indexError
        }
    }

    /// Uses the store.
    ///
    /// - Throws: an `NSError` of the index's domain.
    func use<Value: Sendable>(
        _ body: @escaping @Sendable (SpotlightStore) throws(SpotlightStoreError) -> Value
    ) async throws -> Value {
        let guarded = guarded
        return try await Self.run(on: queue) { () throws(SpotlightStoreError) in try body(guarded.store) }
    }

    /// Does work beside the store, also several at a time.
    func beside<Value: Sendable>(
        _ body: @escaping @Sendable () throws(SpotlightStoreError) -> Value
    ) async throws -> Value {
        try await Self.run(on: besides, body)
    }

    private static func run<Value: Sendable>(
        on queue: DispatchQueue, _ body: @escaping @Sendable () throws(SpotlightStoreError) -> Value
    ) async throws -> Value {
        let result: Result<Value, SpotlightStoreError> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: Result { () throws(SpotlightStoreError) in try body() })
            }
        }
        do { return try result.get() } catch { throw error.indexError }
    }

    /// Returns the next page of a search, and the search behind it.
    ///
    /// The store is used for the reading only. Between two pages it serves all others.
    ///
    /// - Throws: an `NSError` of the index's domain, or of that of queries if the query does too much work.
    func page(_ cursor: IndexCursor, count: Int) async throws -> (items: [FoundItem], cursor: IndexCursor) {
        let (read, behind) = try await use { store throws(SpotlightStoreError) in
            var cursor = cursor
            return (try store.read(&cursor, count: count), cursor)
        }
        return try await beside { () throws(SpotlightStoreError) in
            var cursor = behind
            return (try cursor.matches(among: read), cursor)
        }
    }
}

extension SpotlightStoreError {
    /// The error with Apple's domain and number.
    var indexError: NSError {
        let (domain, code) =
            switch self {
            case .inUse: (SpotlightService.errorDomain, -1000)
            case .invalidItem: (SpotlightService.errorDomain, -1001)
            case .invalidClientState: (SpotlightService.errorDomain, -1002)
            case .quotaExceeded: (SpotlightService.errorDomain, -1004)
            case .storage: (SpotlightService.errorDomain, -1)
            case .tooMuchWork: (SpotlightService.queryErrorDomain, -2002)
            }
        return NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: description])
    }
}

extension SearchQuery.Fault {
    /// The error with Apple's domain and number.
    var queryError: NSError {
        NSError(
            domain: SpotlightService.queryErrorDomain, code: -2002,
            userInfo: [NSLocalizedDescriptionKey: "the query cannot be read: \(self)"])
    }
}

extension IndexedItem {
    init(_ item: SpotlightItem) {
        var attributes = item.attributes.plist.dictionary ?? [:]
        // The thumbnail has a place of its own.
        attributes["thumbnailData"] = nil
        self.init(
            identifier: item.identifier, domain: item.domain, expires: item.expires, attributes: attributes,
            searchableNames: item.searchable ?? [], thumbnail: item.thumbnail, isUpdate: item.isUpdate)
    }
}
