// FilterHost: the system's half of a network filter: it asks the providers about flows and their bytes.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import Foundation
public import PointMessages

/// Filters flows with a data provider and, if the app has one, a control provider.
///
/// Flows come from a script or from programs (`FilteredProgram`). What is asked of a provider is bounded in time: a flow
/// about which it does not decide is dropped, or allowed with `Settings.failsOpen`.
public actor FilterHost {
    /// The extension point of data providers.
    public static let point = "com.apple.networkextension.filter-data"
    /// The extension point of control providers.
    public static let controlPoint = "com.apple.networkextension.filter-control"

    /// The settings of a filter.
    public struct Settings: Sendable {
        /// Whether a flow is allowed that the filter does not decide about in time.
        public var failsOpen = false
        /// The time for each decision; nil: as the extension point says.
        public var verdictLimit: Duration?
        /// The time in which a control provider decides.
        public var controlLimit = Duration.seconds(30)
        /// The time in which a provider resumes a flow that it has paused (ours). Then the flow is without a verdict.
        public var pauseLimit = Duration.seconds(30)
        /// The maximum number of bytes that one direction of a flow holds. A filter that wants to see more ends the flow.
        public var mostHeld = 1 << 20
        /// Shows a provider's message to the user. The result is whether the user has seen it.
        public var showsMessage: @Sendable (String) async -> Bool = { _ in false }
        /// The configuration that the app has saved.
        public var configuration = FilterConfiguration()

        /// Makes the settings of a filter that fails closed.
        public init() {}
    }

    /// The function that gets each decision.
    public typealias Observer = @Sendable (FlowDecision) -> Void

    /// The rounds of `needRules` for one question.
    private static let mostRounds = 3

    private let host: HostApplication
    private let identifier: String
    private let control: String?
    nonisolated let settings: Settings
    private let observer: Observer
    private var sessions: [Role: Task<ExtensionRequest, any Error>] = [:]
    private var flows: [String: FilteredFlow] = [:]
    private var lastNumber = 0
    private var maps = FilterMaps()
    private var isStopped = false

    private enum Role: Sendable { case data, control }

    /// Makes a filter that is not started.
    ///
    /// - Parameters:
    ///   - host: the host's connection.
    ///   - identifier: the data provider's extension.
    ///   - control: the control provider's extension; nil: there is none.
    ///   - settings: the settings.
    ///   - observer: gets each decision, in their order for one flow. It must not block.
    public init(
        _ host: HostApplication, data identifier: String, control: String? = nil, settings: Settings = Settings(),
        observer: @escaping Observer = { _ in }
    ) {
        (self.host, self.identifier, self.control) = (host, identifier, control)
        (self.settings, self.observer) = (settings, observer)
    }

    // MARK: The providers

    /// Starts both providers. Returns when their handlers have been called.
    ///
    /// - Throws: the author's error, and those of `HostApplication.begin` and `ExtensionRequest.call`.
    public func start() async throws {
        if control != nil { _ = try await request(.control) }
        _ = try await request(.data)
    }

    /// Stops both providers, and drops all flows.
    ///
    /// - Parameter reason: the number of `NEProviderStopReason`.
    /// - Returns: the outcome of the data provider's request; nil if none was open.
    @discardableResult
    public func stop(reason: Int = 1) async -> RequestOutcome? {
        isStopped = true
        // A start that is under way ends.
        for session in sessions.values { session.cancel() }
        for flow in flows.values { await flow.end(FlowDecision.Reason.stopped) }
        flows = [:]
        var outcome: RequestOutcome?
        for role in [Role.data, .control] {
            guard let request = try? await sessions[role]?.value else { continue }
            sessions[role] = nil
            do { try await request.call(StopFilter(reason: reason)) } catch { try? await request.cancel() }
            let ending = await request.outcome
            if role == .data { outcome = ending }
        }
        return outcome
    }

    /// The pid of the data provider's process; nil if none runs.
    public var processIdentifier: Int? {
        get async { (try? await sessions[.data]?.value)?.processIdentifier }
    }

    private func request(_ role: Role) async throws -> ExtensionRequest {
        if isStopped { throw ExtensionHostError(.contextFinished, "the filter was stopped") }
        if let session = sessions[role] { return try await session.value }
        let task = Task { [host, identifier, control, settings] in
            let name = role == .data ? identifier : control ?? identifier
            let request = try await host.begin(
                name, items: [], handling: role == .data ? dataHandlers : controlHandlers)
            do {
                try await request.call(StartFilter(settings.configuration))
            } catch {
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
                await self?.providerEnded(role)
            }
            return request
        }
        sessions[role] = task
        do {
            return try await task.value
        } catch {
            if sessions[role] == task { sessions[role] = nil }
            throw error
        }
    }

    /// The end of the data provider ends the pauses of all flows, because nobody else resumes them.
    private func providerEnded(_ role: Role) async {
        guard role == .data else { return }
        for flow in flows.values { await flow.providerEnded() }
    }

    /// The errors of calls whose request has ended.
    private static let endings: [ExtensionHostError.Code] = [
        .interrupted, .contextFinished, .noSuchRequest, .connectionLost,
    ]

    /// Forgets a request that has ended. The next question begins another.
    ///
    /// - Parameter request: the request; another that was begun meanwhile stays.
    private func forget(_ role: Role, _ request: ExtensionRequest?, _ error: any Error) async {
        guard let error = error as? ExtensionHostError, Self.endings.contains(error.code) else { return }
        let session = sessions[role]
        guard let current = try? await session?.value, current === request, sessions[role] == session else { return }
        sessions[role] = nil
    }

    private nonisolated var dataHandlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(FilterResume.self) { [weak self] message, _ in
            await self?.flow(message.flow)?.resume(message.verdict)
            return Nothing()
        }
        handlers.on(DisplayMessage.self) { [settings] message, _ in
            DisplayMessage.Reply(isShown: await settings.showsMessage(message.message))
        }
        return handlers
    }

    private nonisolated var controlHandlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(ControlRulesChanged.self) { [weak self] _, _ in
            await self?.tellRulesChanged()
            return Nothing()
        }
        handlers.on(ControlMaps.self) { [weak self] message, _ in
            await self?.take(message.maps)
            return Nothing()
        }
        handlers.on(DisplayMessage.self) { [settings] message, _ in
            DisplayMessage.Reply(isShown: await settings.showsMessage(message.message))
        }
        return handlers
    }

    private func take(_ maps: FilterMaps) { self.maps = maps }
    private func flow(_ identifier: String) -> FilteredFlow? { flows[identifier] }

    /// Tells the data provider that its rules have changed. Open flows keep their verdicts.
    public func tellRulesChanged() async { await ask(.data, FilterRulesChanged()) }

    /// Tells the providers that the machine is about to sleep. Each has five seconds.
    public func sleep() async {
        await ask(.data, ProviderSleep())
        if control != nil { await ask(.control, ProviderSleep()) }
    }

    /// Tells the providers that the machine is awake.
    public func wake() async {
        await ask(.data, ProviderWake())
        if control != nil { await ask(.control, ProviderWake()) }
    }

    private func ask<Message: PointMessage>(_ role: Role, _ message: Message) async where Message.Reply == Nothing {
        guard let request = try? await sessions[role]?.value else { return }
        do { try await request.call(message) } catch { await forget(role, request, error) }
    }

    // MARK: Flows

    /// Opens a flow: asks the filter about it, and returns when that has decided.
    ///
    /// A flow of a kind that the configuration does not filter passes.
    ///
    /// - Parameter description: the flow. Its number and identifier are set here.
    /// - Returns: the flow, whose `isAllowed` tells the decision.
    /// - Throws: `ExtensionHostError` `quotaExceeded` if 512 flows are open.
    public func open(_ description: NetworkFlow) async throws -> FilteredFlow {
        guard flows.count < FlowService.mostFlows else {
            throw ExtensionHostError(
                .quotaExceeded, "the filter has \(flows.count) open flows", remedy: "Close flows that are over")
        }
        lastNumber += 1
        var value = description
        (value.number, value.identifier) = (lastNumber, UUID().uuidString)
        let flow = FilteredFlow(value, self)
        flows[value.identifier] = flow
        let configuration = settings.configuration
        let isFiltered = value.kind == .browser ? configuration.filtersBrowsers : configuration.filtersSockets
        if isFiltered { await flow.decide() } else { observer(flow.unfiltered) }
        return flow
    }

    /// Asks for access to what a flow was refused, as the button of a remediation page does.
    ///
    /// - Returns: whether the filter gives it.
    public func requestAccess(_ flow: NetworkFlow) async -> Bool {
        switch await verdict(FilterRemediation(flow)) {
        case .success(let verdict) where verdict.kind == .needRules:
            guard control != nil, let request = try? await request(.control),
                let verdict = try? await request.call(ControlRemediation(flow), limit: settings.controlLimit)
            else { return false }
            if verdict.updatesRules == true { await tellRulesChanged() }
            return verdict.kind == .allow
        case .success(let verdict): return verdict.kind == .allow
        case .failure: return false
        }
    }

    /// A decision, or the reason why there is none.
    enum Answer: Sendable {
        case verdict(FlowVerdict)
        case failed(String)
    }

    /// Asks the data provider, and the control provider if that needs rules.
    func answer<Message: PointMessage>(
        _ message: Message, about flow: NetworkFlow
    ) async -> Answer where Message.Reply == FlowVerdict {
        for _ in 0..<Self.mostRounds {
            switch await verdict(message) {
            case .failure(let error): return .failed("\(error)")
            case .success(let verdict):
                guard verdict.kind == .needRules else { return .verdict(verdict) }
                guard control != nil else { return .failed("the filter needs rules, and there is no control provider") }
                var asked: ExtensionRequest?
                do {
                    let request = try await request(.control)
                    asked = request
                    let decision = try await request.call(
                        ControlNewFlow(flow), limit: settings.controlLimit)
                    if decision.updatesRules == true { await tellRulesChanged() }
                    if decision.kind != .needRules { return .verdict(decision) }
                } catch {
                    await forget(.control, asked, error)
                    return .failed("the control provider does not decide: \(error)")
                }
            }
        }
        return .failed("the filter needed rules \(Self.mostRounds) times for one question")
    }

    private func verdict<Message: PointMessage>(
        _ message: Message
    ) async -> Result<FlowVerdict, any Error> where Message.Reply == FlowVerdict {
        var asked: ExtensionRequest?
        do {
            let request = try await request(.data)
            asked = request
            return .success(try await request.call(message, limit: settings.verdictLimit))
        } catch {
            await forget(.data, asked, error)
            return .failure(error)
        }
    }

    /// Reports a decision to the observer and, if its verdict wants that, to the provider.
    func report(_ decision: FlowDecision, to provider: FilterReport?) async {
        observer(decision)
        if let provider { await ask(.data, provider) }
    }

    /// Forgets a flow that is over.
    func closed(_ flow: NetworkFlow) async {
        guard flows.removeValue(forKey: flow.identifier) != nil else { return }
        await ask(.data, FilterFlowClosed(flow.number))
        if control != nil { await ask(.control, FilterFlowClosed(flow.number)) }
    }

    /// The page of a refused flow, from the control provider's maps.
    func remediation(_ verdict: FlowVerdict) -> FlowDecision.Page {
        FlowDecision.Page(
            url: verdict.urlKey.flatMap { maps.remediationURLs?[$0] },
            button: verdict.buttonKey.flatMap { maps.remediationButtons?[$0] })
    }

    /// The text that a verdict appends to a URL; nil if the control provider's map lacks it.
    func appendedText(_ verdict: FlowVerdict) -> String? { verdict.urlKey.flatMap { maps.appendedTexts?[$0] } }
}
