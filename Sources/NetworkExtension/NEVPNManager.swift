// NEVPNManager: the configuration of a tunnel, which an app saves and loads.

import ExtensionPointKit
import ExtensionWire
public import Foundation
import PointMessages

/// The configuration of a tunnel.
open class NEVPNManager: NSObject, @unchecked Sendable {
    // Unchecked: one thread uses it, as on Apple's systems.

    /// The session of the configuration.
    open var connection: NEVPNConnection { session }
    private let session: NEVPNConnection
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
        Self.hand(completionHandler) { try await self.loadFromPreferences() }
    }

    /// The form of `loadFromPreferences(completionHandler:)` that waits.
    public func loadFromPreferences() async throws {
        let reply = try await Self.load()
        guard let found = reply.configurations.firstIndex(where: { $0.identifier == identifier }) else {
            if identifier != nil { throw NEVPNError(.configurationUnknown, "the configuration is not there any more") }
            return
        }
        take(reply.configurations[found])
    }

    /// Saves the configuration.
    ///
    /// The error is of `NEVPNErrorDomain`: `configurationReadWriteFailed` without the entitlement of the provider's kind,
    /// or without a host; `configurationInvalid` for values that cannot be.
    open func saveToPreferences(completionHandler: (((any Error)?) -> Void)? = nil) {
        Self.hand(completionHandler ?? { _ in }) { try await self.saveToPreferences() }
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
        if configured.providerConfiguration != nil, message.configuration.providerConfiguration == nil {
            throw NEVPNError(.configurationInvalid, "the providerConfiguration is no property list")
        }
        try await Self.write(CheckConfiguration(message))
        identifier = message.identifier
        session.adopt(message.identifier, self)
        if NetworkClient.shared.state(of: message.identifier) == nil {
            NetworkClient.shared.set(
                TunnelState(status: NEVPNStatus.disconnected.rawValue), of: message.identifier)
        }
    }

    /// Removes the configuration. A tunnel that is up stops.
    open func removeFromPreferences(completionHandler: (((any Error)?) -> Void)? = nil) {
        Self.hand(completionHandler ?? { _ in }) { try await self.removeFromPreferences() }
    }

    /// The form of `removeFromPreferences(completionHandler:)` that waits.
    public func removeFromPreferences() async throws {
        guard let identifier else { throw NEVPNError(.configurationUnknown, "the configuration is not saved") }
        try await Self.write(CheckRemoval(identifier))
        self.identifier = nil
        NetworkClient.shared.set(nil, of: identifier)
        session.adopt(nil, self)
    }

    // MARK: The host

    static func load() async throws -> LoadConfigurations.Reply {
        do {
            let client = NetworkClient.shared
            let mark = client.mark
            let reply = try await client.call(LoadConfigurations())
            for (configuration, state) in zip(reply.configurations, reply.states) {
                client.listed(state, of: configuration.identifier, since: mark)
            }
            return reply
        } catch {
            throw NEVPNError(error, otherwise: .configurationReadWriteFailed)
        }
    }

    /// Lets the host check a change, sets the annotation, and tells the host.
    private static func write<Message: PointMessage>(_ message: Message) async throws
    where Message.Reply == ConfigurationChange {
        do {
            let change = try await NetworkClient.shared.call(message)
            let problem: ExtensionHostError? = await withCheckedContinuation { continuation in
                ExtensionAnnotation.set(
                    change.configurations.isEmpty ? nil : change.configurations, named: NetworkService.configurations,
                    of: change.provider
                ) { continuation.resume(returning: $0) }
            }
            // Also after a failure: the host lets the next change begin.
            var failure: (any Error)? = problem
            do {
                _ = try await NetworkClient.shared.call(ConfigurationsSaved(change.provider))
            } catch {
                failure = failure ?? error
            }
            if let failure { throw failure }
        } catch {
            throw NEVPNError(error, otherwise: .configurationReadWriteFailed)
        }
    }

    static func hand(
        _ handler: @escaping ((any Error)?) -> Void, _ body: @escaping @Sendable () async throws -> Void
    ) {
        let handler = AuthorCode(handler)
        Task {
            var failure: (any Error)?
            do { try await body() } catch { failure = error }
            let found = failure
            DispatchQueue.main.async { handler.object(found) }
        }
    }
}

// Unchecked: as its base class, one thread uses it.
/// The configuration of a provider that is an extension.
open class NETunnelProviderManager: NEVPNManager, @unchecked Sendable {
    /// Makes a configuration that is not saved.
    public init() { super.init(NETunnelProviderSession()) }

    /// Loads all configurations of this app's packet tunnels.
    open class func loadAllFromPreferences(
        completionHandler: @escaping ([NETunnelProviderManager]?, (any Error)?) -> Void
    ) {
        let handler = AuthorCode(completionHandler)
        Task {
            do {
                let managers = try await loadAllFromPreferences()
                DispatchQueue.main.async { handler.object(managers, nil) }
            } catch {
                DispatchQueue.main.async { handler.object(nil, error) }
            }
        }
    }

    /// The form of `loadAllFromPreferences(completionHandler:)` that waits.
    public class func loadAllFromPreferences() async throws -> [NETunnelProviderManager] {
        try await load().configurations.map { configuration in
            let manager = NETunnelProviderManager()
            manager.take(configuration)
            return manager
        }
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
