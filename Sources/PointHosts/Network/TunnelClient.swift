// TunnelClient: an app that has a connection with the host of its tunnels.

import ExtensionHost
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import LinuxSystem
import Locks
public import PointMessages
import PropertyListCoding

/// An app, whose configurations the annotations of its providers are.
final class TunnelClient: Sendable {
    /// The configurations of a provider at most.
    private static let most = 32

    private let connection: ServiceConnection
    private let host: @Sendable () throws -> TunnelHost
    /// The folder of the app.
    private let app: String
    /// The providers of the app, as of the last question.
    private let owned = Mutex<Set<String>>([])

    static let isGone = ExtensionHostError(.serviceUnavailable, "the host of tunnels is gone")

    init(_ connection: ServiceConnection, _ host: TunnelHost) async throws {
        guard let client = connection.client, client.role == .app || client.role == .extension,
            let app = client.containingApp
        else {
            throw ExtensionHostError(
                .notPermitted, "only apps have configurations of tunnels", remedy: "Call TunnelHost from a host")
        }
        self.connection = connection
        self.app = app
        self.host = { [weak host] in
            guard let host else { throw Self.isGone }
            return host
        }
        let providers = try await host.providers(of: app)
        owned.withLock { $0 = Set(providers) }
    }

    /// The providers of the app.
    private func providers() async throws -> [String] {
        let providers = try await host().providers(of: app)
        owned.withLock { $0 = Set(providers) }
        return providers
    }

    var handlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(LoadConfigurations.self) { [self] _, _ in
            _ = try await providers()
            let found = try await host().configurations(ofApp: app)
            var states: [TunnelState] = []
            for configuration in found { states.append(try await host().state(of: configuration)) }
            return LoadConfigurations.Reply(found, states: states)
        }
        handlers.on(CheckConfiguration.self) { [self] message, _ in
            let configuration = try await named(message.configuration)
            return try await change(configuration.configuration.provider ?? "") { try await check(configuration) }
        }
        handlers.on(CheckRemoval.self) { [self] message, _ in
            let provider = try await found(message.identifier).configuration.provider ?? ""
            return try await change(provider) {
                let all = try await host().configurations(of: provider)
                return ConfigurationChange(provider, all.filter { $0.identifier != message.identifier })
            }
        }
        handlers.on(ConfigurationsSaved.self) { [self] message, _ in
            guard try await providers().contains(message.provider) else {
                throw Self.error(1, "\(message.provider) is no provider of this app")
            }
            let host = try host()
            await host.changes.end(of: message.provider, by: self)
            let all = try await host.configurations(of: message.provider)
            Task { await host.saved(message.provider, all) }
            return Nothing()
        }
        handlers.on(StartSession.self) { [self] message, _ in
            try await host().start(try await found(message.identifier), for: self, message.options)
            return Nothing()
        }
        handlers.on(StopSession.self) { [self] message, _ in
            let key = try await found(message.identifier).key
            let host = try host()
            Task { await host.stop(.userInitiated, of: key) }
            return Nothing()
        }
        handlers.on(SessionMessage.self) { [self] message, _ in
            let key = try await found(message.identifier).key
            let reply = try await host().send(Data(message.data), of: key, expectsReply: message.expectsReply)
            return ProviderMessage.Reply(reply.map { [UInt8]($0) })
        }
        return handlers
    }

    static func error(_ code: Int, _ reason: String) -> NSError {
        NSError(
            domain: NetworkService.vpnErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: reason])
    }

    private func found(_ identifier: String) async throws -> TunnelConfiguration {
        let found = try await host().configurations(ofApp: app).first { $0.identifier == identifier }
        guard let found else { throw Self.error(6, "the configuration is not saved") }
        return found
    }

    /// Begins a change, after those before it. The app ends it, or its failure here does.
    private func change(
        _ provider: String, _ body: () async throws -> ConfigurationChange
    ) async throws -> ConfigurationChange {
        let host = try host()
        try await host.changes.begin(of: provider, by: self)
        do {
            return try await body()
        } catch {
            await host.changes.end(of: provider, by: self)
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
            throw Self.error(1, "providerBundleIdentifier names \(named), which is no packet tunnel of this app")
        }
        if let fault = configuration.fault { throw Self.error(1, fault) }
        return configuration
    }

    /// Returns the list with a configuration in its place.
    private func check(_ configuration: TunnelConfiguration) async throws -> ConfigurationChange {
        let host = try host()
        let provider = configuration.configuration.provider ?? ""
        guard try await host.hasEntitlement(provider) else {
            throw Self.error(
                5, "\(provider) does not have the entitlement \(NetworkService.entitlement)=\(TunnelHost.kind)")
        }
        var all = try await host.configurations(of: provider)
        if let index = all.firstIndex(where: { $0.identifier == configuration.identifier }) {
            all[index] = configuration
        } else {
            guard all.count < Self.most else {
                throw Self.error(5, "a provider has at most \(Self.most) configurations")
            }
            // Of one identifier there is one configuration.
            let others = try await host.configurations(ofApp: app)
            guard !others.contains(where: { $0.identifier == configuration.identifier }) else {
                throw Self.error(1, "another provider has this configuration")
            }
            all.append(configuration)
        }
        return ConfigurationChange(provider, all)
    }

    /// Tells the app of a session, if it is its own.
    func tell(_ identifier: String, _ state: TunnelState, of configuration: TunnelConfiguration) {
        ifOwn(configuration.configuration.provider) { [connection] in
            connection.send(SessionState(identifier, state)) { _ in }
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

extension TunnelConfiguration {
    /// The reason why it cannot be saved; nil if it can. The annotation bounds the size of all.
    var fault: String? {
        guard !identifier.isEmpty, identifier.utf8.count <= 128 else { return "the identifier is empty or too long" }
        if let name, name.utf8.count > 1_024 { return "the localizedDescription is longer than 1024 bytes" }
        if let value = configuration.providerConfiguration, value.plist.dictionary == nil {
            return "the providerConfiguration is no dictionary"
        }
        guard (onDemandRules ?? []).count <= 64 else { return "there are more than 64 on-demand rules" }
        for rule in onDemandRules ?? [] where !(1...4).contains(rule.action) || !(0...3).contains(rule.interface) {
            return "an on-demand rule has no action or interface that is known"
        }
        return nil
    }
}

extension TunnelHost {
    /// The packet tunnels of an app.
    func providers(of app: String) async throws -> [String] {
        try await host.extensions().filter { $0.point == Self.point && $0.containingApp == app }.map(\.identifier)
    }

    /// The configurations of a provider, in the order of their first saving.
    public func configurations(of provider: String) async throws -> [TunnelConfiguration] {
        guard let value = try await host.annotations(of: provider)[NetworkService.configurations] else { return [] }
        let encoded = EncodedValue(plist: value.plist, descriptors: [])
        // An app may have set anything.
        let found = (try? PointDecoder.decode([TunnelConfiguration].self, from: encoded)) ?? []
        return found.filter { $0.configuration.provider == provider && $0.fault == nil }
    }

    /// The configurations of an app.
    func configurations(ofApp app: String) async throws -> [TunnelConfiguration] {
        var all: [TunnelConfiguration] = []
        for provider in try await providers(of: app) { all += try await configurations(of: provider) }
        return all
    }

    /// The configurations of all apps.
    func allConfigurations() async -> [TunnelConfiguration] {
        var all: [TunnelConfiguration] = []
        for found in (try? await host.extensions()) ?? [] where found.point == Self.point {
            all += (try? await configurations(of: found.identifier)) ?? []
        }
        return all
    }

    /// Whether a provider has the entitlement of its kind.
    func hasEntitlement(_ provider: String) async throws -> Bool {
        let folder = try await host.declaration(of: provider).path
        for place in [Entitlements.fileName, "Contents/\(Entitlements.fileName)"] {
            guard let bytes = try? readFile("\(folder)/\(place)", maximumSize: 1 << 20),
                let values = (try? PropertyList(file: bytes, limits: Entitlements.limits))?.dictionary
            else { continue }
            let value = values[NetworkService.entitlement]
            return value?.string == Self.kind || value?.array?.contains { $0.string == Self.kind } == true
        }
        return false
    }
}
