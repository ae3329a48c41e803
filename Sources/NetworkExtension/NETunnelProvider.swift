// NETunnelProvider: the members of packet tunnels and app proxies.

import ExtensionPointKit
public import Foundation
import Locks
import PointFrameworkKit
import PointMessages

/// The way by which traffic comes to a provider. The numbers are Apple's (header).
public enum NETunnelProviderRoutingMethod: Int, Sendable {
    case destinationIP = 1
    case sourceApplication = 2
    case networkRule = 3
}

/// The base of packet tunnels and app proxies.
open class NETunnelProvider: NEProvider {
    private struct State: Sendable {
        var configuration: TunnelConfiguration?
        var isReasserting = false
    }

    private let state = Mutex(State())

    /// The configuration with which the host has started the provider.
    func adopt(_ configuration: TunnelConfiguration) { state.withLock { $0.configuration = configuration } }

    /// Handles a message of the containing app. The handler is nil if the app waits for no reply.
    open func handleAppMessage(_ messageData: Data, completionHandler: (@Sendable (Data?) -> Void)? = nil) {
        PointSession.notWritten()
    }

    /// The form of `handleAppMessage(_:completionHandler:)` that waits. Either may be written.
    open func handleAppMessage(_ messageData: Data) async -> Data? { nil }

    /// Puts the settings of the tunnel's network in force; nil clears them.
    ///
    /// The handler is called when they are in force, or with an error of `NETunnelProviderErrorDomain`.
    open func setTunnelNetworkSettings(
        _ tunnelNetworkSettings: NETunnelNetworkSettings?,
        completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        let handler = AuthorCode(completionHandler)
        guard let session = link.session else {
            completionHandler?(NETunnelProviderError(.networkSettingsFailed, "the provider has no request"))
            return
        }
        session.send(SetTunnelSettings(tunnelNetworkSettings?.message)) { result in
            switch result {
            case .success: handler.object?(nil)
            case .failure(let error): handler.object?(NETunnelProviderError(error))
            }
        }
    }

    /// The form of `setTunnelNetworkSettings(_:completionHandler:)` that waits.
    public func setTunnelNetworkSettings(_ tunnelNetworkSettings: NETunnelNetworkSettings?) async throws {
        guard let session = link.session else {
            throw NETunnelProviderError(.networkSettingsFailed, "the provider has no request")
        }
        do {
            _ = try await session.call(SetTunnelSettings(tunnelNetworkSettings?.message))
        } catch {
            throw NETunnelProviderError(error)
        }
    }

    /// The configuration that the app has saved, an `NETunnelProviderProtocol`.
    open var protocolConfiguration: NEVPNProtocol {
        let message = state.withLock { $0.configuration?.configuration }
        return message.map { NETunnelProviderProtocol($0) } ?? NETunnelProviderProtocol()
    }

    /// The programs whose traffic the provider gets; nil: those of the routes.
    open var appRules: [NEAppRule]? {
        state.withLock { $0.configuration?.appRules }?.map { NEAppRule($0) }
    }

    /// The way by which traffic comes to the provider.
    open var routingMethod: NETunnelProviderRoutingMethod {
        appRules == nil ? .destinationIP : .sourceApplication
    }

    /// Whether the provider connects again. The status of the session follows.
    open var reasserting: Bool {
        get { state.withLock { $0.isReasserting } }
        set {
            let hasChanged = state.withLock { state in
                defer { state.isReasserting = newValue }
                return state.isReasserting != newValue
            }
            if hasChanged { link.session?.send(SetReasserting(newValue)) }
        }
    }
}
