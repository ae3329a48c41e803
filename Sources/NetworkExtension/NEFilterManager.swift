// NEFilterManager: the configuration of a filter, which an app saves and loads.

public import Foundation
import PointMessages

/// The domain of the errors of `NEFilterManager`.
public let NEFilterErrorDomain = "NEFilterErrorDomain"

/// The code of an error of `NEFilterErrorDomain`. Names and numbers are Apple's (header).
public enum NEFilterManagerError: Int, Sendable {
    /// The values cannot be, or the app has no such provider.
    case configurationInvalid = 1
    /// The configuration is not enabled.
    case configurationDisabled = 2
    /// The configuration must be loaded first.
    case configurationStale = 3
    /// The configuration cannot be removed.
    case configurationCannotBeRemoved = 4
    /// The provider lacks its entitlement, or the host denies the change.
    case configurationPermissionDenied = 5
    /// The host does not answer.
    case configurationInternalError = 6
}

extension NSNotification.Name {
    /// The configuration of a filter has changed. The object is the manager.
    public static let NEFilterConfigurationDidChange = NSNotification.Name(
        "com.apple.networkextension.filterconfigurationdidchange")
}

/// The configuration of a filter, of which an app has one. The host runs it as long as it is enabled.
open class NEFilterManager: NSObject, @unchecked Sendable {
    // Unchecked: one thread uses it, as on Apple's systems.

    /// The grade of a filter, on macOS. The numbers are Apple's (header).
    public enum Grade: Int, Sendable {
        case firewall = 1
        case inspector = 2
    }

    private static let only = NEFilterManager()
    private let saved = SoleConfiguration(.filter, client: .filters)

    /// The name of the configuration for people.
    open var localizedDescription: String?
    /// The values of the filter.
    open var providerConfiguration: NEFilterProviderConfiguration?
    /// The grade among the filters of macOS. It has no effect.
    open var grade = Grade.firewall

    /// Whether the host runs the provider.
    open var isEnabled = false

    private override init() {}

    /// Returns the manager of this app.
    open class func shared() -> NEFilterManager { only }

    /// Loads the configuration. Without a saved one there is no error.
    open func loadFromPreferences(completionHandler: @escaping ((any Error)?) -> Void) {
        hand(completionHandler) { try await self.loadFromPreferences() }
    }

    /// The form of `loadFromPreferences(completionHandler:)` that waits.
    public func loadFromPreferences() async throws { take(try await saved.load()) }

    /// Saves the configuration, which must have been loaded since the start of the app.
    ///
    /// The error is of `NEFilterErrorDomain`: `configurationStale` before the load, `configurationInvalid` for values that
    /// cannot be.
    open func saveToPreferences(completionHandler: @escaping ((any Error)?) -> Void) {
        hand(completionHandler) { try await self.saveToPreferences() }
    }

    /// The form of `saveToPreferences(completionHandler:)` that waits.
    public func saveToPreferences() async throws {
        guard let configured = providerConfiguration else {
            throw saved.errors.error(1, "there is no providerConfiguration")
        }
        guard !configured.filterPackets else {
            throw saved.errors.error(1, "filterPackets is not simulated")
        }
        guard let message = try? configured.message else {
            throw saved.errors.error(1, "the vendorConfiguration is no property list")
        }
        try await saved.save(
            TunnelProtocol(provider: configured.filterDataProviderBundleIdentifier), message,
            name: localizedDescription, isEnabled: isEnabled)
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
        providerConfiguration = message?.filter.map { NEFilterProviderConfiguration($0) }
        providerConfiguration?.filterDataProviderBundleIdentifier = message?.configuration.provider
    }
}
