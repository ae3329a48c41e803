// CSSearchableIndex: the index of an app and its extensions.

import ExtensionConnection
public import Foundation
import Locks
import PointMessages

/// An index of the app's items. All indexes of an app and its extensions have the same items.
///
/// A host keeps the items (`SpotlightHost`). Without one each change fails with `indexUnavailableError`. Changes are made
/// in the order of the calls, also of several indexes. Handlers run one after the other, on another thread.
open class CSSearchableIndex: NSObject, @unchecked Sendable {  // its state has a lock
    /// A handler of a change: nil, or an error of `CSIndexErrorDomain`.
    public typealias Handler = @Sendable ((any Error)?) -> Void

    /// Whether this process can have an index: an app or an extension that the daemon has launched can.
    open class func isIndexingAvailable() -> Bool {
        ProcessRole.isExtension || ProcessRole.isLaunchedApp
    }

    private static let shared = CSSearchableIndex(nil)

    /// Returns the index without batches. It is one object.
    open class func `default`() -> CSSearchableIndex { shared }

    /// The name; nil for the default index.
    private let name: String?
    private let state = Mutex(State())

    private struct State {
        var delegate = WeakDelegate()
        var batch: OpenBatch?
    }

    /// The delegate, which the author's code and the index's handlers use.
    private struct WeakDelegate: @unchecked Sendable {
        weak var object: (any CSSearchableIndexDelegate)?
    }

    private init(_ name: String?) { self.name = name }

    /// Makes an index for batches. Each index of a name has one client state.
    public init(name: String) { self.name = name }

    /// Makes an index for batches. The protection class has no effect.
    public convenience init(name: String, protectionClass: FileProtectionType?) { self.init(name: name) }

    /// The delegate, a weak reference. While the app runs, it is asked for items in the place of the index extension.
    open var indexDelegate: (any CSSearchableIndexDelegate)? {
        get { state.withLock { $0.delegate }.object }
        set {
            let delegate = WeakDelegate(object: newValue)
            state.withLock { $0.delegate = delegate }
            IndexClient.shared.delegateChanged(of: self)
        }
    }

    // MARK: Changes

    /// Adds items, or replaces those with the same identifiers in the app and its extensions.
    ///
    /// The files of thumbnails are read before the handler is called. The items are read now.
    open func indexSearchableItems(_ items: [CSSearchableItem], completionHandler: Handler? = nil) {
        change(Self.put(items), completionHandler)
    }

    /// Deletes items. Those that there are not are ignored.
    open func deleteSearchableItems(withIdentifiers identifiers: [String], completionHandler: Handler? = nil) {
        change(Self.delete(identifiers: identifiers), completionHandler)
    }

    /// Deletes the items of domains, and of the domains below them.
    open func deleteSearchableItems(
        withDomainIdentifiers domainIdentifiers: [String], completionHandler: Handler? = nil
    ) {
        change(Self.delete(domains: domainIdentifiers), completionHandler)
    }

    /// Deletes all items of the app and its extensions.
    open func deleteAllSearchableItems(completionHandler: Handler? = nil) { change(Self.deleteAll, completionHandler) }

    open func indexSearchableItems(_ items: [CSSearchableItem]) async throws { try await change(Self.put(items)) }

    open func deleteSearchableItems(withIdentifiers identifiers: [String]) async throws {
        try await change(Self.delete(identifiers: identifiers))
    }

    open func deleteSearchableItems(withDomainIdentifiers domainIdentifiers: [String]) async throws {
        try await change(Self.delete(domains: domainIdentifiers))
    }

    open func deleteAllSearchableItems() async throws { try await change(Self.deleteAll) }

    /// A change, which belongs to a batch or not.
    private typealias Change = @Sendable (IndexClient, Int?) async throws -> Void

    private func operation(_ change: @escaping Change) -> IndexClient.Operation {
        guard let batch = state.withLock({ $0.batch }) else { return { client in try await change(client, nil) } }
        return { client in
            do {
                try await change(client, try batch.value)
            } catch {
                // A part of the change may not have reached the index. So the batch cannot be made whole.
                batch.refuse(CSIndexError(error))
                throw error
            }
        }
    }

    private func change(_ change: @escaping Change, _ handler: Handler?) {
        IndexClient.shared.add(operation(change)) { result in Self.answer(result, handler) }
    }

    private func change(_ change: @escaping Change) async throws {
        try await IndexClient.shared.perform(operation(change))
    }

    private static func answer(_ result: Result<Void, CSIndexError>, _ handler: Handler?) {
        guard let handler else { return }
        IndexClient.shared.hand {
            switch result {
            case .success: handler(nil)
            case .failure(let error): handler(error)
            }
        }
    }

    /// The items and the bytes of one call. A call with a single item may have more.
    private static let (itemsOfCall, bytesOfCall) = (256, 1 << 20)
    private static let namesOfCall = 1024

    private static func put(_ items: [CSSearchableItem]) -> Change {
        let items = items.map(\.message)
        return { client, batch in
            var part: [SpotlightItem] = []
            var bytes = 0
            for item in items {
                let item = try item.withThumbnail()
                let size = item.size
                if !part.isEmpty, part.count == itemsOfCall || bytes + size > bytesOfCall {
                    _ = try await client.call(PutItems(part, batch: batch))
                    (part, bytes) = ([], 0)
                }
                part.append(item)
                bytes += size
            }
            if !part.isEmpty { _ = try await client.call(PutItems(part, batch: batch)) }
        }
    }

    private static func delete(identifiers: [String] = [], domains: [String] = []) -> Change {
        { client, batch in
            for part in identifiers.parts(of: namesOfCall) {
                _ = try await client.call(DeleteItems(identifiers: Array(part), batch: batch))
            }
            for part in domains.parts(of: namesOfCall) {
                _ = try await client.call(DeleteItems(domains: Array(part), batch: batch))
            }
        }
    }

    private static var deleteAll: Change {
        { client, batch in _ = try await client.call(DeleteItems(all: true, batch: batch)) }
    }

    // MARK: Batches

    /// Begins a batch. Its changes are in the index once it has ended, all of them or none.
    ///
    /// A batch of this index that has not ended is dropped. The default index has no batches: its changes are made at
    /// once, and the end fails.
    open func beginBatch() {
        guard name != nil else { return }
        let batch = OpenBatch()
        let former = state.withLock { state in
            defer { state.batch = batch }
            return state.batch
        }
        IndexClient.shared.add { client in
            await former?.drop(client)
            let number = try await client.call(BeginIndexBatch()).batch
            batch.begin(number)
        }
    }

    deinit {
        guard let batch = state.withLock({ $0.batch }) else { return }
        IndexClient.shared.add { client in await batch.drop(client) }
    }

    /// Ends the batch.
    ///
    /// - Parameters:
    ///   - clientState: at most 250 bytes, from which the app knows what the index has (documented).
    ///   - completionHandler: called with nil once changes and state are on the disk. The error
    ///     `invalidClientStateError` tells a longer state, no batch, or the default index. If a change of the batch has
    ///     failed, the end fails with its error.
    open func endBatch(withClientState clientState: Data, completionHandler: Handler? = nil) {
        IndexClient.shared.add(end(clientState)) { result in Self.answer(result, completionHandler) }
    }

    open func endBatch(withClientState clientState: Data) async throws {
        try await IndexClient.shared.perform(end(clientState))
    }

    private func end(_ clientState: Data) -> IndexClient.Operation {
        let batch = state.withLock { state in
            defer { state.batch = nil }
            return state.batch
        }
        let state = [UInt8](clientState)
        return { [name] client in
            guard let name, let batch else { throw Self.noBatch(name) }
            if let refusal = batch.refusal {
                await batch.drop(client)
                throw refusal
            }
            _ = try await client.call(EndIndexBatch(batch: try batch.value, index: name, state: state))
        }
    }

    /// Asks for the client state of the last batch that is on the disk.
    ///
    /// - Parameter completionHandler: called with nil if no batch has ended, or with an error.
    open func fetchLastClientState(completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void) {
        let fetched = FetchedState()
        IndexClient.shared.add(fetch(fetched)) { result in
            IndexClient.shared.hand {
                switch result {
                case .success: completionHandler(fetched.value.withLock { $0 }, nil)
                case .failure(let error): completionHandler(nil, error)
                }
            }
        }
    }

    /// Asks for the client state of the last batch that is on the disk. Without one it is empty.
    open func fetchLastClientState() async throws -> Data {
        let fetched = FetchedState()
        try await IndexClient.shared.perform(fetch(fetched))
        return fetched.value.withLock { $0 } ?? Data()
    }

    private func fetch(_ fetched: FetchedState) -> IndexClient.Operation {
        { [name] client in
            guard let name else { throw Self.noBatch(nil) }
            let state = try await client.call(LastClientState(name)).state
            fetched.value.withLock { $0 = state.map { Data($0) } }
        }
    }

    private static func noBatch(_ name: String?) -> CSIndexError {
        CSIndexError(
            .invalidClientStateError,
            name == nil ? "the default index has no batches" : "no batch of the index \(name ?? "") is open")
    }

    private final class FetchedState: Sendable {
        let value = Mutex<Data?>(nil)
    }
}

/// A batch of one index. The client of the index knows its number once it has begun.
private final class OpenBatch: Sendable {
    private struct State {
        var number: Int?
        /// The error of the first change that has failed.
        var refusal: CSIndexError?
    }

    private let state = Mutex(State())

    var value: Int {
        get throws {
            guard let number = state.withLock({ $0.number }) else {
                throw CSIndexError(.invalidClientStateError, "the batch could not be opened")
            }
            return number
        }
    }

    var refusal: CSIndexError? { state.withLock { $0.refusal } }

    func begin(_ number: Int) { state.withLock { $0.number = number } }

    func refuse(_ error: CSIndexError) { state.withLock { $0.refusal = $0.refusal ?? error } }

    /// Drops the batch at the host, if it has begun. A host that is gone has dropped it.
    func drop(_ client: IndexClient) async {
        guard let number = state.withLock({ $0.number }) else { return }
        _ = try? await client.call(DropIndexBatch(number))
    }
}

extension Array {
    /// Returns the array in slices of at most so many elements.
    fileprivate func parts(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}
