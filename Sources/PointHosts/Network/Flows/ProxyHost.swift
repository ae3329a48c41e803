// ProxyHost: the system's half of app proxies and DNS proxies: it offers them the flows of programs.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import FlowChannels
internal import Foundation
internal import Locks
public import PointMessages

/// Offers flows to an app proxy or a DNS proxy. Flows come from a script, or from programs (`ProgramNetwork`).
///
/// A provider that has ended is started again for the next flow, unless it has ended from within.
public actor ProxyHost {
    /// The extension point of app proxies.
    public static let point = "com.apple.networkextension.app-proxy"
    /// The extension point of DNS proxies.
    public static let dnsPoint = "com.apple.networkextension.dns-proxy"

    /// The settings of a proxy.
    public struct Settings: Sendable {
        /// The options of the program that starts it.
        public var options: PointValue?
        /// The configuration of an app proxy; nil for a DNS proxy.
        public var configuration: TunnelConfiguration?
        /// The name servers of the system, for a DNS proxy.
        public var names: NetworkNames?
        /// The time in which the proxy starts; nil: as the extension point says.
        public var startLimit: Duration?
        /// The time in which the provider takes events of its flows; nil: as the extension point says. Then they end.
        public var entryLimit: Duration?
        /// The time in which the provider opens a flow that it has taken (ours). Then the flow ends.
        public var openLimit = Duration.seconds(60)
        /// The time after which a flow of datagrams ends that carries none (ours).
        public var idleLimit = Duration.seconds(30)
        /// Shows a provider's message to the user. The result is whether the user has seen it.
        public var showsMessage: @Sendable (String) async -> Bool = { _ in false }
        /// Gets the error, or nil, with which the proxy ends from within.
        public var cancelled: @Sendable (NetworkFailure?) -> Void = { _ in }

        /// Makes settings without options.
        public init() {}
    }

    /// The counts of flows and bytes so far.
    public struct Counters: Sendable, Hashable {
        /// The flows that were offered.
        public var offered = 0
        /// The flows that the provider has taken.
        public var taken = 0
        /// The flows that the provider has refused.
        public var refused = 0
        /// The flows about which the provider has not decided.
        public var undecided = 0
        /// The bytes to programs, of flows that are over.
        public var inbound = 0
        /// The bytes from programs, of flows that are over.
        public var outbound = 0

        /// Makes counters at zero.
        public init() {}
    }

    /// The function that gets each event of a flow.
    public typealias Observer = @Sendable (ProxyEvent) -> Void

    private struct Session: Sendable {
        let request: ExtensionRequest
        let flows: HostFlows
    }

    /// The questions about new flows that are open at a time. A provider answers one after the other, and the events of
    /// its other flows wait for them.
    private static let mostQuestions = 4
    /// The errors of calls whose request has ended.
    private static let endings: [ExtensionHostError.Code] = [
        .interrupted, .contextFinished, .noSuchRequest, .connectionLost,
    ]

    private let host: HostApplication
    private let identifier: String
    nonisolated let settings: Settings
    private let observer: Observer
    private var session: Task<Session, any Error>?
    private var lastNumber = 0
    private var questions = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isStopped = false
    /// The counts so far.
    public private(set) var counters = Counters()
    /// The settings of its network that an app proxy has set. They have no effect on programs.
    public private(set) var networkSettings: TunnelSettings?

    /// Makes a proxy that is not started.
    ///
    /// - Parameters:
    ///   - host: the host's connection.
    ///   - identifier: the provider's extension.
    ///   - settings: the settings.
    ///   - observer: gets each event, in their order for one flow. It must not block.
    public init(
        _ host: HostApplication, _ identifier: String, settings: Settings = Settings(),
        observer: @escaping Observer = { _ in }
    ) {
        (self.host, self.identifier, self.settings, self.observer) = (host, identifier, settings, observer)
    }

    // MARK: The provider

    /// Starts the proxy. Returns when its handler has been called.
    ///
    /// - Throws: the author's error, and those of `HostApplication.begin` and `ExtensionRequest.call`.
    public func start() async throws { _ = try await running() }

    /// Stops the proxy, and ends its flows.
    ///
    /// - Parameter reason: the number of `NEProviderStopReason`.
    /// - Returns: the outcome of the request; nil if none was open.
    @discardableResult
    public func stop(reason: Int = 1) async -> RequestOutcome? {
        isStopped = true
        // A start that is under way ends.
        self.session?.cancel()
        guard let session = try? await self.session?.value else { return nil }
        self.session = nil
        do { try await session.request.call(StopProxy(reason: reason)) } catch { try? await session.request.cancel() }
        let outcome = await session.request.outcome
        session.flows.multiplexer.close(.aborted)
        return outcome
    }

    /// The pid of the provider's process; nil if none runs.
    public var processIdentifier: Int? { get async { (try? await session?.value)?.request.processIdentifier } }

    /// The number of flows that have not ended.
    public var openFlows: Int { get async { (try? await session?.value)?.flows.multiplexer.count ?? 0 } }

    /// Sends an app proxy a message of its app.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - expectsReply: whether the provider gets a handler for the reply.
    /// - Returns: the reply; nil if there is none.
    public func send(_ message: [UInt8], expectsReply: Bool = true) async throws -> [UInt8]? {
        try await running().request.call(ProviderMessage(message, expectsReply: expectsReply)).data
    }

    /// Tells the provider that the machine is about to sleep. It has five seconds.
    public func sleep() async { _ = try? await session?.value.request.call(ProviderSleep()) }

    /// Tells the provider that the machine is awake.
    public func wake() async { _ = try? await session?.value.request.call(ProviderWake()) }

    private func running() async throws -> Session {
        if isStopped { throw ExtensionHostError(.contextFinished, "the proxy was stopped") }
        if let session { return try await session.value }
        let task = Task { [host, identifier, settings] in
            let flows = HostFlows(settings)
            let request = try await host.begin(identifier, items: [], handling: handlers(flows))
            flows.adopt(request)
            var message = StartProxy()
            (message.options, message.configuration) = (settings.options, settings.configuration)
            message.names = settings.names
            do {
                try await request.call(message, limit: settings.startLimit)
            } catch {
                flows.end()
                // The extension may have ended the request itself, with a reason.
                let hasEnded = (error as? ExtensionHostError).map { Self.endings.contains($0.code) } ?? false
                if !hasEnded { try? await request.cancel() }
                switch await request.outcome {
                case .refused: throw await request.explanation ?? error
                case .cancelled(_, let reason) where hasEnded: throw reason
                default: throw error
                }
            }
            Task { [weak self] in
                _ = await request.outcome
                // Programs hear of it before another provider starts.
                flows.end()
                await self?.forget(request)
            }
            return Session(request: request, flows: flows)
        }
        session = task
        do {
            return try await task.value
        } catch {
            if session == task { session = nil }
            throw error
        }
    }

    /// Returns a session whose flows have not ended, a new one if need be.
    private func usable() async throws -> Session {
        let session = try await running()
        guard session.flows.multiplexer.isOver else { return session }
        await forget(session.request)
        return try await running()
    }

    /// Forgets a request that has ended. Another that was begun meanwhile stays.
    private func forget(_ request: ExtensionRequest) async {
        let task = session
        guard let current = try? await task?.value, current.request === request, session == task else { return }
        session = nil
    }

    private nonisolated func handlers(_ flows: HostFlows) -> PointHandlers {
        var handlers = PointHandlers()
        handlers.on(FlowEntries.self) { message, _ in
            flows.multiplexer.receive(message.entries)
            return Nothing()
        }
        handlers.on(CancelProxy.self) { [weak self] message, _ in
            await self?.cancelled(message.failure, flows)
            return Nothing()
        }
        handlers.on(SetTunnelSettings.self) { [weak self] message, _ in
            if let fault = message.settings?.fault {
                throw NSError(
                    domain: NetworkService.tunnelErrorDomain, code: 1, userInfo: [NSLocalizedDescriptionKey: fault])
            }
            await self?.adopt(message.settings)
            return Nothing()
        }
        handlers.on(SetReasserting.self) { _, _ in Nothing() }
        handlers.on(DisplayMessage.self) { [settings] message, _ in
            DisplayMessage.Reply(isShown: await settings.showsMessage(message.message))
        }
        return handlers
    }

    private func adopt(_ settings: TunnelSettings?) { networkSettings = settings }

    /// The provider ends from within. Nothing is offered to it any more.
    private func cancelled(_ failure: NetworkFailure?, _ flows: HostFlows) {
        // A provider that hung may wake up when another has taken its place.
        guard !flows.multiplexer.isOver else { return }
        isStopped = true
        settings.cancelled(failure)
        flows.multiplexer.close(.aborted)
        flows.cancel()
    }

    // MARK: Flows

    /// Offers a flow.
    ///
    /// - Parameter description: the flow. Its number and identifier are set here.
    /// - Returns: the flow; nil if the provider refuses it.
    /// - Throws: `ExtensionHostError` `quotaExceeded` if 512 flows are open; the errors of `ExtensionRequest.call`,
    ///   such as `timedOut` for a provider that does not decide within five seconds.
    public func open(_ description: NetworkFlow) async throws -> ProxiedFlow? {
        lastNumber += 1
        counters.offered += 1
        var value = description
        (value.number, value.identifier) = (lastNumber, UUID().uuidString)
        await beginQuestion()
        defer { endQuestion() }
        let flow: ProxiedFlow
        do {
            let session = try await usable()
            // It is there before the extension can send.
            guard let added = session.flows.add(value, ended: { [weak self] in self?.closed($0) }) else {
                throw ExtensionHostError(
                    .quotaExceeded, "the proxy has \(FlowService.mostFlows) open flows",
                    remedy: "Close flows that are over")
            }
            flow = added
            guard try await question(flow, session.request) else {
                session.flows.multiplexer.remove(value.number)
                counters.refused += 1
                observer(ProxyEvent(flow: value, kind: .refused))
                return nil
            }
        } catch {
            counters.undecided += 1
            observer(ProxyEvent(flow: value, kind: .failed("\(error)")))
            throw error
        }
        counters.taken += 1
        observer(ProxyEvent(flow: value, kind: .taken))
        flow.isTaken()
        return flow
    }

    private func question(_ flow: ProxiedFlow, _ request: ExtensionRequest) async throws -> Bool {
        do {
            return try await request.call(ProxyNewFlow(flow.value)).isTaken
        } catch {
            flow.end()
            // The next flow begins another request.
            if let error = error as? ExtensionHostError, Self.endings.contains(error.code) { await forget(request) }
            throw error
        }
    }

    private func beginQuestion() async {
        guard questions >= Self.mostQuestions else { return questions += 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func endQuestion() {
        if waiting.isEmpty { questions -= 1 } else { waiting.removeFirst().resume() }
    }

    private nonisolated func closed(_ flow: ProxiedFlow) {
        let passed = flow.passed
        observer(ProxyEvent(flow: flow.value, kind: .closed, inbound: passed.inbound, outbound: passed.outbound))
        Task { await count(passed) }
    }

    private func count(_ passed: (inbound: Int, outbound: Int)) {
        counters.inbound += passed.inbound
        counters.outbound += passed.outbound
    }
}

/// An event of a flow that was offered to a proxy.
public struct ProxyEvent: Sendable, Hashable {
    /// The kind of the event.
    public enum Kind: Sendable, Hashable {
        /// The provider takes the flow.
        case taken
        /// The provider refuses the flow.
        case refused
        /// The provider has not decided, for a reason in words.
        case failed(String)
        /// A flow that was taken is over.
        case closed
    }

    /// The flow.
    public let flow: NetworkFlow
    /// The kind of the event.
    public let kind: Kind
    /// The bytes to the program.
    public var inbound = 0
    /// The bytes from the program.
    public var outbound = 0
}
