// SpotlightHost: the system's Spotlight: the index of all apps, its extensions, and its search.

public import ExtensionHost
public import ExtensionPointKit
internal import ExtensionProtocol
public import Foundation
internal import PointMessages
public import SpotlightStore

/// Keeps the index of this user's apps, and asks their index extensions for items.
///
/// Apps and extensions reach the index as the service `org.exthost.spotlight`, once `serve()` has been called. All that
/// they send is bounded by `SearchLimits`.
public actor SpotlightHost {
    /// The extension point of index extensions.
    public static let point = "com.apple.spotlight.index"
    /// The type of the activity by which an app opens a found item, and the key of the item's identifier in it.
    public static let (activityType, activityIdentifier) = (
        "com.apple.corespotlightitem", "kCSSearchableItemActivityIdentifier"
    )

    let host: HostApplication
    let index: SpotlightIndex
    let limits: SearchLimits
    private let clock: @Sendable () -> Date
    private var clients: [ObjectIdentifier: SpotlightClient] = [:]
    /// The open requests of index extensions.
    private var requests: [UUID: ExtensionRequest] = [:]
    private var effects: [AppFamily: IndexEffect] = [:]
    private let gate = ThrottleGate()
    /// The last wish of `throttle`, and the task that fulfils it.
    private var throttling: (isWished: Bool, isDone: Bool, task: Task<Void, Never>?) = (false, false, nil)
    /// The task that deletes the items of apps that go.
    private var following: Task<Void, Never>?

    /// Opens the index.
    ///
    /// - Parameters:
    ///   - host: the host's connection.
    ///   - path: the file of the index, which is created if it is not there; nil: an index that ends with this object.
    ///   - limits: the bounds of all that apps send.
    ///   - clock: the time, by which items expire.
    /// - Throws: `NSError` of `CSIndexErrorDomain` if the file cannot be opened: `indexUnavailableError` if another host
    ///   uses it.
    public init(
        _ host: HostApplication, store path: String?, limits: SearchLimits = SearchLimits(),
        clock: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        index = try SpotlightIndex(path: path ?? ":memory:", limits: limits)
        (self.host, self.limits, self.clock) = (host, limits, clock)
    }

    deinit { following?.cancel() }

    var now: Double { clock().timeIntervalSinceReferenceDate }

    // MARK: Clients

    /// Answers apps and their extensions, as long as this object exists.
    ///
    /// From now on the items of an app are deleted once the app is removed.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` if another host of this user serves them, `connectionLost`.
    public func serve() async throws {
        if following == nil { await removeItemsWithoutOwner() }
        try await host.provide(SpotlightService.name) { [weak self] connection in
            guard let self else { throw SpotlightClient.isGone }
            let client = try await self.client(connection)
            await self.add(client)
            connection.whenEnded { [weak self, weak client] _ in
                guard let self, let client else { return }
                Task { await self.remove(client) }
            }
            return client.handlers
        }
        guard following == nil else { return }
        // The list is not used: an app may be gone without a change of any extension.
        following = Task { [weak self, host] in
            do {
                for try await _ in host.discover() {
                    guard let self else { return }
                    await self.removeGoneApps()
                }
            } catch {}
        }
    }

    private func client(_ connection: ServiceConnection) async throws -> SpotlightClient {
        guard let client = connection.client, client.role == .app || client.role == .extension,
            let identifier = client.identifier
        else {
            throw ExtensionHostError(
                .notPermitted, "only apps and extensions have an index", remedy: "Call SpotlightHost from a host")
        }
        return SpotlightClient(connection, client, try await family(of: client, identifier), self)
    }

    private func add(_ client: SpotlightClient) { clients[ObjectIdentifier(client)] = client }

    private func remove(_ client: SpotlightClient) async {
        clients[ObjectIdentifier(client)] = nil
        await client.dropBatches()
    }

    /// Waits while the index is throttled.
    func waitUntilOpen() async throws { try await gate.wait() }

    /// Counts the effect of a change.
    func count(_ effect: IndexEffect, of family: AppFamily) { effects[family, default: IndexEffect()] += effect }

    // MARK: Throttling

    /// Whether the last call of `throttle` wants changes to wait.
    public var isThrottled: Bool { throttling.isWished }

    /// The number of calls that wait, because the index is throttled.
    public var waitingChanges: Int { get async { await gate.count } }

    /// Makes changes of the index wait, or go on. Extensions that are asked for items, and apps' delegates, are told, all
    /// at once.
    ///
    /// The five minutes in which an extension must change the index pass on meanwhile. Calls have their effects one after
    /// the other. If another comes meanwhile, the last one counts. Returns once the last one has its effect.
    public func throttle(_ isThrottled: Bool) async {
        throttling.isWished = isThrottled
        if throttling.task == nil { throttling.task = Task { await fulfil() } }
        await throttling.task?.value
    }

    private func fulfil() async {
        while throttling.isDone != throttling.isWished {
            let isThrottled = throttling.isWished
            throttling.isDone = isThrottled
            if isThrottled { await gate.close() }
            await tell(isThrottled)
            // The author's code is told before changes go on. If the wish has changed meanwhile, they still wait.
            if !isThrottled, !throttling.isWished { await gate.open() }
        }
        throttling.task = nil
    }

    private func tell(_ isThrottled: Bool) async {
        await withTaskGroup { group in
            for request in requests.values {
                group.addTask {
                    if isThrottled {
                        _ = try? await request.call(IndexThrottled())
                    } else {
                        _ = try? await request.call(IndexUnthrottled())
                    }
                }
            }
            for client in clients.values where client.hasDelegate {
                group.addTask {
                    if isThrottled {
                        _ = try? await client.connection.call(IndexThrottled())
                    } else {
                        _ = try? await client.connection.call(IndexUnthrottled())
                    }
                }
            }
        }
    }

    // MARK: Reindexing

    /// The end of a question for items.
    public struct Report: Sendable {
        /// The party that was asked.
        public enum Asked: Sendable, Hashable {
            /// The index extension, in a request.
            case `extension`(pid: Int?)
            /// The running app, which has a delegate.
            case app(pid: Int)
        }

        /// The way in which it ended.
        public enum Ending: Sendable, Hashable {
            /// The acknowledgement handler was called.
            case acknowledged
            /// Five minutes passed without a change of the index.
            case timedOut
            /// The process ended, or the request did otherwise.
            case interrupted(Cause?)
            /// The author's code failed, or released the handler.
            case failed(ExtensionHostError)
        }

        /// The party that was asked.
        public let asked: Asked
        /// The way in which it ended.
        public let ending: Ending
        /// The changes of the index by the app and its extensions meanwhile.
        public let effect: IndexEffect
    }

    /// Asks for all items of an extension's app.
    ///
    /// A running app that has a delegate is asked; else the extension. Items that are not indexed again stay.
    ///
    /// - Parameter identifier: the index extension.
    /// - Throws: `ExtensionHostError` `noSuchExtension`, `connectionLost`; `CocoaError.userCancelled`.
    public func reindexAll(_ identifier: String) async throws -> Report {
        try await ask(identifier, ReindexAllItems())
    }

    /// Asks for some items of an extension's app, by their identifiers.
    ///
    /// - Parameters:
    ///   - identifiers: the identifiers of the items.
    ///   - identifier: the index extension.
    /// - Throws: as `reindexAll(_:)`.
    public func reindex(_ identifiers: [String], of identifier: String) async throws -> Report {
        try await ask(identifier, ReindexItems(identifiers))
    }

    /// The quiet time of an app, in which it must change the index. That of an extension is its point's.
    private static let quietTime = Duration.seconds(300)

    private func ask<Message: PointMessage>(_ identifier: String, _ message: Message) async throws -> Report
    where Message.Reply == Nothing, Message.Part == Nothing {
        let found = try await found(identifier)
        let family = await family(of: found)
        let before = effects[family] ?? IndexEffect()
        var (asked, ending) = (Report.Asked.extension(pid: nil), Report.Ending?.none)
        if let client = clients.values.first(where: { $0.hasDelegate && $0.family == family }) {
            asked = .app(pid: client.pid)
            ending = try await Self.ending(nil) {
                // A part tells of a change, and restarts the time limit.
                _ = try await client.connection.call(
                    message, .init(limit: Self.quietTime, onPart: { _, taken in taken() }))
            }
            // The app has released its delegate. So the extension is asked.
            if case .failed(let error) = ending, error.code == .notImplemented {
                client.lostDelegate()
                ending = nil
            }
        }
        if ending == nil {
            let request = try await host.begin(identifier, items: [])
            let number = UUID()
            requests[number] = request
            defer { requests[number] = nil }
            ending = try await Self.ending(request) {
                for try await _ in request.parts(of: message) {}
                try await request.call(IndexEnd())
            }
            asked = .extension(pid: request.processIdentifier)
        }
        let after = effects[family] ?? IndexEffect()
        return Report(
            asked: asked, ending: ending ?? .interrupted(nil),
            effect: IndexEffect(
                added: after.added - before.added, replaced: after.replaced - before.replaced,
                deleted: after.deleted - before.deleted))
    }

    private static func ending(
        _ request: ExtensionRequest?, _ body: @Sendable () async throws -> Void
    ) async throws -> Report.Ending {
        do {
            try await body()
            _ = await request?.outcome
            return .acknowledged
        } catch let error as ExtensionHostError {
            switch error.code {
            case .timedOut:
                try? await request?.cancel()
                return .timedOut
            case .interrupted, .contextFinished, .noSuchRequest:
                guard let outcome = await request?.outcome else { return .interrupted(nil) }
                // The principal class may be unsuitable.
                if case .cancelled(_, let reason) = outcome, let error = ExtensionHostError(crossed: reason) {
                    return .failed(error)
                }
                return .interrupted(outcome.cause)
            case .connectionLost where request == nil: return .interrupted(nil)
            case .connectionLost: throw error
            default:
                try? await request?.cancel()
                return .failed(error)
            }
        } catch {
            try? await request?.cancel()
            throw error
        }
    }

    private func found(_ identifier: String) async throws -> FoundExtension {
        let found = try await host.extensions().first { $0.identifier == identifier && $0.point == Self.point }
        guard let found else {
            throw ExtensionHostError(.noSuchExtension, "there is no index extension \(identifier)")
        }
        return found
    }

    // MARK: Contents of items

    /// Asks an extension for the data of an item, in a type.
    ///
    /// - Throws: the author's error; `ExtensionHostError` `notImplemented` if the author has not written the method.
    public func data(of item: String, type: String, from identifier: String) async throws -> Data {
        try await asking(identifier) { Data(try await $0.call(IndexedData(item, type: type)).data) }
    }

    /// Asks an extension for the file of an item, in a type.
    ///
    /// - Returns: the name of the file and its bytes, at most as many as a packet has.
    /// - Throws: as `data(of:type:from:)`.
    public func file(
        of item: String, type: String, inPlace: Bool = false, from identifier: String
    ) async throws -> (name: String, descriptor: PointFile) {
        try await asking(identifier) { request in
            let reply = try await request.call(IndexedFile(item, type: type, inPlace: inPlace))
            return (reply.name, reply.file)
        }
    }

    private func asking<Value: Sendable>(
        _ identifier: String, _ body: @Sendable (ExtensionRequest) async throws -> Value
    ) async throws -> Value {
        let request = try await host.begin(identifier, items: [])
        do {
            let value = try await body(request)
            _ = try? await request.call(IndexEnd())
            return value
        } catch {
            try? await request.cancel()
            throw error
        }
    }
}

/// A gate at which changes wait while the index is throttled.
private actor ThrottleGate {
    private(set) var isClosed = false
    private var waiting: [UUID: CheckedContinuation<Void, any Error>] = [:]

    var count: Int { waiting.count }

    func close() { isClosed = true }

    func open() {
        isClosed = false
        for continuation in waiting.values { continuation.resume() }
        waiting = [:]
    }

    func wait() async throws {
        guard isClosed else { return }
        let number = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    waiting[number] = continuation
                }
            }
        } onCancel: {
            Task { await self.cancel(number) }
        }
    }

    private func cancel(_ number: UUID) { waiting.removeValue(forKey: number)?.resume(throwing: CancellationError()) }
}

extension ExtensionHostError {
    /// The error of a kit that has crossed as another type; nil for an author's.
    init?(crossed error: any Error) {
        let error = error as NSError
        guard error.domain == ExtensionHostError.errorDomain, let code = Code(rawValue: error.code) else { return nil }
        self.init(code, error.localizedDescription)
    }
}
