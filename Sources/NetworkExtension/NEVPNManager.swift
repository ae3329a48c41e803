// NEVPNManager: the configuration of a tunnel or an app proxy, which an app saves and loads.

import ExtensionPointKit
public import Foundation
import PointMessages

/// The configuration of a tunnel.
open class NEVPNManager: NSObject, @unchecked Sendable {
    // Unchecked: one thread uses it, as on Apple's systems.

    /// The session of the configuration.
    open var connection: NEVPNConnection { session }
    private let session: NEVPNConnection
    private var client: NetworkClient { session.client }
    /// The name of the configuration for people.
    open var localizedDescription: String?
    open var protocolConfiguration: NEVPNProtocol?
    /// Whether the tunnel may start.
    open var isEnabled = false
    /// Whether the host follows the rules.
    open var isOnDemandEnabled = false
    open var onDemandRules: [NEOnDemandRule]?
    /// The identifier of the saved configuration; nil before.
    private var identifier: String?
    private var appRules: [AppRule]?

    init(_ session: NEVPNConnection) {
        self.session = session
        super.init()
        session.adopt(nil, self)
    }

    func take(_ message: TunnelConfiguration) {
        identifier = message.identifier
        (localizedDescription, isEnabled) = (message.name, message.isEnabled)
        isOnDemandEnabled = message.isOnDemandEnabled
        onDemandRules = message.onDemandRules?.map { NEOnDemandRule.rule($0) }
        protocolConfiguration = NETunnelProviderProtocol(message.configuration)
        appRules = message.appRules
        session.adopt(message.identifier, self)
    }

    var savedAppRules: [NEAppRule]? { appRules?.map { NEAppRule($0) } }
    func set(_ rules: [NEAppRule]?) { appRules = rules?.map(\.message) }

    /// Loads the saved configuration again.
    open func loadFromPreferences(completionHandler: @escaping ((any Error)?) -> Void) {
        hand(completionHandler) { try await self.loadFromPreferences() }
    }

    /// The form of `loadFromPreferences(completionHandler:)` that waits.
    public func loadFromPreferences() async throws {
        guard let found = try await Self.load(client).first(where: { $0.identifier == identifier }) else {
            if identifier != nil { throw NEVPNError(.configurationUnknown, "the configuration is not there any more") }
            return
        }
        take(found)
    }

    /// Saves the configuration.
    ///
    /// The error is of `NEVPNErrorDomain`: `configurationReadWriteFailed` without the entitlement of the provider's kind,
    /// or without a host; `configurationInvalid` for values that cannot be.
    open func saveToPreferences(completionHandler: (((any Error)?) -> Void)? = nil) {
        hand(completionHandler ?? { _ in }) { try await self.saveToPreferences() }
    }

    /// The form of `saveToPreferences(completionHandler:)` that waits.
    public func saveToPreferences() async throws {
        guard let configured = protocolConfiguration as? NETunnelProviderProtocol else {
            throw NEVPNError(
                .configurationInvalid, "the protocolConfiguration is not an NETunnelProviderProtocol")
        }
        var message = TunnelConfiguration(identifier ?? UUID().uuidString, configured.message)
        (message.name, message.isEnabled) = (localizedDescription, isEnabled)
        message.isOnDemandEnabled = isOnDemandEnabled
        message.onDemandRules = onDemandRules?.map(\.message)
        message.appRules = appRules
        guard configured.isSavable else {
            throw NEVPNError(.configurationInvalid, "the providerConfiguration is no property list")
        }
        try await write(CheckConfiguration(message))
        identifier = message.identifier
        session.adopt(message.identifier, self)
        if client.state(of: message.identifier) == nil {
            client.set(TunnelState(status: NEVPNStatus.disconnected.rawValue), of: message.identifier)
        }
    }

    /// Removes the configuration. A tunnel that is up stops.
    open func removeFromPreferences(completionHandler: (((any Error)?) -> Void)? = nil) {
        hand(completionHandler ?? { _ in }) { try await self.removeFromPreferences() }
    }

    /// The form of `removeFromPreferences(completionHandler:)` that waits.
    public func removeFromPreferences() async throws {
        guard let identifier else { throw NEVPNError(.configurationUnknown, "the configuration is not saved") }
        try await write(CheckRemoval(identifier))
        self.identifier = nil
        client.set(nil, of: identifier)
        session.adopt(nil, self)
    }

    // MARK: The host

    static func load(_ client: NetworkClient) async throws -> [TunnelConfiguration] {
        do {
            return try await client.load()
        } catch {
            throw NEVPNError(error, otherwise: .configurationReadWriteFailed)
        }
    }

    private func write<Message: PointMessage>(_ message: Message) async throws
    where Message.Reply == ConfigurationChange {
        do {
            try await client.write(message)
        } catch {
            throw NEVPNError(error, otherwise: .configurationReadWriteFailed)
        }
    }
}

/// Calls a handler with the managers of an app, on the main queue.
private func hand<Manager: NEVPNManager>(
    managers handler: @escaping ([Manager]?, (any Error)?) -> Void,
    _ body: @escaping @Sendable () async throws -> [Manager]
) {
    let handler = AuthorCode(handler)
    Task {
        do {
            let managers = try await body()
            DispatchQueue.main.async { handler.object(managers, nil) }
        } catch {
            DispatchQueue.main.async { handler.object(nil, error) }
        }
    }
}

// Unchecked: as its base class, one thread uses it.
/// The configuration of a provider that is an extension.
open class NETunnelProviderManager: NEVPNManager, @unchecked Sendable {
    /// Makes a configuration that is not saved.
    public init() { super.init(NETunnelProviderSession(.tunnels)) }

    init(_ client: NetworkClient) { super.init(NETunnelProviderSession(client)) }

    /// The connection with the host of this class's providers.
    class var ownClient: NetworkClient { .tunnels }

    /// Makes an object of this class, to which code may refer by its base class.
    class func make() -> NETunnelProviderManager { NETunnelProviderManager() }

    class func managers<Manager: NETunnelProviderManager>(_ make: () -> Manager) async throws -> [Manager] {
        try await load(ownClient).map { configuration in
            let manager = make()
            manager.take(configuration)
            return manager
        }
    }

    /// Loads all configurations of this app's providers of the kind.
    open class func loadAllFromPreferences(
        completionHandler: @escaping ([NETunnelProviderManager]?, (any Error)?) -> Void
    ) {
        hand(managers: completionHandler) { try await managers { make() } }
    }

    /// The form of `loadAllFromPreferences(completionHandler:)` that waits.
    public class func loadAllFromPreferences() async throws -> [NETunnelProviderManager] {
        try await managers { make() }
    }

    /// The way by which traffic comes to the provider.
    open var routingMethod: NETunnelProviderRoutingMethod {
        savedAppRules == nil ? .destinationIP : .sourceApplication
    }

    /// The programs whose traffic the provider gets.
    open var appRules: [NEAppRule] {
        get { savedAppRules ?? [] }
        set { set(newValue.isEmpty ? nil : newValue) }
    }

    /// Returns the rules of the configuration.
    open func copyAppRules() -> [NEAppRule]? { savedAppRules }
}

// Unchecked: as its base class, one thread uses it.
/// The configuration of an app proxy.
open class NEAppProxyProviderManager: NETunnelProviderManager, @unchecked Sendable {
    /// Makes a configuration that is not saved.
    public override init() { super.init(.appProxies) }

    override class var ownClient: NetworkClient { .appProxies }
    override class func make() -> NETunnelProviderManager { NEAppProxyProviderManager() }

    /// Loads all configurations of this app's app proxies.
    open class func loadAllFromPreferences(
        completionHandler: @escaping ([NEAppProxyProviderManager]?, (any Error)?) -> Void
    ) {
        hand(managers: completionHandler) { try await managers { NEAppProxyProviderManager() } }
    }

    /// The form of `loadAllFromPreferences(completionHandler:)` that waits.
    public class func loadAllFromPreferences() async throws -> [NEAppProxyProviderManager] {
        try await managers { NEAppProxyProviderManager() }
    }

    open override var routingMethod: NETunnelProviderRoutingMethod { .sourceApplication }
}
