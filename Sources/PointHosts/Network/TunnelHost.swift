// TunnelHost: the system's side of packet tunnels: configurations, sessions, and the interface of the tunnel.

public import ExtensionHost
public import ExtensionPointKit
internal import ExtensionProtocol
public import Foundation
public import PointMessages
internal import PropertyListCoding

/// The packet tunnels of this user, of which one is up at a time.
///
/// Apps reach their configurations and sessions as the service `org.exthost.network`, once `serve()` has been called.
public actor TunnelHost: ConfigurationOwner {
    /// The extension point of packet tunnels.
    public static let point = "com.apple.networkextension.packet-tunnel"
    /// The kind of these providers, in the entitlement.
    static let kind = "packet-tunnel-provider"

    /// One run of a provider.
    final class Session {
        let configuration: TunnelConfiguration
        let isOnDemand: Bool
        var request: ExtensionRequest?
        var start: Task<Void, any Error>?
        var isReasserting = false
        /// The reason of a stop that came during the start.
        var stopReason: StopReason?
        /// The end from within, which the provider has asked for.
        var isCancelled = false
        var failure: NetworkFailure?
        /// Whether the host ends it, or it has ended.
        var isEnding = false
        var isOver = false

        init(_ configuration: TunnelConfiguration, isOnDemand: Bool) {
            (self.configuration, self.isOnDemand) = (configuration, isOnDemand)
        }
    }

    let host: HostApplication
    let limits: Limits
    private let device: (any Device)?
    var current: Session?
    private var states = SessionStates()
    /// The apps and their configurations.
    nonisolated let service: ConfigurationService
    private let turns = ChangeQueue()
    var isAsleep = false
    var restart: Task<Void, Never>?
    /// The identifiers of the saved configurations, by their provider, as far as the host has heard of them.
    var savedIdentifiers: [String: Set<String>] = [:]
    /// The configuration that the last restart is of.
    var restarting: TunnelConfiguration.Key?
    /// The last change of the device.
    private var deviceWork: Task<Void, any Error>?
    /// The request of the session that ended last.
    var lastRequest: ExtensionRequest?

    /// The packets of the interface.
    public nonisolated let packets = TunnelPackets()
    /// The network of the machine; nil: there is none.
    public internal(set) var network: MachineNetwork
    /// The settings in force; nil without a tunnel.
    public private(set) var settings: TunnelSettings?
    /// The messages that providers have shown to the user: the newest 100.
    public private(set) var messages: [String] = []
    /// The faults of providers that ended no session: the newest 100.
    public private(set) var remarks: [String] = []
    /// The statuses of all sessions, in their order: the newest 1,000.
    public var history: [Status] { states.history }
    /// The number of providers that were started again after a death.
    public internal(set) var restarts = 0

    /// Makes a host without a tunnel.
    ///
    /// - Parameters:
    ///   - host: the host's connection.
    ///   - network: the network of the machine.
    ///   - limits: the times of calls.
    ///   - device: the part of the machine on which settings act; nil: none.
    public init(
        _ host: HostApplication, network: MachineNetwork = MachineNetwork(), limits: Limits = Limits(),
        device: (any Device)? = nil
    ) {
        (self.host, self.network, self.limits, self.device) = (host, network, limits, device)
        service = ConfigurationService(host, .tunnel)
    }

    // MARK: States

    /// The state of a configuration's session. Of several apps with the same identifier, the newest counts.
    public func state(of identifier: String) -> TunnelState { states[identifier] }

    /// The state of the session of a provider's own configuration.
    func state(of configuration: TunnelConfiguration) -> TunnelState { states[configuration.key] }

    /// The status of a configuration's session.
    public func status(of identifier: String) -> Status {
        Status(rawValue: state(of: identifier).status) ?? .disconnected
    }

    /// The identifier of the configuration whose tunnel is up, or is being started or stopped.
    public var running: String? { current?.configuration.identifier }

    /// The request of the provider that runs.
    public var request: ExtensionRequest? { current?.request }

    /// Waits until a session has a status.
    public func wait(until status: Status, of identifier: String) async {
        if self.status(of: identifier) == status { return }
        await withCheckedContinuation { states.add($0, until: status, of: identifier) }
    }

    private func set(_ status: Status, _ session: Session, failure: NetworkFailure? = nil) {
        guard let state = states.set(status, of: session.configuration.key, failure: failure) else { return }
        service.tell(state, of: session.configuration)
    }

    func remark(_ text: String) {
        remarks.append(text)
        if remarks.count > 100 { remarks.removeFirst() }
    }

    // MARK: One after the other

    /// Runs a change of the tunnel, after those before it.
    func exclusively<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value {
        try await turns.run(body)
    }

    // MARK: Start and stop

    /// Starts the tunnel of a configuration, and waits until it is up. A tunnel that is up already stays.
    ///
    /// Another tunnel is stopped first, as superceded.
    ///
    /// - Parameters:
    ///   - configuration: the configuration. It need not be saved.
    ///   - options: the options for the provider, a dictionary.
    /// - Throws: the provider's error; `NSError` of `NEVPNErrorDomain`: `configurationDisabled` (2), `connectionFailed` (3)
    ///   if the provider did not run or did not answer; `ExtensionHostError` of the daemon.
    public func start(_ configuration: TunnelConfiguration, options: PointValue? = nil) async throws {
        try await exclusively { try await bringUp(configuration, options, isOnDemand: false) }
    }

    /// Starts the tunnel of a provider, and waits until it is up.
    ///
    /// - Parameters:
    ///   - provider: the identifier of the provider's extension.
    ///   - server: the `serverAddress`.
    ///   - options: the options for the provider.
    /// - Returns: the configuration, by whose identifier, the provider's, its state is found.
    /// - Throws: as `start(_:options:)`.
    @discardableResult
    public func start(
        provider: String, server: String = "192.0.2.1", options: [String: String]? = nil
    ) async throws -> TunnelConfiguration {
        var configured = TunnelProtocol(provider: provider)
        configured.serverAddress = server
        let configuration = TunnelConfiguration(provider, configured)
        let entries = options.map { options in
            PropertyList.dictionary(PropertyListDictionary(options.map { ($0.key, .string($0.value)) }))
        }
        try await start(configuration, options: entries.map { PointValue($0) })
        return configuration
    }

    /// Stops the tunnel that is up, and waits for its end. A start that is under way ends, too.
    ///
    /// - Parameters:
    ///   - reason: the reason for the provider.
    ///   - identifier: the configuration; nil: any.
    public func stop(_ reason: StopReason = .userInitiated, of identifier: String? = nil) async {
        await stop(reason) { identifier == nil || $0.identifier == identifier }
    }

    /// Stops the tunnel of a provider's own configuration, as `stop(_:of:)`.
    func stop(_ reason: StopReason, of key: TunnelConfiguration.Key) async { await stop(reason) { $0 == key } }

    private func stop(_ reason: StopReason, where isMeant: (TunnelConfiguration.Key) -> Bool) async {
        // A restart may be under way while no session is.
        if let restarting, isMeant(restarting) { restart?.cancel() }
        guard let current, isMeant(current.configuration.key) else { return }
        restart?.cancel()
        if current.stopReason == nil { current.stopReason = reason }
        current.start?.cancel()
        await exclusively {
            guard self.current === current else { return }
            await takeDown(current, reason)
        }
    }

    static func failed(_ code: Int, _ reason: String) -> NSError { ConfigurationService.failed(code, reason) }

    func bringUp(_ configuration: TunnelConfiguration, _ options: PointValue?, isOnDemand: Bool) async throws {
        if current?.configuration.key == configuration.key { return }
        guard configuration.isEnabled else { throw Self.failed(2, "the configuration is not enabled") }
        guard let provider = configuration.configuration.provider else {
            throw Self.failed(1, "the configuration names no provider")
        }
        if let current { await takeDown(current, .superceded) }
        let session = Session(configuration, isOnDemand: isOnDemand)
        current = session
        set(.connecting, session)
        let start = Task { try await self.launch(session, provider, options) }
        session.start = start
        do {
            try await start.value
            if session.isCancelled {
                throw session.failure.map { $0.error } ?? Self.failed(3, "the provider has ended it")
            }
            guard session.stopReason == nil else { throw CancellationError() }
            set(session.isReasserting ? .reasserting : .connected, session)
            session.start = nil
            // It may have died after its answer, and before this.
            if let request = session.request, !request.isOpen { watch(session, request) }
        } catch {
            session.start = nil
            await startFailed(session, error)
            throw session.failure?.error ?? error
        }
    }

    private func launch(_ session: Session, _ provider: String, _ options: PointValue?) async throws {
        let number = packets.begin()
        let request = try await host.begin(provider, items: [], handling: handlers(session))
        session.request = request
        watch(session, request)
        let packets = packets
        let (stream, offer) = try await request.makeStream(
            onEntries: { packets.receive($0, of: number) }, onClose: { _ in })
        packets.attach(stream)
        try await request.call(
            StartTunnel(session.configuration, options: options, path: network.path, stream: offer),
            limit: limits.start)
    }

    /// Ends a session whose start has failed.
    private func startFailed(_ session: Session, _ error: any Error) async {
        session.isEnding = true
        let hostError = error as? ExtensionHostError
        var failure: NetworkFailure?
        if session.isCancelled {
            failure = session.failure
        } else if let reason = session.stopReason {
            await ask(session, toStop: reason)
        } else if hostError?.code == .timedOut {
            failure = NetworkFailure(Self.failed(3, "the provider did not answer the start in time"))
            await ask(session, toStop: .providerFailed)
        } else if let hostError {
            failure = NetworkFailure(Self.failed(3, await reason(hostError, session)))
        } else {
            failure = NetworkFailure(error)
        }
        await endRequest(session)
        finish(session, failure: failure)
    }

    /// The reason of a request's end, in words.
    private func reason(_ error: ExtensionHostError, _ session: Session) async -> String {
        guard Self.endsRequest(error), let request = session.request else {
            return error.message + (error.cause.map { ": \($0)" } ?? "")
        }
        if case .cancelled(_, let reason) = await request.outcome {
            return ExtensionHostError(crossed: reason)?.message ?? reason.localizedDescription
        }
        return await request.explanation?.message ?? error.message
    }

    static func endsRequest(_ error: ExtensionHostError) -> Bool {
        [.interrupted, .contextFinished, .noSuchRequest].contains(error.code)
    }

    private func ask(_ session: Session, toStop reason: StopReason) async {
        set(.disconnecting, session)
        do {
            _ = try await session.request?.call(StopTunnel(reason: reason.rawValue), limit: limits.stop)
        } catch let error as ExtensionHostError where error.code == .timedOut {
            remark("the provider did not stop in time")
        } catch {
            remark("the provider failed to stop: \((error as? ExtensionHostError)?.message ?? "\(error)")")
        }
    }

    private func takeDown(_ session: Session, _ reason: StopReason) async {
        guard !session.isOver else { return }
        session.isEnding = true
        await ask(session, toStop: reason)
        await endRequest(session)
        finish(session, failure: session.failure)
    }

    /// Ends the request, and with it the process.
    private func endRequest(_ session: Session) async {
        packets.detach()
        guard let request = session.request else { return }
        do {
            _ = try await request.call(EndTunnel(), limit: .seconds(5))
        } catch {
            try? await request.cancel()
        }
        _ = await request.outcome
    }

    private func finish(_ session: Session, failure: NetworkFailure?) {
        guard !session.isOver else { return }
        (session.isOver, session.failure) = (true, failure)
        packets.detach()
        settings = nil
        lastRequest = session.request
        if current === session { current = nil }
        set(.disconnected, session, failure: failure)
        _ = onDevice(nil)
    }

    /// Puts settings in force, after those before them.
    private func onDevice(_ settings: TunnelSettings?) -> Task<Void, any Error> {
        guard let device else { return Task {} }
        let last = deviceWork
        let work = Task {
            _ = await last?.result
            try await device.apply(settings)
        }
        deviceWork = work
        return work
    }

    // MARK: The provider's calls

    private func handlers(_ session: Session) -> PointHandlers {
        let box = SessionBox(session: session)
        var handlers = PointHandlers()
        handlers.on(SetTunnelSettings.self) { [weak self] message, _ in
            try await self?.apply(message.settings, box)
            return Nothing()
        }
        handlers.on(SetReasserting.self) { [weak self] message, _ in
            await self?.reasserts(message.isReasserting, box)
            return Nothing()
        }
        handlers.on(CancelTunnel.self) { [weak self] message, _ in
            await self?.cancelled(message.failure, box)
            return Nothing()
        }
        handlers.on(DisplayMessage.self) { [weak self] message, _ in
            await self?.show(message.message)
            return DisplayMessage.Reply(isShown: true)
        }
        return handlers
    }

    /// A session for closures, which only the actor touches.
    private struct SessionBox: @unchecked Sendable {
        let session: Session
    }

    private func apply(_ settings: TunnelSettings?, _ box: SessionBox) async throws {
        guard current === box.session, !box.session.isEnding else {
            throw Self.settingsError(2, "the tunnel has ended")
        }
        if let fault = settings?.fault { throw Self.settingsError(1, fault) }
        do {
            try await onDevice(settings).value
        } catch {
            throw Self.settingsError(3, (error as? ExtensionHostError)?.message ?? "\(error)")
        }
        guard current === box.session, !box.session.isEnding else {
            throw Self.settingsError(2, "the tunnel has ended")
        }
        self.settings = settings
        packets.setUp(settings != nil)
    }

    private static func settingsError(_ code: Int, _ reason: String) -> NSError {
        NSError(
            domain: NetworkService.tunnelErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: reason])
    }

    private func reasserts(_ isReasserting: Bool, _ box: SessionBox) {
        let session = box.session
        guard current === session, !session.isEnding, session.isReasserting != isReasserting else { return }
        session.isReasserting = isReasserting
        if session.start == nil { set(isReasserting ? .reasserting : .connected, session) }
    }

    private func cancelled(_ failure: NetworkFailure?, _ box: SessionBox) {
        let session = box.session
        guard current === session, !session.isEnding else { return }
        (session.isCancelled, session.failure) = (true, failure)
        if let start = session.start { return start.cancel() }
        session.isEnding = true
        set(.disconnecting, session)
        Task {
            await exclusively {
                guard !box.session.isOver else { return }
                await endRequest(box.session)
                finish(box.session, failure: failure)
            }
        }
    }

    private func show(_ message: String) {
        messages.append(String(message.prefix(4_096)))
        if messages.count > 100 { messages.removeFirst() }
    }

    /// Waits for the end of a request, and notes a death.
    private func watch(_ session: Session, _ request: ExtensionRequest) {
        let box = SessionBox(session: session)
        Task { [weak self] in
            let outcome = await request.outcome
            await self?.ended(box, outcome)
        }
    }

    private func ended(_ box: SessionBox, _ outcome: RequestOutcome) async {
        let session = box.session
        guard !session.isEnding, !session.isOver, session.start == nil else { return }
        session.isEnding = true
        let why = await session.request?.explanation?.message ?? "\(outcome.cause.rawValue)"
        finish(session, failure: NetworkFailure(Self.failed(3, "the provider has ended: \(why)")))
        restartIfDemanded(session.configuration)
    }

    // MARK: Messages

    /// Sends a message to the provider that runs.
    ///
    /// - Returns: its reply; nil if it has none.
    /// - Throws: `NSError` of `NEVPNErrorDomain` 3 if no provider runs; errors of `ExtensionRequest.call`.
    public func send(_ message: Data, of identifier: String? = nil, expectsReply: Bool = true) async throws -> Data? {
        try await send(message, expectsReply) { identifier == nil || $0.identifier == identifier }
    }

    /// Sends a message to the provider of its own configuration, as `send(_:of:expectsReply:)`.
    func send(_ message: Data, of key: TunnelConfiguration.Key, expectsReply: Bool) async throws -> Data? {
        try await send(message, expectsReply) { $0 == key }
    }

    private func send(
        _ message: Data, _ expectsReply: Bool, where isMeant: (TunnelConfiguration.Key) -> Bool
    ) async throws -> Data? {
        guard let current, isMeant(current.configuration.key), !current.isEnding, let request = current.request
        else { throw Self.failed(3, "the provider does not run") }
        let reply = try await request.call(ProviderMessage([UInt8](message), expectsReply: expectsReply))
        return reply.data.map { Data($0) }
    }

    // MARK: Apps

    /// Answers apps, as long as this object exists, and starts what on-demand rules demand.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` if another host of this user serves them, `connectionLost`.
    public func serve() async throws {
        try await service.serve(self)
        await evaluate()
    }

    /// The configurations of a provider, in the order of their first saving.
    public func configurations(of provider: String) async throws -> [TunnelConfiguration] {
        try await service.configurations(of: provider)
    }

    /// Starts a session for an app. It does not wait until the tunnel is up.
    func begin(_ configuration: TunnelConfiguration, _ options: PointValue?) throws {
        guard configuration.isEnabled else { throw Self.failed(2, "the configuration is not enabled") }
        Task { try? await self.start(configuration, options: options) }
    }

    /// An app has saved configurations, or removed some.
    func saved(_ provider: String, _ configurations: [TunnelConfiguration]) async {
        let isSaved = { (identifier: String) in self.savedIdentifiers[provider]?.contains(identifier) == true }
        if let restarting, restarting.provider == provider, isSaved(restarting.identifier),
            configurations.first(where: { $0.key == restarting })?.isEnabled != true
        {
            restart?.cancel()
        }
        defer { savedIdentifiers[provider] = Set(configurations.map(\.identifier)) }
        if let current, current.configuration.configuration.provider == provider {
            let found = configurations.first { $0.identifier == current.configuration.identifier }
            if found == nil, isSaved(current.configuration.identifier) {
                await stop(.configurationRemoved, of: current.configuration.key)
            } else if found?.isEnabled == false {
                await stop(.configurationDisabled, of: current.configuration.key)
            }
        }
        await evaluate()
    }
}
