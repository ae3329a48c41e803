// NetworkMessages: the calls that all providers of NetworkExtension have, and those of packet tunnels.

public import ExtensionPointKit

// MARK: - Values

/// An error as an argument of a call.
public struct NetworkFailure: Codable, Sendable, Hashable {
    public var domain: String
    public var code: Int
    /// The reason in words.
    public var reason: String

    /// Makes a failure; each value is described at its property.
    public init(domain: String, code: Int, reason: String) {
        (self.domain, self.code, self.reason) = (domain, code, reason)
    }
}

/// The default network of the machine, as `NWPath` has it.
public struct NetworkPath: Codable, Sendable, Hashable {
    /// The number of `NWPathStatus`: 0 invalid, 1 satisfied, 2 unsatisfied, 3 satisfiable.
    public var status: Int
    public var isExpensive: Bool
    public var isConstrained: Bool

    /// Makes a path; each value is described at its property.
    public init(status: Int = 1, isExpensive: Bool = false, isConstrained: Bool = false) {
        (self.status, self.isExpensive, self.isConstrained) = (status, isExpensive, isConstrained)
    }
}

/// An address with its network, or a route. The host checks the texts.
public struct NetworkAddress: Codable, Sendable, Hashable {
    public var address: String
    /// The subnet mask of IPv4.
    public var mask: String?
    /// The length of the prefix of IPv6.
    public var prefix: Int?
    public var gateway: String?

    /// Makes an address; each value is described at its property.
    public init(_ address: String, mask: String? = nil, prefix: Int? = nil, gateway: String? = nil) {
        (self.address, self.mask, self.prefix, self.gateway) = (address, mask, prefix, gateway)
    }
}

/// The addresses and routes of one family of addresses.
public struct NetworkAddresses: Codable, Sendable, Hashable {
    public var addresses: [NetworkAddress]
    public var included: [NetworkAddress]
    public var excluded: [NetworkAddress]

    /// Makes addresses; each value is described at its property.
    public init(_ addresses: [NetworkAddress], included: [NetworkAddress] = [], excluded: [NetworkAddress] = []) {
        (self.addresses, self.included, self.excluded) = (addresses, included, excluded)
    }
}

/// The settings of name resolution.
public struct NetworkNames: Codable, Sendable, Hashable {
    public var servers: [String]
    public var searchDomains: [String]?
    public var domainName: String?
    /// The domains whose names these servers resolve; absent: those of the routes.
    public var matchDomains: [String]?
    public var matchDomainsNoSearch: Bool?
    /// The protocol in Apple's number: 1 clear text, 2 TLS, 3 HTTPS; absent: 1.
    public var transport: Int?
    /// The server's name for TLS, or its URL for HTTPS.
    public var serverName: String?

    /// Makes settings without search domains.
    public init(_ servers: [String]) { self.servers = servers }
}

/// A proxy server.
public struct NetworkProxy: Codable, Sendable, Hashable {
    public var address: String
    public var port: Int
    public var needsAuthentication: Bool
    public var username: String?
    public var password: String?

    /// Makes a server without authentication.
    public init(_ address: String, port: Int) {
        (self.address, self.port, needsAuthentication) = (address, port, false)
    }
}

/// The proxies of a network.
public struct NetworkProxies: Codable, Sendable, Hashable {
    public var isAutomatic: Bool
    public var scriptURL: String?
    public var script: String?
    public var isHTTPEnabled: Bool
    public var http: NetworkProxy?
    public var isHTTPSEnabled: Bool
    public var https: NetworkProxy?
    public var excludesSimpleNames: Bool
    public var exceptions: [String]?
    public var matchDomains: [String]?

    /// Makes settings without a proxy.
    public init() { (isAutomatic, isHTTPEnabled, isHTTPSEnabled, excludesSimpleNames) = (false, false, false, false) }
}

/// The settings of a tunnel's network.
public struct TunnelSettings: Codable, Sendable, Hashable {
    public var remoteAddress: String
    public var ipv4: NetworkAddresses?
    public var ipv6: NetworkAddresses?
    public var names: NetworkNames?
    public var proxies: NetworkProxies?
    public var mtu: Int?
    public var overhead: Int?

    /// Makes settings without addresses.
    public init(_ remoteAddress: String) { self.remoteAddress = remoteAddress }
}

/// The configuration of a provider's protocol.
public struct TunnelProtocol: Codable, Sendable, Hashable {
    public var serverAddress: String?
    public var username: String?
    public var passwordReference: [UInt8]?
    public var identityReference: [UInt8]?
    /// The identifier of the provider's extension.
    public var provider: String?
    public var providerConfiguration: PointValue?
    public var disconnectsOnSleep: Bool
    public var includesAllNetworks: Bool?
    public var excludesLocalNetworks: Bool?
    public var enforcesRoutes: Bool?
    public var proxies: NetworkProxies?

    /// Makes the configuration of a provider.
    public init(provider: String?) { (self.provider, disconnectsOnSleep) = (provider, false) }
}

/// A rule by which the host starts and stops a tunnel.
public struct OnDemandRule: Codable, Sendable, Hashable {
    /// The number of `NEOnDemandRuleAction`: 1 connect, 2 disconnect, 3 evaluate, 4 ignore.
    public var action: Int
    public var searchDomains: [String]?
    public var serverAddresses: [String]?
    /// The number of `NEOnDemandRuleInterfaceType`: 0 any, 1 Ethernet, 2 Wi-Fi, 3 cellular.
    public var interface: Int
    public var ssids: [String]?
    public var probe: String?
    public var connections: [ConnectionRule]?

    /// A rule about the connections to some domains.
    public struct ConnectionRule: Codable, Sendable, Hashable {
        /// The number of `NEEvaluateConnectionRuleAction`: 1 connect if needed, 2 never connect.
        public var action: Int
        public var domains: [String]
        public var servers: [String]?
        public var probe: String?

        /// Makes a rule; each value is described at its property.
        public init(action: Int, domains: [String]) { (self.action, self.domains) = (action, domains) }
    }

    /// Makes a rule that holds for each network.
    public init(action: Int) { (self.action, interface) = (action, 0) }
}

/// A program whose connections a provider gets.
public struct AppRule: Codable, Sendable, Hashable {
    public var identifier: String
    /// The signing requirement, or the path of the program, of macOS.
    public var requirement: String?
    public var path: String?
    public var domains: [String]?

    /// Makes a rule for an app.
    public init(_ identifier: String) { self.identifier = identifier }
}

/// A configuration that an app has saved for one of its providers.
public struct TunnelConfiguration: Codable, Sendable, Hashable {
    public var identifier: String
    public var name: String?
    public var isEnabled: Bool
    public var isOnDemandEnabled: Bool
    public var onDemandRules: [OnDemandRule]?
    public var appRules: [AppRule]?
    public var configuration: TunnelProtocol
    /// The values of a filter; absent for other providers.
    public var filter: FilterConfiguration?

    /// Makes an enabled configuration without rules.
    public init(_ identifier: String, _ configuration: TunnelProtocol) {
        (self.identifier, self.configuration, isEnabled, isOnDemandEnabled) = (identifier, configuration, true, false)
    }
}

/// The names by which hosts, apps and providers know network extensions.
public enum NetworkService {
    /// The service by which apps reach the host of their packet tunnels' configurations.
    public static let name = "org.exthost.network"
    /// The same of app proxies.
    public static let appProxies = "org.exthost.network.app-proxies"
    /// The same of DNS proxies.
    public static let dnsProxies = "org.exthost.network.dns-proxies"
    /// The same of filters.
    public static let filters = "org.exthost.network.filters"
    /// The annotation of an extension with its configurations, a list of `TunnelConfiguration`.
    public static let configurations = "network.configurations"
    /// The entitlement that lists the kinds of providers.
    public static let entitlement = "com.apple.developer.networking.networkextension"
    /// The domain of a tunnel provider's errors.
    public static let tunnelErrorDomain = "NETunnelProviderErrorDomain"
    /// The domain of the errors of configurations and sessions.
    public static let vpnErrorDomain = "NEVPNErrorDomain"
}

// MARK: - Of all providers

/// Tells a provider that the machine is about to sleep.
public struct ProviderSleep: PointMessage {
    public static let name = "provider.sleep"
    public init() {}
}

/// Tells a provider that the machine is awake.
public struct ProviderWake: PointMessage {
    public static let name = "provider.wake"
    public init() {}
}

/// Tells a provider of another default network.
public struct ProviderPath: PointMessage {
    public static let name = "provider.path"
    public var path: NetworkPath
    public init(_ path: NetworkPath) { self.path = path }
}

/// Shows a provider's message to the user. From the extension.
public struct DisplayMessage: PointMessage {
    public static let name = "provider.displayMessage"

    public struct Reply: Codable, Sendable {
        /// Whether the user has seen it.
        public var isShown: Bool
        public init(isShown: Bool) { self.isShown = isShown }
    }

    public var message: String
    public init(_ message: String) { self.message = message }
}

// MARK: - Of tunnel providers: packet tunnels and app proxies

/// Gives a provider a message of its app.
public struct ProviderMessage: PointMessage {
    public static let name = "tunnel.handleAppMessage"

    public struct Reply: Codable, Sendable {
        public var data: [UInt8]?
        public init(_ data: [UInt8]?) { self.data = data }
    }

    public var data: [UInt8]
    /// Whether the app waits for a reply.
    public var expectsReply: Bool

    /// Makes the call; each value is described at its property.
    public init(_ data: [UInt8], expectsReply: Bool) { (self.data, self.expectsReply) = (data, expectsReply) }
}

/// Puts settings in force; none clears them. From the extension.
public struct SetTunnelSettings: PointMessage {
    public static let name = "tunnel.setTunnelNetworkSettings"
    public var settings: TunnelSettings?
    public init(_ settings: TunnelSettings?) { self.settings = settings }
}

/// Tells that a provider connects again, or has done so. From the extension.
public struct SetReasserting: PointMessage {
    public static let name = "tunnel.reasserting"
    public var isReasserting: Bool
    public init(_ isReasserting: Bool) { self.isReasserting = isReasserting }
}

// MARK: - Of packet tunnels

/// Starts a tunnel. The reply tells that it is up.
public struct StartTunnel: PointMessage {
    public static let name = "tunnel.startTunnel"

    /// The options of the program that starts it; absent: on-demand rules start it.
    public var options: PointValue?
    public var configuration: TunnelConfiguration
    public var path: NetworkPath?
    /// The stream of the packets, whose entries `TunnelPacket` describes.
    public var stream: PointStreamOffer?

    /// Makes the call; each value is described at its property.
    public init(
        _ configuration: TunnelConfiguration, options: PointValue?, path: NetworkPath?, stream: PointStreamOffer?
    ) {
        (self.configuration, self.options, self.path, self.stream) = (configuration, options, path, stream)
    }
}

/// Stops a tunnel.
public struct StopTunnel: PointMessage {
    public static let name = "tunnel.stopTunnel"
    /// The number of `NEProviderStopReason`.
    public var reason: Int
    public init(reason: Int) { self.reason = reason }
}

/// Tells that a tunnel ends from within. From the extension.
public struct CancelTunnel: PointMessage {
    public static let name = "tunnel.cancelTunnel"
    public var failure: NetworkFailure?
    public init(_ failure: NetworkFailure?) { self.failure = failure }
}

/// Ends the session of a tunnel. After the reply the request is complete.
public struct EndTunnel: PointMessage {
    public static let name = "tunnel.end"
    public init() {}
}

// MARK: - Of the service

/// The state of a configuration's session.
public struct TunnelState: Codable, Sendable, Hashable {
    /// The number of `NEVPNStatus`: 0 invalid, 1 disconnected, 2 connecting, 3 connected, 4 reasserting, 5 disconnecting.
    public var status: Int
    /// The seconds from 1970 to the last connection; absent: there was none.
    public var connected: Double?
    /// The reason of the last end; absent: somebody stopped it.
    public var failure: NetworkFailure?

    /// Makes the state of a session.
    public init(status: Int, connected: Double? = nil, failure: NetworkFailure? = nil) {
        (self.status, self.connected, self.failure) = (status, connected, failure)
    }
}

/// Asks for the configurations of the app's providers, in the order of their saving.
public struct LoadConfigurations: PointMessage {
    public static let name = "vpn.load"

    public struct Reply: Codable, Sendable {
        public var configurations: [TunnelConfiguration]
        /// The states of the sessions, in the same order.
        public var states: [TunnelState]

        /// Makes the answer; each value is described at its property.
        public init(_ configurations: [TunnelConfiguration], states: [TunnelState]) {
            (self.configurations, self.states) = (configurations, states)
        }
    }

    public init() {}
}

/// The list of configurations that an app is to set as the annotation of a provider.
public struct ConfigurationChange: Codable, Sendable {
    /// The identifier of the provider's extension.
    public var provider: String
    public var configurations: [TunnelConfiguration]
    /// The number that the host gives the change; absent: the host is older.
    public var number: Int?

    /// Makes a change; each value is described at its property.
    public init(_ provider: String, _ configurations: [TunnelConfiguration], number: Int? = nil) {
        (self.provider, self.configurations, self.number) = (provider, configurations, number)
    }
}

/// Asks whether a configuration may be saved. Nothing changes before the app has set the annotation.
public struct CheckConfiguration: PointMessage {
    public static let name = "vpn.check"
    public typealias Reply = ConfigurationChange
    public var configuration: TunnelConfiguration
    public init(_ configuration: TunnelConfiguration) { self.configuration = configuration }
}

/// Asks for the configurations of a provider without one.
public struct CheckRemoval: PointMessage {
    public static let name = "vpn.checkRemoval"
    public typealias Reply = ConfigurationChange
    public var identifier: String
    public init(_ identifier: String) { self.identifier = identifier }
}

/// Tells that the app has set the annotation of a provider.
public struct ConfigurationsSaved: PointMessage {
    public static let name = "vpn.saved"
    public var provider: String
    /// The number of the change that is stored; absent: the app's kit is older.
    public var number: Int?

    /// Makes the call; each value is described at its property.
    public init(_ provider: String, number: Int? = nil) { (self.provider, self.number) = (provider, number) }
}

/// Starts a session. The reply comes once the host has begun to; its state tells the rest.
public struct StartSession: PointMessage {
    public static let name = "vpn.start"
    public var identifier: String
    public var options: PointValue?

    /// Makes the call; each value is described at its property.
    public init(_ identifier: String, options: PointValue?) { (self.identifier, self.options) = (identifier, options) }
}

/// Stops a session.
public struct StopSession: PointMessage {
    public static let name = "vpn.stop"
    public var identifier: String
    public init(_ identifier: String) { self.identifier = identifier }
}

/// Sends a message to the provider of a session.
public struct SessionMessage: PointMessage {
    public static let name = "vpn.message"
    public typealias Reply = ProviderMessage.Reply
    public var identifier: String
    public var data: [UInt8]
    public var expectsReply: Bool

    /// Makes the call; each value is described at its property.
    public init(_ identifier: String, _ data: [UInt8], expectsReply: Bool) {
        (self.identifier, self.data, self.expectsReply) = (identifier, data, expectsReply)
    }
}

/// Tells an app of a session's state. From the host.
public struct SessionState: PointMessage {
    public static let name = "vpn.state"
    public var identifier: String
    public var state: TunnelState

    /// Makes the call; each value is described at its property.
    public init(_ identifier: String, _ state: TunnelState) { (self.identifier, self.state) = (identifier, state) }
}

/// Tells an app that configurations of its providers have changed. From the host.
public struct ConfigurationsChanged: PointMessage {
    public static let name = "vpn.configurationsChanged"
    public init() {}
}
