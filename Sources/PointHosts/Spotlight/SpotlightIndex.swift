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
        let result: Result<Value, SpotlightStoreError> = await withCheckedContinuation { continuation in
            queue.async { [guarded] in
                continuation.resume(
                    returning: Result { () throws(SpotlightStoreError) in try body(guarded.store) })
            }
        }
        do { return try result.get() } catch { throw error.indexError }
    }
}

extension SpotlightStoreError {
    /// The error with Apple's domain and number.
    var indexError: NSError {
        let code =
            switch self {
            case .invalidItem: -1001
            case .invalidClientState: -1002
            case .quotaExceeded: -1004
            case .storage: -1
            }
        return NSError(
            domain: SpotlightService.errorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: description])
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
    /// The time until an item expires whose app gives none: 30 days.
    static let month: Double = 30 * 24 * 3600

    init(_ item: SpotlightItem, now: Double) {
        var attributes = item.attributes.plist.dictionary ?? [:]
        // The thumbnail has a place of its own.
        attributes["thumbnailData"] = nil
        self.init(
            identifier: item.identifier, domain: item.domain, expires: item.expires ?? now + Self.month,
            attributes: attributes, searchableNames: item.searchable ?? [], thumbnail: item.thumbnail,
            isUpdate: item.isUpdate)
    }
}
