// ConfigurationClient: an app that has a connection with the host of its configurations.

import ExtensionHost
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Locks
import PointMessages

/// An app, whose configurations the annotations of its providers are.
final class ConfigurationClient: Sendable {
    private let connection: ServiceConnection
    /// The service, which ends before some of its connections do.
    private let service: @Sendable () throws -> ConfigurationService
    private let kind: ConfigurationKind
    /// The folder of the app.
    private let app: String
    /// The providers of the app, as of the last question.
    private let owned = Mutex<Set<String>>([])

    init(_ connection: ServiceConnection, _ service: ConfigurationService) async throws {
        guard let client = connection.client, client.role == .app || client.role == .extension,
            let app = client.containingApp
        else {
            throw ExtensionHostError(
                .notPermitted, "only apps have configurations of network extensions",
                remedy: "Save the configuration in the app of the provider")
        }
        (self.connection, self.app, kind) = (connection, app, service.kind)
        let isGone = service.isGone
        self.service = { [weak service] in
            guard let service else { throw isGone }
            return service
        }
        let providers = try await service.providers(of: app)
        owned.withLock { $0 = Set(providers) }
    }

    /// The providers of the app.
    private func providers() async throws -> [String] {
        let providers = try await service().providers(of: app)
        owned.withLock { $0 = Set(providers) }
        return providers
    }

    var handlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(LoadConfigurations.self) { [self] _, _ in
            _ = try await providers()
            let (owner, found) = (try service().owner(), try await service().configurations(ofApp: app))
            var states: [TunnelState] = []
            for configuration in found { states.append(await owner.state(of: configuration)) }
            return LoadConfigurations.Reply(found, states: states)
        }
        handlers.on(CheckConfiguration.self) { [self] message, _ in
            let configuration = try await named(message.configuration)
            let provider = configuration.configuration.provider ?? ""
            return try await change(provider) { try await list(with: configuration, of: provider) }
        }
        handlers.on(CheckRemoval.self) { [self] message, _ in
            let provider = try await found(message.identifier).configuration.provider ?? ""
            return try await change(provider) {
                try await service().configurations(of: provider).filter { $0.identifier != message.identifier }
            }
        }
        handlers.on(ConfigurationsSaved.self) { [self] message, _ in
            guard try await providers().contains(message.provider) else {
                throw Self.error(1, "\(message.provider) is no provider of this app")
            }
            let service = try service()
            await service.changes.end(of: message.provider, message.number, by: self)
            let (owner, all) = (try service.owner(), try await service.configurations(of: message.provider))
            service.tellChanged(message.provider)
            Task { await owner.saved(message.provider, all) }
            return Nothing()
        }
        handlers.on(StartSession.self) { [self] message, _ in
            try await service().owner().begin(try await found(message.identifier), message.options)
            return Nothing()
        }
        handlers.on(StopSession.self) { [self] message, _ in
            let key = try await found(message.identifier).key
            let owner = try service().owner()
            Task { await owner.stop(.userInitiated, of: key) }
            return Nothing()
        }
        handlers.on(SessionMessage.self) { [self] message, _ in
            let key = try await found(message.identifier).key
            let owner = try service().owner()
            let reply = try await owner.send(Data(message.data), of: key, expectsReply: message.expectsReply)
            return ProviderMessage.Reply(reply.map { [UInt8]($0) })
        }
        return handlers
    }

    private static func error(_ code: Int, _ reason: String) -> NSError { ConfigurationService.failed(code, reason) }

    private func found(_ identifier: String) async throws -> TunnelConfiguration {
        let found = try await service().configurations(ofApp: app).first { $0.identifier == identifier }
        guard let found else { throw Self.error(6, "the configuration is not saved") }
        return found
    }

    /// Begins a change, after those before it. The app ends it, or its failure here does.
    private func change(
        _ provider: String, _ list: () async throws -> [TunnelConfiguration]
    ) async throws -> ConfigurationChange {
        let changes = try service().changes
        let number = try await changes.begin(of: provider, by: self)
        do {
            return ConfigurationChange(provider, try await list(), number: number)
        } catch {
            await changes.end(of: provider, number, by: self)
            throw error
        }
    }

    /// Returns a configuration with the name of its provider, which is one of the app's.
    private func named(_ configuration: TunnelConfiguration) async throws -> TunnelConfiguration {
        var configuration = configuration
        let providers = try await providers()
        if configuration.configuration.provider == nil, providers.count == 1 {
            configuration.configuration.provider = providers.first
        }
        guard providers.contains(configuration.configuration.provider ?? "") else {
            let named = configuration.configuration.provider ?? "nothing"
            throw Self.error(1, "the configuration names \(named), which is no \(kind.words) of this app")
        }
        if let fault = configuration.fault(kind) { throw Self.error(1, fault) }
        return configuration
    }

    /// Returns the list of a provider with a configuration in its place.
    private func list(
        with configuration: TunnelConfiguration, of provider: String
    ) async throws -> [TunnelConfiguration] {
        let service = try service()
        guard try await service.hasEntitlement(provider) else {
            throw Self.error(
                5, "\(provider) does not have the entitlement \(NetworkService.entitlement)=\(kind.entitlement)")
        }
        var all = try await service.configurations(of: provider)
        if let index = all.firstIndex(where: { $0.identifier == configuration.identifier }) {
            all[index] = configuration
        } else {
            guard all.count < kind.most else {
                throw Self.error(5, "a provider has at most \(kind.most) configurations")
            }
            // Of one identifier there is one configuration.
            let others = try await service.configurations(ofApp: app)
            guard !others.contains(where: { $0.identifier == configuration.identifier }) else {
                throw Self.error(1, "another provider has this configuration")
            }
            all.append(configuration)
        }
        return all
    }

    /// Tells the app of a session, if it is its own.
    func tell(_ state: TunnelState, of configuration: TunnelConfiguration) {
        ifOwn(configuration.configuration.provider) { [connection] in
            connection.send(SessionState(configuration.identifier, state)) { _ in }
        }
    }

    func tellChanged(_ provider: String) {
        ifOwn(provider) { [connection] in connection.send(ConfigurationsChanged()) { _ in } }
    }

    private func ifOwn(_ provider: String?, _ body: @escaping @Sendable () -> Void) {
        guard let provider, owned.withLock({ $0.contains(provider) }) else { return }
        body()
    }
}
