// NEPacketTunnelProvider: a provider that gets the packets of a virtual interface.

import AppGroups
import ExtensionItems
import ExtensionPointKit
import ExtensionWire
public import Foundation
import Locks
import PointFrameworkKit
import PointMessages

/// The principal class of a packet tunnel.
open class NEPacketTunnelProvider: NETunnelProvider {
    /// The packets of the tunnel's interface.
    public let packetFlow = NEPacketTunnelFlow()

    /// Starts the tunnel. The tunnel is up when the handler is called with nil.
    ///
    /// - Parameters:
    ///   - options: the options of the program that starts it; nil if on-demand rules do.
    ///   - completionHandler: called within 60 seconds (ours).
    open func startTunnel(
        options: [String: NSObject]? = nil, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        PointSession.notWritten()
    }

    /// The form of `startTunnel(options:completionHandler:)` that waits. Either must be written.
    open func startTunnel(options: [String: NSObject]? = nil) async throws { PointSession.notWritten() }

    /// Stops the tunnel. After the handler, which is called within five seconds (ours), the process ends.
    open func stopTunnel(with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void) {
        PointSession.notWritten()
    }

    /// The form of `stopTunnel(with:completionHandler:)` that waits. Either may be written.
    open func stopTunnel(with reason: NEProviderStopReason) async {}

    /// Ends the tunnel from within, for an error or without one. Not for use in `stopTunnel`.
    open func cancelTunnelWithError(_ error: (any Error)?) {
        guard let session = link.session else { return }
        if isStopping.withLock({ $0 }) {
            return session.report("cancelTunnelWithError(_:) was called while the host stops the tunnel")
        }
        session.send(CancelTunnel(error?.failure))
    }

    private let isStopping = Mutex(false)

    /// The host stops the tunnel.
    func stops() { isStopping.withLock { $0 = true } }
}

/// The calls of a packet tunnel.
struct PacketTunnelCalls: ProviderCalls {
    private let author: AuthorCode<NEPacketTunnelProvider>
    private let session: PointSession

    init?(_ provider: NEProvider, _ session: PointSession) {
        guard let provider = provider as? NEPacketTunnelProvider else { return nil }
        (author, self.session) = (AuthorCode(provider), session)
    }

    func perform(_ call: IncomingCall) async throws -> EncodedValue? {
        switch call.name {
        case StartTunnel.name: try await start(try call.decode(StartTunnel.self))
        case StopTunnel.name: try await stop(try call.decode(StopTunnel.self).reason)
        case EndTunnel.name: author.object.packetFlow.close()
        default: return nil
        }
        return try PointEncoder.encode(Nothing())
    }

    private func start(_ message: StartTunnel) async throws {
        let provider = author.object
        provider.adopt(message.configuration)
        provider.link.set(message.path)
        if let offer = message.stream { try provider.packetFlow.open(offer, session) }
        let options = StartOptions(message.options)
        let failure: NetworkResult = try await session.eitherForm(
            of: "\(type(of: provider)).startTunnel(options:completionHandler:)",
            handler: { [author] handler in
                author.object.startTunnel(options: options.values) { handler(NetworkResult($0)) }
            },
            async: { [author] in
                try await author.object.startTunnel(options: options.values)
                return NetworkResult(nil)
            })
        try failure.get()
    }

    private func stop(_ number: Int) async throws {
        let provider = author.object
        let reason = NEProviderStopReason(rawValue: number) ?? .none
        provider.stops()
        try await session.eitherForm(
            of: "\(type(of: provider)).stopTunnel(with:completionHandler:)",
            handler: { [author] handler in author.object.stopTunnel(with: reason) { handler(()) } },
            async: { [author] in await author.object.stopTunnel(with: reason) })
    }

    func end() { author.object.packetFlow.close() }
}

/// The outcome of an author's method that gets a handler with an error.
struct NetworkResult: Sendable {
    private let error: (any Error)?

    init(_ error: (any Error)?) { self.error = error }

    func get() throws { if let error { throw error } }
}

/// The options of a start. Only the author's code uses them.
struct StartOptions: @unchecked Sendable {
    let values: [String: NSObject]?

    init(_ message: PointValue?) {
        values = message?.plist.dictionary.map { entries in
            foundationValues(entries).compactMapValues { value in
                (value as? NSObject) ?? (value as? Data).map { NSData(data: $0) }
            }
        }
    }
}
