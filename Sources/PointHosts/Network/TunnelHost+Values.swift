// TunnelHost+Values: the states, reasons and limits of packet tunnels, and what applies their settings.

internal import ExtensionProtocol
public import Foundation
public import PointMessages

extension TunnelHost {
    /// The state of a session. The numbers are those of `NEVPNStatus`.
    public enum Status: Int, Sendable, CaseIterable {
        /// No configuration is saved.
        case invalid
        /// The provider does not run.
        case disconnected
        /// The provider starts.
        case connecting
        /// The tunnel is up.
        case connected
        /// The provider connects anew.
        case reasserting
        /// The provider stops.
        case disconnecting

        /// Whether the provider runs.
        public var isUp: Bool { [.connecting, .connected, .reasserting].contains(self) }
    }

    /// The reason of a stop. The numbers are those of `NEProviderStopReason`.
    public enum StopReason: Int, Sendable, CaseIterable {
        /// No reason.
        case none
        /// A stop by the user.
        case userInitiated
        /// A failure of the provider.
        case providerFailed
        /// The lack of a network.
        case noNetworkAvailable
        /// A change of the network for the worse.
        case unrecoverableNetworkChange
        /// The provider was disabled.
        case providerDisabled
        /// The user has given no credentials.
        case authenticationCanceled
        /// The configuration is not valid.
        case configurationFailed
        /// The session was idle.
        case idleTimeout
        /// The configuration was disabled.
        case configurationDisabled
        /// The configuration was removed.
        case configurationRemoved
        /// Another tunnel has started.
        case superceded
        /// The user has logged out.
        case userLogout
        /// Another user has logged in.
        case userSwitch
        /// The connection has failed.
        case connectionFailed
        /// The machine sleeps.
        case sleep
        /// The app is updated.
        case appUpdate
    }

    /// The times of calls; nil: those of the extension point's property list.
    public struct Limits: Sendable, Hashable {
        /// The time until a start is answered: 60 s.
        public var start: Duration?
        /// The time until a stop is answered: 5 s.
        public var stop: Duration?
        /// The time in which the provider gets ready for the machine's sleep: 5 s.
        public var sleep: Duration?

        /// Makes the limits of the property list.
        public init() {}
    }

    /// A part of the machine on which the settings of tunnels act.
    public protocol Device: Sendable {
        /// Puts settings in force; nil clears them.
        func apply(_ settings: TunnelSettings?) async throws
    }
}

extension TunnelConfiguration {
    /// The name of a configuration among those of all apps. The identifier alone is chosen by the app.
    struct Key: Sendable, Hashable {
        /// The provider's extension, which belongs to one app.
        let provider: String?
        let identifier: String
    }

    var key: Key { Key(provider: configuration.provider, identifier: identifier) }
}

extension NetworkFailure {
    init(_ error: any Error) {
        let found = error as NSError
        let reason = (error as? ExtensionHostError)?.message ?? found.localizedDescription
        self.init(domain: found.domain, code: found.code, reason: reason)
    }

    /// The failure as an error.
    public var error: NSError { NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: reason]) }
}
