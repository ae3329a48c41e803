// CSSearchQuery: a search among the items of the app and its extensions.

import ExtensionPointKit
public import Foundation
import Locks
import PointMessages

/// The settings of a query.
open class CSSearchQueryContext: NSObject, @unchecked Sendable {  // as Apple's, of one thread
    /// The attributes that found items have.
    open var fetchAttributes: [String] = []
    /// Further queries that all items match.
    open var filterQueries: [String] = []
    /// Has no effect.
    open var keyboardLanguage: String?
}

/// A search among the items of the app and its extensions. It runs once.
///
/// Found items come in batches, and then the completion handler is called. Handlers run one after the other, on another
/// thread. Set them before the start.
open class CSSearchQuery: NSObject, @unchecked Sendable {  // its state has a lock
    /// A handler of the author's, which runs on one queue.
    private struct Handler<Value>: @unchecked Sendable {
        var body: ((Value) -> Void)?
    }

    private struct State {
        var found = Handler<[CSSearchableItem]>()
        var completion = Handler<(any Error)?>()
        var count = 0
        var isStarted = false
        var isCancelled = false
        var task: Task<Void, Never>?
        var protectionClasses: [String] = []
    }

    private let state = Mutex(State())
    private let message: QueryItems

    /// Makes a query.
    ///
    /// - Parameters:
    ///   - queryString: the query, such as `title == "fo*"cd`.
    ///   - attributes: the attributes that found items have; nil: none, as documented.
    public init(queryString: String, attributes: [String]?) {
        message = QueryItems(queryString, attributes: attributes ?? [])
    }

    /// Makes a query with its settings.
    public init(queryString: String, queryContext: CSSearchQueryContext?) {
        message = QueryItems(
            queryString, filters: queryContext?.filterQueries ?? [], attributes: queryContext?.fetchAttributes ?? [])
    }

    /// The handler of found items. Their order is that of their last changes, the latest first.
    open var foundItemsHandler: (([CSSearchableItem]) -> Void)? {
        get { state.withLock { $0.found }.body }
        set {
            let handler = Handler(body: newValue)
            state.withLock { $0.found = handler }
        }
    }

    /// The handler of the end: nil, or an error of `CSSearchQueryErrorDomain`.
    open var completionHandler: (((any Error)?) -> Void)? {
        get { state.withLock { $0.completion }.body }
        set {
            let handler = Handler(body: newValue)
            state.withLock { $0.completion = handler }
        }
    }

    /// The number of found items so far.
    open var foundItemCount: Int { state.withLock { $0.count } }
    /// Whether the query was cancelled.
    open var isCancelled: Bool { state.withLock { $0.isCancelled } }
    /// Has no effect: all items have the same protection.
    open var protectionClasses: [String] {
        get { state.withLock { $0.protectionClasses } }
        set { state.withLock { $0.protectionClasses = newValue } }
    }

    /// Begins the search. Only the first call has an effect.
    open func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted && !state.isCancelled
        }
        guard isFirst else { return }
        let task = Task { await run() }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Ends the search. No items come any more, and the completion handler gets the error `cancelled`.
    open func cancel() {
        let (task, isFirst) = state.withLock { state in
            defer { state.isCancelled = true }
            return (state.task, !state.isCancelled && !state.isStarted)
        }
        task?.cancel()
        if isFirst { finish(CSSearchQueryError(CancellationError())) }
    }

    private func run() async {
        do {
            let options = CallPort.Options(onPart: { [weak self] part, taken in self?.receive(part, taken) })
            _ = try await IndexClient.shared.connection().call(message, options)
            finish(isCancelled ? CSSearchQueryError(CancellationError()) : nil)
        } catch {
            finish(isCancelled ? CSSearchQueryError(CancellationError()) : CSSearchQueryError(error))
        }
    }

    private func receive(_ part: EncodedValue, _ taken: @escaping @Sendable () -> Void) {
        IndexClient.shared.hand { [self] in
            defer { taken() }
            guard let items = try? PointDecoder.decode(QueryItems.Part.self, from: part).items else { return }
            let handler = state.withLock { state in
                guard !state.isCancelled else { return Handler<[CSSearchableItem]>() }
                state.count += items.count
                return state.found
            }
            handler.body?(items.map { CSSearchableItem($0) })
        }
    }

    private func finish(_ error: CSSearchQueryError?) {
        IndexClient.shared.hand { [self] in
            let handler = state.withLock { state in
                defer { (state.found, state.completion) = (Handler(), Handler()) }
                return state.completion
            }
            handler.body?(error)
        }
    }
}
