// TunnelHost+OnDemand: changes of the network and the sleep of the machine, by the rules of configurations.

internal import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import Foundation
internal import PointMessages

extension TunnelHost {
    // MARK: Rules

    func restartIfDemanded(_ configuration: TunnelConfiguration) {
        guard !isAsleep, configuration.rule(for: network)?.action == OnDemandRule.connect else { return }
        beginRestart(configuration)
    }

    private func beginRestart(_ configuration: TunnelConfiguration) {
        restart?.cancel()
        restarting = configuration.key
        restart = Task { await self.keepUp(configuration) }
    }

    /// Starts a tunnel for as long as a rule demands it.
    private func keepUp(_ configuration: TunnelConfiguration) async {
        while !Task.isCancelled, !isAsleep, current == nil,
            configuration.rule(for: network)?.action == OnDemandRule.connect
        {
            let (isOver, outcome): (Bool, RequestOutcome?) = await exclusively {
                guard current == nil, !Task.isCancelled else { return (true, nil) }
                do {
                    try await bringUp(configuration, nil, isOnDemand: true)
                    restarts += 1
                    return (true, nil)
                } catch {
                    return (false, await lastOutcome())
                }
            }
            if isOver { return }
            switch outcome {
            case .refused(.breakerOpen): await breakerPause(configuration.configuration.provider ?? "")
            case .interrupted: continue
            default: return
            }
        }
    }

    /// Waits until the daemon launches a provider again that has failed several times.
    ///
    /// Nothing announces the end of the breaker's pause, which is one of the daemon's clock. So this asks for the rest of
    /// it, at first after 100 ms, and at the end after 2 s.
    private func breakerPause(_ provider: String) async {
        var wait = Duration.milliseconds(100)
        while !Task.isCancelled {
            // Another user may have a breaker of this extension, too.
            let records = ((try? await host.breakers()) ?? []).filter { $0.extensionIdentifier == provider }
            let rest = Duration.seconds(records.map(\.delay).max() ?? 0)
            try? await Task.sleep(for: rest > .zero ? min(wait, rest) : wait)
            // Somebody else may have the one try of a half-open breaker.
            guard rest > .zero else { return }
            wait = min(wait * 2, .seconds(2))
        }
    }

    private func lastOutcome() async -> RequestOutcome? { await lastRequest?.outcome }

    /// Gives the machine another network. The provider hears of it, and on-demand rules start or stop tunnels.
    public func setNetwork(_ network: MachineNetwork) async {
        self.network = network
        if let request = current?.request, current?.isEnding == false {
            _ = try? await request.call(ProviderPath(network.path), limit: .seconds(5))
        }
        await evaluate()
    }

    /// Does what the on-demand rules of all configurations say about the network.
    public func evaluate() async {
        if let current {
            if current.configuration.rule(for: network)?.action == OnDemandRule.disconnect { await stop(.none) }
            return
        }
        guard !isAsleep else { return }
        let all = await service.allConfigurations()
        for configuration in all {
            guard let provider = configuration.configuration.provider else { continue }
            savedIdentifiers[provider, default: []].insert(configuration.identifier)
        }
        for configuration in all
        where configuration.rule(for: network)?.action == OnDemandRule.connect {
            beginRestart(configuration)
            // A caller that gives up ends the start, also in the pause of a breaker.
            await withTaskCancellationHandler {
                await restart?.value
            } onCancel: {
                Task { await stop(.none, of: configuration.key) }
            }
            return
        }
    }

    /// Tells that a program connects to a host. A rule may start a tunnel for it.
    ///
    /// - Parameters:
    ///   - name: the name of the host.
    ///   - isResolved: whether its address is found without a tunnel.
    /// - Returns: whether a tunnel is up now.
    public func connects(to name: String, isResolved: Bool) async -> Bool {
        if current == nil, !isAsleep {
            for configuration in await service.allConfigurations() {
                guard let rule = configuration.rule(for: network),
                    rule.starts(for: name, isResolved: isResolved)
                else { continue }
                try? await exclusively { try await bringUp(configuration, nil, isOnDemand: true) }
                break
            }
        }
        return current.map { status(of: $0.configuration.identifier) == .connected } ?? false
    }

    // MARK: Sleep

    /// Lets the machine sleep. The provider has five seconds to get ready.
    public func sleep() async {
        isAsleep = true
        restart?.cancel()
        guard let session = current, !session.isEnding, let request = session.request else { return }
        if session.configuration.configuration.disconnectsOnSleep { return await stop(.sleep) }
        do {
            _ = try await request.call(ProviderSleep(), limit: limits.sleep)
        } catch let error as ExtensionHostError where error.code == .timedOut {
            remark("the provider was not ready for the machine's sleep in time")
        } catch {
            remark("the provider failed to get ready for sleep: \(error)")
        }
    }

    /// Wakes the machine.
    public func wake() async {
        isAsleep = false
        if let request = current?.request, current?.isEnding == false {
            _ = try? await request.call(ProviderWake(), limit: .seconds(5))
        }
        await evaluate()
    }
}
