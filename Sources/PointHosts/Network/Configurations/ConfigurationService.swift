// ConfigurationService: the service by which apps configure one kind of providers, and the stored configurations.

internal import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import Foundation
internal import LinuxSystem
internal import Locks
internal import PointMessages
internal import PropertyListCoding

/// A kind of providers that apps configure.
struct ConfigurationKind: Sendable {
    /// The name of the service.
    let service: String
    /// The extension point of the providers.
    let point: String
    /// The value of the entitlement `NetworkService.entitlement`.
    let entitlement: String
    /// The kind in words.
    let words: String
    /// The maximum number of configurations of one provider.
    var most = 32
    /// Whether a provider runs as long as its configuration is enabled. Else its app starts and stops it.
    var runsWhenEnabled = false

    static let tunnel = ConfigurationKind(
        service: NetworkService.name, point: TunnelHost.point, entitlement: TunnelHost.kind, words: "packet tunnel")
    static let appProxy = ConfigurationKind(
        service: NetworkService.appProxies, point: ProxyHost.point, entitlement: "app-proxy-provider",
        words: "app proxy")
    static let dnsProxy = ConfigurationKind(
        service: NetworkService.dnsProxies, point: ProxyHost.dnsPoint, entitlement: "dns-proxy", words: "DNS proxy",
        most: 1, runsWhenEnabled: true)
    static let filter = ConfigurationKind(
        service: NetworkService.filters, point: FilterHost.point, entitlement: "content-filter-provider",
        words: "filter", most: 1, runsWhenEnabled: true)
}

/// A host that runs the providers of an app's configurations.
protocol ConfigurationOwner: AnyObject, Sendable {
    /// The state of a configuration's session.
    func state(of configuration: TunnelConfiguration) async -> TunnelState
    /// Starts a session for an app. It does not wait until the provider runs.
    func begin(_ configuration: TunnelConfiguration, _ options: PointValue?) async throws
    /// Stops a session, and waits for its end.
    func stop(_ reason: TunnelHost.StopReason, of key: TunnelConfiguration.Key) async
    /// Sends a message to the provider of a session.
    func send(_ message: Data, of key: TunnelConfiguration.Key, expectsReply: Bool) async throws -> Data?
    /// An app has saved the configurations of a provider, or removed some.
    func saved(_ provider: String, _ configurations: [TunnelConfiguration]) async
}

/// The service of one kind of providers. Safe to use from any thread.
final class ConfigurationService: Sendable {
    private struct State {
        weak var owner: (any ConfigurationOwner)?
        var clients: [ObjectIdentifier: ConfigurationClient] = [:]
    }

    let host: HostApplication
    let kind: ConfigurationKind
    /// The changes of configurations that apps make.
    let changes = ConfigurationChanges()
    private let state = Mutex(State())

    init(_ host: HostApplication, _ kind: ConfigurationKind) { (self.host, self.kind) = (host, kind) }

    static func failed(_ code: Int, _ reason: String) -> NSError {
        NSError(
            domain: NetworkService.vpnErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: reason])
    }

    /// The error of a host that has ended.
    var isGone: ExtensionHostError { ExtensionHostError(.serviceUnavailable, "the host of \(kind.service) is gone") }

    /// Answers apps, as long as the owner exists.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` if another host of this user serves them, `connectionLost`.
    func serve(_ owner: any ConfigurationOwner) async throws {
        state.withLock { $0.owner = owner }
        let isGone = isGone
        try await host.provide(kind.service) { [weak self] connection in
            guard let self else { throw isGone }
            let client = try await ConfigurationClient(connection, self)
            state.withLock { $0.clients[ObjectIdentifier(client)] = client }
            connection.whenEnded { [weak self, weak client] _ in
                guard let self, let client else { return }
                state.withLock { $0.clients[ObjectIdentifier(client)] = nil }
                Task { await self.changes.ended(client, self.isGone) }
            }
            return client.handlers
        }
    }

    /// - Throws: `serviceUnavailable` if the host has ended.
    func owner() throws -> any ConfigurationOwner {
        guard let owner = state.withLock({ $0.owner }) else { throw isGone }
        return owner
    }

    private var clients: [ConfigurationClient] { state.withLock { Array($0.clients.values) } }

    /// Informs the apps of a session's state. An actor that invokes it keeps the order of states.
    func tell(_ state: TunnelState, of configuration: TunnelConfiguration) {
        for client in clients { client.tell(state, of: configuration) }
    }

    /// Informs the apps that the configurations of a provider have changed.
    func tellChanged(_ provider: String) {
        for client in clients { client.tellChanged(provider) }
    }

    // MARK: What is stored

    /// The providers of an app.
    func providers(of app: String) async throws -> [String] {
        try await host.extensions().filter { $0.point == kind.point && $0.containingApp == app }.map(\.identifier)
    }

    /// The configurations of a provider, in the order of their first saving.
    func configurations(of provider: String) async throws -> [TunnelConfiguration] {
        guard let value = try await host.annotations(of: provider)[NetworkService.configurations] else { return [] }
        let encoded = EncodedValue(plist: value.plist, descriptors: [])
        // An app may have set anything.
        let found = (try? PointDecoder.decode([TunnelConfiguration].self, from: encoded)) ?? []
        return Array(
            found.filter { $0.configuration.provider == provider && $0.fault(kind) == nil }.prefix(kind.most))
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
        for found in (try? await host.extensions()) ?? [] where found.point == kind.point {
            all += (try? await configurations(of: found.identifier)) ?? []
        }
        return all
    }

    /// Whether a provider has the entitlement of its kind.
    func hasEntitlement(_ provider: String) async throws -> Bool {
        let folder = try await host.declaration(of: provider).path
        for place in [Entitlements.fileName, "Contents/\(Entitlements.fileName)"] {
            guard let bytes = try? readFile("\(folder)/\(place)", maximumSize: 1 << 20),
                let values = (try? PropertyList(file: bytes, limits: Entitlements.limits, form: .authored))?.dictionary
            else { continue }
            let value = values[NetworkService.entitlement]
            return value?.string == kind.entitlement
                || value?.array?.contains { $0.string == kind.entitlement } == true
        }
        return false
    }
}

extension TunnelConfiguration {
    /// The reason why it cannot be saved; nil if it can. The annotation bounds the size of all.
    func fault(_ kind: ConfigurationKind) -> String? {
        guard !identifier.isEmpty, identifier.utf8.count <= 128 else { return "the identifier is empty or too long" }
        if let name, name.utf8.count > 1_024 { return "the localizedDescription is longer than 1024 bytes" }
        if let value = configuration.providerConfiguration, value.plist.dictionary == nil {
            return "the providerConfiguration is no dictionary"
        }
        guard (filter != nil) == (kind.point == FilterHost.point) else { return "the values are of another provider" }
        if let value = filter?.vendor, value.plist.dictionary == nil {
            return "the vendorConfiguration is no dictionary"
        }
        guard (onDemandRules ?? []).count <= 64 else { return "there are more than 64 on-demand rules" }
        for rule in onDemandRules ?? [] where !(1...4).contains(rule.action) || !(0...3).contains(rule.interface) {
            return "an on-demand rule has no action or interface that is known"
        }
        guard (appRules ?? []).count <= 256 else { return "there are more than 256 app rules" }
        return nil
    }
}
