// IndexClient: the connection of this process with the index, and its changes one after the other.

import Dispatch
import ExtensionItems
import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointMessages

/// The changes of this process, which reach the index in the order in which the author's code makes them.
///
/// The index is a service. Its provider is a host, such as the system's Spotlight. Safe to use from any thread.
final class IndexClient: Sendable {
    static let shared = IndexClient()

    /// A change, or a question.
    typealias Operation = @Sendable (IndexClient) async throws -> Void
    typealias Completion = @Sendable (Result<Void, CSIndexError>) -> Void

    private struct Entry {
        let perform: Operation
        let completion: Completion
    }

    private struct State {
        var waiting: [Entry] = []
        var isRunning = false
        var opening: (number: Int, task: Task<ServiceConnection, any Error>?) = (0, nil)
        /// The open calls by which the host has asked for items.
        var reindexing: [ObjectIdentifier: IncomingCall] = [:]
        var delegates: [DelegateHolder] = []
    }

    private struct DelegateHolder {
        weak var index: CSSearchableIndex?
    }

    private let state = Mutex(State())
    /// The queue on which the author's handlers run.
    let handlers = DispatchQueue(label: "org.exthost.spotlight.handlers")

    /// The time of one call. A throttled index takes its time.
    private static let limit = Duration.seconds(3600)

    // MARK: Changes

    /// Adds a change behind those before it.
    ///
    /// - Parameters:
    ///   - operation: makes the change.
    ///   - completion: called once, on any thread.
    func add(_ operation: @escaping Operation, completion: @escaping Completion = { _ in }) {
        let starts = state.withLock { state in
            state.waiting.append(Entry(perform: operation, completion: completion))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { Task { await run() } }
    }

    /// Adds a change, and waits until it is made.
    func perform(_ operation: @escaping Operation) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            add(operation) { result in continuation.resume(with: result.mapError { $0 as any Error }) }
        }
    }

    /// Waits until all changes so far are made.
    func drain() async { try? await perform { _ in } }

    private func run() async {
        while true {
            let entries = state.withLock { state in
                defer { state.waiting = [] }
                state.isRunning = !state.waiting.isEmpty
                return state.waiting
            }
            guard !entries.isEmpty else { return }
            for entry in entries {
                do {
                    try await entry.perform(self)
                    entry.completion(.success(()))
                } catch {
                    entry.completion(.failure(CSIndexError(error)))
                }
            }
        }
    }

    /// Runs a handler of the author's. A fence waits for it.
    func hand(_ body: @escaping @Sendable () -> Void) {
        Activity.process.enter()
        handlers.async {
            body()
            Activity.process.leave()
        }
    }

    // MARK: Calls

    /// Calls the index.
    func call<Message: PointMessage>(_ message: Message) async throws -> Message.Reply {
        // The host that waits for items sees that they come.
        for call in state.withLock({ Array($0.reindexing.values) }) {
            try? await call.send(part: try PointEncoder.encode(Nothing()))
        }
        return try await connection().call(message, CallPort.Options(limit: Self.limit, isRepeatable: true))
    }

    /// Returns the connection, which all changes share. After its end the next change opens another.
    func connection() async throws -> ServiceConnection {
        let task = state.withLock { state in
            if let task = state.opening.task { return task }
            state.opening.number += 1
            let number = state.opening.number
            let task = Task { [self] in
                do {
                    let connection = try await ServicePort.ofProcess().open(
                        SpotlightService.name, handling: delegateHandlers)
                    connection.whenEnded { [self] _ in forget(number) }
                    if delegate != nil { _ = try await connection.call(SetIndexDelegate(true)) }
                    return connection
                } catch {
                    forget(number)
                    throw error
                }
            }
            state.opening.task = task
            return task
        }
        return try await task.value
    }

    private func forget(_ number: Int) {
        state.withLock { if $0.opening.number == number { $0.opening.task = nil } }
    }

    // MARK: The index's questions

    /// Performs a call that asks for items. Each change meanwhile sends a part, which restarts the call's time limit.
    func reindexing(_ call: IncomingCall, _ body: () async throws -> Void) async throws {
        state.withLock { $0.reindexing[ObjectIdentifier(call)] = call }
        defer { state.withLock { $0.reindexing[ObjectIdentifier(call)] = nil } }
        try await body()
        // The author need not wait for the changes before the acknowledgement.
        await drain()
    }

    /// The delegate that the app has set, with its index.
    private var delegate: (index: CSSearchableIndex, delegate: any CSSearchableIndexDelegate)? {
        for holder in state.withLock({ $0.delegates }) {
            if let index = holder.index, let delegate = index.indexDelegate { return (index, delegate) }
        }
        return nil
    }

    /// Tells the index whether this process has a delegate.
    func delegateChanged(of index: CSSearchableIndex) {
        state.withLock { state in
            state.delegates.removeAll { $0.index == nil || $0.index === index }
            state.delegates.append(DelegateHolder(index: index))
        }
        add { client in
            _ = try await client.connection().call(SetIndexDelegate(client.delegate != nil))
        }
    }

    /// The handlers of the questions to an app. Those to an extension come by its request.
    private var delegateHandlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(ReindexAllItems.self) { [self] _, call in
            try await reindexing(call) {
                try await ask { index, delegate, acknowledge in
                    delegate.searchableIndex(index, reindexAllSearchableItemsWithAcknowledgementHandler: acknowledge)
                }
            }
            return Nothing()
        }
        handlers.on(ReindexItems.self) { [self] message, call in
            try await reindexing(call) {
                try await ask { index, delegate, acknowledge in
                    delegate.searchableIndex(
                        index, reindexSearchableItemsWithIdentifiers: message.identifiers,
                        acknowledgementHandler: acknowledge)
                }
            }
            return Nothing()
        }
        handlers.on(IndexThrottled.self) { [self] _, _ in
            try tell { $1.searchableIndexDidThrottle($0) }
            return Nothing()
        }
        handlers.on(IndexUnthrottled.self) { [self] _, _ in
            try tell { $1.searchableIndexDidFinishThrottle($0) }
            return Nothing()
        }
        handlers.on(IndexedData.self) { [self] message, _ in
            try answer { try IndexContent.data($1, $0, message) }
        }
        handlers.on(IndexedFile.self) { [self] message, _ in
            try answer { try IndexContent.file($1, $0, message) }
        }
        return handlers
    }

    private typealias Question =
        @Sendable (
            CSSearchableIndex, any CSSearchableIndexDelegate, @escaping @Sendable () -> Void
        ) -> Void

    private func ask(_ question: Question) async throws {
        guard let (index, delegate) = delegate else { throw Self.noDelegate }
        let acknowledgement = Acknowledgement()
        // The author has the only reference to the handler.
        question(index, delegate, acknowledgement.handler())
        try await acknowledgement.wait()
    }

    private func tell(_ body: (CSSearchableIndex, any CSSearchableIndexDelegate) -> Void) throws {
        guard let (index, delegate) = delegate else { throw Self.noDelegate }
        body(index, delegate)
    }

    private func answer<Reply>(
        _ body: (CSSearchableIndex, any CSSearchableIndexDelegate) throws -> Reply
    ) throws -> Reply {
        guard let (index, delegate) = delegate else { throw Self.noDelegate }
        return try body(index, delegate)
    }

    private static let noDelegate = ExtensionHostError(
        .notImplemented, "the app has no delegate of its index any more", remedy: "Retain the delegate of the index")
}

/// The acknowledgement of an app's delegate, or its release without a call.
private final class Acknowledgement: Sendable {
    private struct State {
        var result: Result<Void, any Error>?
        var waiter: CheckedContinuation<Void, any Error>?
    }

    private let state = Mutex(State())

    func handler() -> @Sendable () -> Void {
        let token = Token(self)
        return { token.acknowledgement.finish(.success(())) }
    }

    func wait() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let result = state.withLock { state in
                    if state.result == nil { state.waiter = continuation }
                    return state.result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    private func finish(_ result: Result<Void, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: result)
    }

    private final class Token: Sendable {
        let acknowledgement: Acknowledgement
        init(_ acknowledgement: Acknowledgement) { self.acknowledgement = acknowledgement }

        deinit {
            acknowledgement.finish(
                .failure(
                    ExtensionHostError(
                        .handlerDropped, "the app's delegate let go of its acknowledgement handler without calling it"))
            )
        }
    }
}

/// The contents of an item, which an author's method returns.
enum IndexContent {
    static func data(
        _ delegate: any CSSearchableIndexDelegate, _ index: CSSearchableIndex, _ message: IndexedData
    ) throws -> IndexedData.Reply {
        do {
            let data = try delegate.data(
                for: index, itemIdentifier: message.identifier, typeIdentifier: message.type)
            return IndexedData.Reply([UInt8](data))
        } catch is NotProvided {
            throw ExtensionHostError(.notImplemented, "\(type(of: delegate)) has not written data(for:…)")
        }
    }

    static func file(
        _ delegate: any CSSearchableIndexDelegate, _ index: CSSearchableIndex, _ message: IndexedFile
    ) throws -> IndexedFile.Reply {
        do {
            let url = try delegate.fileURL(
                for: index, itemIdentifier: message.identifier, typeIdentifier: message.type, inPlace: message.inPlace)
            return IndexedFile.Reply(name: url.lastPathComponent, file: try PointFile(readingAt: url.path))
        } catch is NotProvided {
            throw ExtensionHostError(.notImplemented, "\(type(of: delegate)) has not written fileURL(for:…)")
        }
    }
}
