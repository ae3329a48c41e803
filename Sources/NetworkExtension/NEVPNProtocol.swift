// NEVPNProtocol: the configuration of a provider's protocol.

import AppGroups
import ExtensionPointKit
public import Foundation
import PointMessages
import PropertyListCoding

/// The properties that the configurations of all protocols have.
open class NEVPNProtocol: NSObject, NSCopying {
    /// The address of the server, for people and the provider.
    open var serverAddress: String?
    /// The user's name at the server.
    open var username: String?
    /// A reference of the keychain. Here it is data without a meaning.
    open var passwordReference: Data?
    /// A reference of the keychain. Here it is data without a meaning.
    open var identityReference: Data?
    /// The identity as PKCS #12. It is not saved.
    open var identityData: Data?
    /// The password of `identityData`. It is not saved.
    open var identityDataPassword: String?
    /// Whether the host stops the tunnel when the machine sleeps.
    open var disconnectOnSleep = false
    /// The proxies while the tunnel is up.
    open var proxySettings: NEProxySettings?
    /// Whether all traffic goes through the tunnel.
    open var includeAllNetworks = false
    /// Whether the local network is excepted from that.
    open var excludeLocalNetworks = false
    /// Whether the routes of the tunnel come before those of the machine.
    open var enforceRoutes = false
    /// The values of the app for its provider, and the identifier of the provider's extension.
    var values: [String: Any]?
    var provider: String?

    public override init() {}

    convenience init(_ message: TunnelProtocol) {
        self.init()
        take(message)
    }

    open func copy(with zone: NSZone? = nil) -> Any { NEVPNProtocol(message) }

    func take(_ message: TunnelProtocol) {
        (serverAddress, username) = (message.serverAddress, message.username)
        passwordReference = message.passwordReference.map { Data($0) }
        identityReference = message.identityReference.map { Data($0) }
        disconnectOnSleep = message.disconnectsOnSleep
        includeAllNetworks = message.includesAllNetworks ?? false
        excludeLocalNetworks = message.excludesLocalNetworks ?? false
        enforceRoutes = message.enforcesRoutes ?? false
        proxySettings = message.proxies.map { NEProxySettings($0) }
        provider = message.provider
        values = message.providerConfiguration?.plist.dictionary.map { foundationValues($0) }
    }

    var message: TunnelProtocol {
        var message = TunnelProtocol(provider: provider)
        (message.serverAddress, message.username) = (serverAddress, username)
        message.passwordReference = passwordReference.map { [UInt8]($0) }
        message.identityReference = identityReference.map { [UInt8]($0) }
        message.disconnectsOnSleep = disconnectOnSleep
        message.includesAllNetworks = includeAllNetworks ? true : nil
        message.excludesLocalNetworks = excludeLocalNetworks ? true : nil
        message.enforcesRoutes = enforceRoutes ? true : nil
        message.proxies = proxySettings?.message
        message.providerConfiguration = values.flatMap { try? PointValue(propertyList($0)) }
        return message
    }

    /// Whether the app's values for its provider are a property list.
    var isSavable: Bool { values == nil || message.providerConfiguration != nil }
}

/// The configuration of a provider that is an extension.
open class NETunnelProviderProtocol: NEVPNProtocol {
    /// The values of the app for its provider: property lists.
    open var providerConfiguration: [String: Any]? {
        get { values }
        set { values = newValue }
    }

    /// The identifier of the provider's extension; nil: the app's only provider.
    open var providerBundleIdentifier: String? {
        get { provider }
        set { provider = newValue }
    }

    open override func copy(with zone: NSZone? = nil) -> Any { NETunnelProviderProtocol(message) }
}

/// The configuration of a DNS proxy. Its provider gets the values as the option `VendorData` (observed).
open class NEDNSProxyProviderProtocol: NEVPNProtocol {
    /// The values of the app for its provider: property lists.
    open var providerConfiguration: [String: Any]? {
        get { values }
        set { values = newValue }
    }

    /// The identifier of the provider's extension; nil: the app's only provider.
    open var providerBundleIdentifier: String? {
        get { provider }
        set { provider = newValue }
    }

    open override func copy(with zone: NSZone? = nil) -> Any { NEDNSProxyProviderProtocol(message) }
}
