// NEDNSProxyManager: the configuration of a DNS proxy, which an app saves and loads.

public import Foundation
import PointMessages

/// The domain of the errors of `NEDNSProxyManager`.
public let NEDNSProxyErrorDomain = "NEDNSProxyErrorDomain"

/// The code of an error of `NEDNSProxyErrorDomain`. Names and numbers are Apple's (header).
public enum NEDNSProxyManagerError: Int, Sendable {
    /// The values cannot be, or the app has no such provider.
    case configurationInvalid = 1
    /// The configuration is not enabled.
    case configurationDisabled = 2
    /// The configuration must be loaded first.
    case configurationStale = 3
    /// The configuration cannot be removed.
    case configurationCannotBeRemoved = 4
}

extension NSNotification.Name {
    /// The configuration of a DNS proxy has changed. The object is the manager.
    public static let NEDNSProxyConfigurationDidChange = NSNotification.Name(
        "com.apple.networkextension.dnsproxyconfigurationdidchange")
}

/// The configuration of a DNS proxy, of which an app has one. The host runs it as long as it is enabled.
open class NEDNSProxyManager: NSObject, @unchecked Sendable {
    // Unchecked: one thread uses it, as on Apple's systems.

    private static let only = NEDNSProxyManager()
    private let saved = SoleConfiguration(.dnsProxy, client: .dnsProxies)

    /// The name of the configuration for people.
    open var localizedDescription: String?
    /// The values of the proxy.
    open var providerProtocol: NEDNSProxyProviderProtocol?
    /// Whether the host runs the provider.
    open var isEnabled = false

    private override init() {}

    /// Returns the manager of this app.
    open class func shared() -> NEDNSProxyManager { only }

    /// Loads the configuration. Without a saved one there is no error.
    open func loadFromPreferences(completionHandler: @escaping ((any Error)?) -> Void) {
        hand(completionHandler) { try await self.loadFromPreferences() }
    }

    /// The form of `loadFromPreferences(completionHandler:)` that waits.
    public func loadFromPreferences() async throws { take(try await saved.load()) }

    /// Saves the configuration, which must have been loaded since the start of the app.
    ///
    /// The error is of `NEDNSProxyErrorDomain`: `configurationStale` before the load, `configurationInvalid` for values that
    /// cannot be.
    open func saveToPreferences(completionHandler: @escaping ((any Error)?) -> Void) {
        hand(completionHandler) { try await self.saveToPreferences() }
    }

    /// The form of `saveToPreferences(completionHandler:)` that waits.
    public func saveToPreferences() async throws {
        guard let configured = providerProtocol else { throw saved.errors.error(1, "there is no providerProtocol") }
        guard configured.isSavable else {
            throw saved.errors.error(1, "the providerConfiguration is no property list")
        }
        try await saved.save(configured.message, name: localizedDescription, isEnabled: isEnabled)
    }

    /// Removes the configuration. Its provider stops.
    ///
    /// The error `configurationCannotBeRemoved` says that there is none.
    open func removeFromPreferences(completionHandler: @escaping ((any Error)?) -> Void) {
        hand(completionHandler) { try await self.removeFromPreferences() }
    }

    /// The form of `removeFromPreferences(completionHandler:)` that waits.
    public func removeFromPreferences() async throws {
        try await saved.remove()
        take(nil)
    }

    private func take(_ message: TunnelConfiguration?) {
        (localizedDescription, isEnabled) = (message?.name, message?.isEnabled ?? false)
        providerProtocol = message.map { NEDNSProxyProviderProtocol($0.configuration) }
    }
}
