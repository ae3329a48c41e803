// ConfiguredProvider: the filter or proxy that an app has configured, and that its host starts and stops.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import Foundation
public import PointMessages
internal import PropertyListCoding

/// One run of a provider. After its stop it starts no more.
public protocol ConfigurableProvider: Sendable {
    /// Starts the provider. Returns when it runs.
    func start() async throws

    /// Stops the provider, also while it starts.
    ///
    /// - Parameter reason: the number of `NEProviderStopReason`.
    @discardableResult func stop(reason: Int) async -> RequestOutcome?

    /// Sends the provider a message of its app.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - expectsReply: whether the provider gets a handler for the reply.
    func send(_ message: [UInt8], expectsReply: Bool) async throws -> [UInt8]?
}

extension FilterHost: ConfigurableProvider {
    /// Fails: a filter gets no messages of its app.
    public func send(_ message: [UInt8], expectsReply: Bool) async throws -> [UInt8]? {
        throw ConfigurationService.failed(3, "a filter gets no messages of its app")
    }
}

extension ProxyHost: ConfigurableProvider {}

/// The provider that an app configures. Of all apps' providers of its kind one runs at a time.
///
/// Apps reach their configurations once `serve()` has been called. A filter or a DNS proxy runs as long as its
/// configuration is enabled. An app starts and stops its app proxy by itself.
public actor ConfiguredProvider<Provider: ConfigurableProvider>: ConfigurationOwner {
    /// The values of one run.
    struct Start: Sendable {
        let configuration: TunnelConfiguration
        /// The identifier of the provider's extension.
        let identifier: String
        let options: PointValue?
        /// Gets the error, or nil, with which the provider ends from within.
        let cancelled: @Sendable (NetworkFailure?) -> Void
    }

    /// One run of a provider.
    private final class Run {
        let number: Int
        let configuration: TunnelConfiguration
        let provider: Provider
        var isUp = false
        /// Whether the host stops it.
        var isEnding = false
        /// Whether the provider has ended from within, and its error.
        var isCancelled = false
        var failure: NetworkFailure?

        init(_ number: Int, _ configuration: TunnelConfiguration, _ provider: Provider) {
            (self.number, self.configuration, self.provider) = (number, configuration, provider)
        }
    }

    /// A start that waits: for changes before it, for the end of another provider, or for its own values.
    private final class OrderedStart {
        let key: TunnelConfiguration.Key
        var isStopped = false

        init(_ key: TunnelConfiguration.Key) { self.key = key }
    }

    nonisolated let service: ConfigurationService
    private let make: @Sendable (Start) async throws -> Provider
    private let turns = ChangeQueue()
    private var run: Run?
    private var states = SessionStates()
    private var lastNumber = 0
    /// The starts that apps have ordered, and that have no run yet.
    private var ordered: [OrderedStart] = []
    /// The providers whose configurations are looked at when the changes before have ended.
    private var followed: Set<String> = []

    /// The largest number of starts that wait (ours).
    private static var mostOrdered: Int { 64 }

    init(_ service: ConfigurationService, _ make: @escaping @Sendable (Start) async throws -> Provider) {
        (self.service, self.make) = (service, make)
    }

    // MARK: States

    /// The provider that runs; nil if none does.
    public var current: Provider? { run.flatMap { $0.isUp && !$0.isEnding ? $0.provider : nil } }

    /// The configuration of the provider that runs, or is being started or stopped.
    public var configuration: TunnelConfiguration? { run?.configuration }

    /// The state of a configuration. Of several apps with the same identifier, the newest counts.
    public func state(of identifier: String) -> TunnelState { states[identifier] }

    /// The state of a provider's own configuration.
    func state(of configuration: TunnelConfiguration) -> TunnelState { states[configuration.key] }

    /// The statuses of all runs, in their order: the newest 1,000.
    public var history: [TunnelHost.Status] { states.history }

    /// Waits until a configuration has a status.
    public func wait(until status: TunnelHost.Status, of identifier: String) async {
        if states[identifier].status == status.rawValue { return }
        await withCheckedContinuation { states.add($0, until: status, of: identifier) }
    }

    private func set(_ status: TunnelHost.Status, _ run: Run, failure: NetworkFailure? = nil) {
        guard let state = states.set(status, of: run.configuration.key, failure: failure) else { return }
        service.tell(state, of: run.configuration)
    }

    // MARK: Apps

    /// Answers apps, as long as this object exists, and starts the provider that is enabled.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` if another host of this user serves them, `connectionLost`.
    public func serve() async throws {
        try await service.serve(self)
        guard service.kind.runsWhenEnabled,
            let provider = await service.allConfigurations().first(where: \.isEnabled)?.configuration.provider
        else { return }
        await follow(provider)
    }

    /// The configurations of a provider, in the order of their first saving.
    public func configurations(of provider: String) async throws -> [TunnelConfiguration] {
        try await service.configurations(of: provider)
    }

    func saved(_ provider: String, _ configurations: [TunnelConfiguration]) async {
        // A start that is under way does not delay the end.
        if let run, !run.isUp, run.configuration.configuration.provider == provider,
            let reason = Self.reason(of: run, configurations)
        {
            await abort(run, reason)
        }
        await follow(provider)
    }

    /// The reason to stop a run; nil if its configuration is still enabled.
    private static func reason(
        of run: Run, _ configurations: [TunnelConfiguration]
    ) -> TunnelHost.StopReason? {
        guard let found = configurations.first(where: { $0.key == run.configuration.key }) else {
            return .configurationRemoved
        }
        return found.isEnabled ? nil : .configurationDisabled
    }

    /// Does what the configurations of a provider say now.
    private func follow(_ provider: String) async {
        // One look sees all changes before it.
        guard followed.insert(provider).inserted else { return }
        await turns.run {
            followed.remove(provider)
            let all = (try? await service.configurations(of: provider)) ?? []
            if let run, run.configuration.configuration.provider == provider,
                let reason = Self.reason(of: run, all)
            {
                await takeDown(run, reason)
            }
            guard service.kind.runsWhenEnabled else { return }
            var enabled = all.first(where: \.isEnabled)
            // Another app's may have been superceded by one that is not enabled any more.
            if enabled == nil, run == nil { enabled = await service.allConfigurations().first(where: \.isEnabled) }
            if let enabled { try? await bringUp(enabled, nil) }
        }
    }

    func begin(_ configuration: TunnelConfiguration, _ options: PointValue?) throws {
        guard !service.kind.runsWhenEnabled else {
            throw ConfigurationService.failed(3, "a \(service.kind.words) has no session: it runs while it is enabled")
        }
        guard configuration.isEnabled else {
            throw ConfigurationService.failed(2, "the configuration is not enabled")
        }
        guard ordered.count < Self.mostOrdered else {
            throw ConfigurationService.failed(3, "too many starts are under way")
        }
        let start = OrderedStart(configuration.key)
        ordered.append(start)
        Task {
            try? await turns.run { try await bringUp(configuration, options, start) }
            ordered.removeAll { $0 === start }
        }
    }

    func send(_ message: Data, of key: TunnelConfiguration.Key, expectsReply: Bool) async throws -> Data? {
        guard let run, run.configuration.key == key, let current else {
            throw ConfigurationService.failed(3, "the provider does not run")
        }
        return try await current.send([UInt8](message), expectsReply: expectsReply).map { Data($0) }
    }

    // MARK: Start and stop

    /// Stops the provider that runs, and waits for its end. Its configuration stays as it is.
    public func stop(_ reason: TunnelHost.StopReason = .userInitiated) async {
        if let run { await stop(reason, of: run.configuration.key) }
    }

    func stop(_ reason: TunnelHost.StopReason, of key: TunnelConfiguration.Key) async {
        for start in ordered where start.key == key { start.isStopped = true }
        guard let run, run.configuration.key == key else { return }
        if !run.isUp { await abort(run, reason) }
        await turns.run {
            guard self.run === run else { return }
            await takeDown(run, reason)
        }
    }

    /// Ends a start that is under way.
    private func abort(_ run: Run, _ reason: TunnelHost.StopReason) async {
        guard !run.isEnding else { return }
        run.isEnding = true
        await run.provider.stop(reason: reason.rawValue)
    }

    /// - Parameter ordered: the app's order, which it may take back until there is a run.
    private func bringUp(
        _ configuration: TunnelConfiguration, _ options: PointValue?, _ ordered: OrderedStart? = nil
    ) async throws {
        if ordered?.isStopped == true { return }
        if let run {
            // An app that starts what runs changes nothing. Other values need another run.
            if run.configuration == configuration
                || !service.kind.runsWhenEnabled
                    && run.configuration.key
                        == configuration.key
            {
                return
            }
            await takeDown(run, .superceded)
        }
        guard let identifier = configuration.configuration.provider else {
            throw ConfigurationService.failed(1, "the configuration names no provider")
        }
        lastNumber += 1
        let number = lastNumber
        let start = Start(
            configuration: configuration, identifier: identifier, options: configuration.startOptions(options),
            cancelled: { [weak self] failure in Task { await self?.cancelled(number, failure) } })
        let provider = try await make(start)
        if ordered?.isStopped == true { return }
        let run = Run(number, configuration, provider)
        self.run = run
        set(.connecting, run)
        do {
            try await run.provider.start()
            guard !run.isEnding, !run.isCancelled else { throw CancellationError() }
            run.isUp = true
            set(.connected, run)
        } catch {
            // The control provider of a filter may run.
            await run.provider.stop(reason: TunnelHost.StopReason.providerFailed.rawValue)
            let failure =
                (error as? ExtensionHostError).map { ConfigurationService.failed(3, $0.message) } ?? error as NSError
            finish(run, run.isEnding || run.isCancelled ? run.failure : NetworkFailure(failure))
            throw error
        }
    }

    private func takeDown(_ run: Run, _ reason: TunnelHost.StopReason) async {
        run.isEnding = true
        set(.disconnecting, run)
        await run.provider.stop(reason: reason.rawValue)
        finish(run, run.failure)
    }

    private func finish(_ run: Run, _ failure: NetworkFailure?) {
        guard self.run === run else { return }
        self.run = nil
        set(.disconnected, run, failure: failure)
    }

    /// The provider ends from within.
    private func cancelled(_ number: Int, _ failure: NetworkFailure?) {
        guard let run, run.number == number, !run.isEnding else { return }
        (run.isCancelled, run.failure) = (true, failure)
        if run.isUp { finish(run, failure) }
    }
}

extension TunnelConfiguration {
    /// The options with which a proxy starts: those of its app, and values of the configuration.
    ///
    /// Apple's systems add the latter (observed): `NEDNSProxyProvider` has no other way to them.
    fileprivate func startOptions(_ options: PointValue?) -> PointValue? {
        var entries = options?.plist.dictionary ?? PropertyListDictionary()
        if let server = configuration.serverAddress { entries["ServerAddress"] = .string(server) }
        if let values = configuration.providerConfiguration { entries["VendorData"] = values.plist }
        return entries.isEmpty ? options : PointValue(.dictionary(entries))
    }
}

extension ConfiguredProvider where Provider == FilterHost {
    /// Makes the host of the filters that apps configure. The control provider is one of the same app.
    ///
    /// - Parameters:
    ///   - host: the host's connection.
    ///   - settings: the settings of each run, but for the configuration.
    ///   - observer: gets each decision, in their order for one flow. It must not block.
    public init(
        filtersOf host: HostApplication, settings: FilterHost.Settings = FilterHost.Settings(),
        observer: @escaping FilterHost.Observer = { _ in }
    ) {
        self.init(ConfigurationService(host, .filter)) { start in
            var settings = settings
            settings.configuration = start.configuration.filter ?? FilterConfiguration()
            settings.configuration.name = start.configuration.name
            let all = try await host.extensions()
            let app = all.first { $0.identifier == start.identifier }?.containingApp
            let control = all.first { $0.point == FilterHost.controlPoint && $0.containingApp == app && app != nil }
            return FilterHost(
                host, data: start.identifier, control: control?.identifier, settings: settings, observer: observer)
        }
    }
}

extension ConfiguredProvider where Provider == ProxyHost {
    /// Makes the host of the app proxies that apps configure and start.
    ///
    /// - Parameters:
    ///   - host: the host's connection.
    ///   - settings: the settings of each run, but for options and configuration.
    ///   - observer: gets each event, in their order for one flow. It must not block.
    public init(
        appProxiesOf host: HostApplication, settings: ProxyHost.Settings = ProxyHost.Settings(),
        observer: @escaping ProxyHost.Observer = { _ in }
    ) {
        self.init(ConfigurationService(host, .appProxy)) { start in
            ProxyHost(host, start, settings, observer) { $0.configuration = start.configuration }
        }
    }

    /// Makes the host of the DNS proxies that apps configure. Parameters as of `init(appProxiesOf:settings:observer:)`.
    ///
    /// The name servers of the machine are used if the settings have none.
    public init(
        dnsProxiesOf host: HostApplication, settings: ProxyHost.Settings = ProxyHost.Settings(),
        observer: @escaping ProxyHost.Observer = { _ in }
    ) {
        self.init(ConfigurationService(host, .dnsProxy)) { start in
            ProxyHost(host, start, settings, observer) { if $0.names == nil { $0.names = .ofMachine } }
        }
    }
}

extension ProxyHost {
    fileprivate init(
        _ host: HostApplication, _ start: ConfiguredProvider<ProxyHost>.Start, _ settings: Settings,
        _ observer: @escaping Observer, _ change: (inout Settings) -> Void
    ) {
        var settings = settings
        let told = settings.cancelled
        settings.options = start.options
        settings.cancelled = {
            told($0)
            start.cancelled($0)
        }
        change(&settings)
        self.init(host, start.identifier, settings: settings, observer: observer)
    }
}
