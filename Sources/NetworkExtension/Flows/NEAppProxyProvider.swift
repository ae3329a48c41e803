// NEAppProxyProvider: a provider that takes the connections of programs.

import Foundation
import PointFrameworkKit
import PointMessages

/// The principal class of an app proxy. The queue of the request calls its methods.
open class NEAppProxyProvider: NETunnelProvider, FlowProvider {
    /// Starts the proxy. Flows come when the handler has been called with nil.
    ///
    /// - Parameters:
    ///   - options: the options of the program that starts it.
    ///   - completionHandler: called within 60 seconds (ours).
    open func startProxy(options: [String: Any]? = nil, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        PointSession.notWritten()
    }

    /// The form of `startProxy(options:completionHandler:)` that waits. Either must be written.
    open func startProxy(options: [String: Any]? = nil) async throws { PointSession.notWritten() }

    /// Stops the proxy. After the handler, which is called within five seconds (ours), the process ends.
    open func stopProxy(with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void) {
        PointSession.notWritten()
    }

    /// The form of `stopProxy(with:completionHandler:)` that waits. Either may be written.
    open func stopProxy(with reason: NEProviderStopReason) async {}

    /// Ends the proxy from within, for an error or without one.
    open func cancelProxyWithError(_ error: (any Error)?) { link.session?.send(CancelProxy(error?.failure)) }

    /// Takes a flow, which the provider then holds and opens. If the answer is false, the flow ends.
    open func handleNewFlow(_ flow: NEAppProxyFlow) -> Bool {
        PointSession.notWritten()
        return false
    }

    /// Takes a flow of datagrams. Without an override, `handleNewFlow(_:)` decides.
    open func handleNewUDPFlow(_ flow: NEAppProxyUDPFlow, initialRemoteEndpoint remoteEndpoint: NWEndpoint) -> Bool {
        handleNewFlow(flow)
    }

    open override var routingMethod: NETunnelProviderRoutingMethod { .sourceApplication }
}
