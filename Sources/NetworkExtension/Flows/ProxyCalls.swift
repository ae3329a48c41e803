// ProxyCalls: the calls of app proxies and DNS proxies, and their flows.

import ExtensionPointKit
import FlowChannels
import Foundation
import PointFrameworkKit
import PointMessages

/// The methods that app proxies and DNS proxies have in common.
protocol FlowProvider: NEProvider {
    func startProxy(options: [String: Any]?, completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    func startProxy(options: [String: Any]?) async throws
    func stopProxy(with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void)
    func stopProxy(with reason: NEProviderStopReason) async
    func handleNewFlow(_ flow: NEAppProxyFlow) -> Bool
    func handleNewUDPFlow(_ flow: NEAppProxyUDPFlow, initialRemoteEndpoint remoteEndpoint: NWEndpoint) -> Bool
}

/// The flows of a proxy's request.
private final class ProxyFlows: Sendable {
    let multiplexer: FlowMultiplexer

    private init(_ session: PointSession) {
        multiplexer = FlowMultiplexer { [weak session] entries, taken in
            guard let session else { return taken(false) }
            session.send(FlowEntries(entries)) { result in
                if case .success = result { taken(true) } else { taken(false) }
            }
        }
    }

    static func of(_ session: PointSession) -> ProxyFlows { session.state(ProxyFlows.self) { ProxyFlows(session) } }
}

/// The calls of app proxies and DNS proxies.
struct ProxyCalls: ProviderCalls {
    private let author: AuthorCode<any FlowProvider>
    private let session: PointSession

    init?(_ provider: NEProvider, _ session: PointSession) {
        guard let provider = provider as? any FlowProvider else { return nil }
        (author, self.session) = (AuthorCode(provider), session)
    }

    func perform(_ call: IncomingCall) async throws -> EncodedValue? {
        switch call.name {
        case StartProxy.name: try await start(try call.decode(StartProxy.self))
        case StopProxy.name: try await stop(try call.decode(StopProxy.self).reason)
        case ProxyNewFlow.name: return try PointEncoder.encode(try take(try call.decode(ProxyNewFlow.self).flow))
        case FlowEntries.name: ProxyFlows.of(session).multiplexer.receive(try call.decode(FlowEntries.self).entries)
        default: return nil
        }
        return try PointEncoder.encode(Nothing())
    }

    private func start(_ message: StartProxy) async throws {
        let provider = author.object
        if let configuration = message.configuration { (provider as? NETunnelProvider)?.adopt(configuration) }
        (provider as? NEDNSProxyProvider)?.adopt(message.names)
        let options = StartOptions(message.options)
        let result: NetworkResult = try await session.eitherForm(
            of: "\(type(of: provider)).startProxy(options:completionHandler:)",
            handler: { [author] handler in
                author.object.startProxy(options: options.values) { handler(NetworkResult($0)) }
            },
            async: { [author] in
                try await author.object.startProxy(options: options.values)
                return NetworkResult(nil)
            })
        try result.get()
    }

    private func stop(_ number: Int) async throws {
        let reason = NEProviderStopReason(rawValue: number) ?? .none
        try await session.eitherForm(
            of: "\(type(of: author.object)).stopProxy(with:completionHandler:)",
            handler: { [author] handler in author.object.stopProxy(with: reason) { handler(()) } },
            async: { [author] in await author.object.stopProxy(with: reason) })
    }

    private func take(_ value: NetworkFlow) throws -> ProxyNewFlow.Reply {
        let flows = ProxyFlows.of(session).multiplexer
        guard let channel = flows.add(value.number, isDatagrams: value.kind == .datagrams) else {
            throw ExtensionHostError(.quotaExceeded, "the proxy has too many open flows")
        }
        let flow = NEAppProxyFlow.make(value, channel)
        let isTaken = session.ifWritten {
            guard let datagrams = flow as? NEAppProxyUDPFlow, let remote = value.remote else {
                return author.object.handleNewFlow(flow)
            }
            return author.object.handleNewUDPFlow(datagrams, initialRemoteEndpoint: NWHostEndpoint(remote))
        }
        // The host has forgotten a refused flow. An author may still read from it.
        if isTaken != true { channel.abort(.refused) }
        return ProxyNewFlow.Reply(isTaken: isTaken == true)
    }

    func end() { ProxyFlows.of(session).multiplexer.close(.aborted) }
}
