// ExtensionPointSupport: the calls of network extensions, by the kind of the provider.

import ExtensionFoundation
import ExtensionItems
import ExtensionPointKit
import ExtensionWire
import Foundation
import PointFrameworkKit
import PointMessages

/// The calls of one kind of provider, on the queue of the request.
protocol ProviderCalls: Sendable {
    /// Makes the calls of a provider; nil if it is of another kind.
    init?(_ provider: NEProvider, _ session: PointSession)

    /// Performs a call that only this kind has.
    ///
    /// - Returns: nil for another call.
    func perform(_ call: IncomingCall) async throws -> EncodedValue?

    /// The request has ended.
    func end()
}

extension ProviderCalls {
    func end() {}
}

/// The framework's half of all points of NetworkExtension.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    /// The kinds of providers.
    private static let kinds: [any ProviderCalls.Type] = [
        PacketTunnelCalls.self, FilterDataCalls.self, FilterControlCalls.self, ProxyCalls.self,
    ]

    init() {}

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        guard type is NEProvider.Type, let provider = session.makeObject(of: type) as? NEProvider else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(type) is not a provider of NetworkExtension",
                remedy: "Inherit from NEPacketTunnelProvider or another provider, or name another class")
        }
        provider.link.session = session
        return provider
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        guard let provider = session.principal as? NEProvider else {
            throw ExtensionHostError(.contextFinished, "the request has ended")
        }
        if let reply = try await SharedCalls(provider, session).perform(call) { return reply }
        for kind in Self.kinds {
            guard let calls = kind.init(provider, session) else { continue }
            if let reply = try await calls.perform(call) { return reply }
        }
        throw ExtensionHostError(
            .principalUnsuitable, "\(type(of: provider)) is a provider that has no \(call.name)",
            remedy: "Inherit from the provider of the extension point, or name another class")
    }

    func end(_ session: PointSession) {
        guard let provider = session.principal as? NEProvider else { return }
        for kind in Self.kinds { kind.init(provider, session)?.end() }
        provider.link.session = nil
    }
}

/// The calls that all providers have.
struct SharedCalls: Sendable {
    private let author: AuthorCode<NEProvider>
    private let session: PointSession

    init(_ provider: NEProvider, _ session: PointSession) {
        (author, self.session) = (AuthorCode(provider), session)
    }

    /// - Returns: nil for another call.
    func perform(_ call: IncomingCall) async throws -> EncodedValue? {
        switch call.name {
        case ProviderSleep.name:
            try await session.eitherForm(
                of: "\(type(of: author.object)).sleep(completionHandler:)",
                handler: { [author] handler in author.object.sleep { handler(()) } },
                async: { [author] in await author.object.sleep() })
        case ProviderMessage.name:
            guard let provider = author.object as? NETunnelProvider else { return nil }
            return try PointEncoder.encode(
                try await message(try call.decode(ProviderMessage.self), AuthorCode(provider)))
        case ProviderWake.name: author.object.wake()
        case ProviderPath.name: author.object.link.set(try call.decode(ProviderPath.self).path)
        default: return nil
        }
        return try PointEncoder.encode(Nothing())
    }

    private func message(
        _ message: ProviderMessage, _ provider: AuthorCode<NETunnelProvider>
    ) async throws -> ProviderMessage.Reply {
        let data = Data(message.data)
        guard message.expectsReply else {
            // The author may have written the other form.
            if session.ifWritten({ provider.object.handleAppMessage(data, completionHandler: nil) }) == nil {
                _ = await provider.object.handleAppMessage(data)
            }
            return ProviderMessage.Reply(nil)
        }
        let reply: Data? = try await session.eitherForm(
            of: "\(type(of: provider.object)).handleAppMessage(_:completionHandler:)",
            handler: { handler in provider.object.handleAppMessage(data, completionHandler: handler) },
            async: { await provider.object.handleAppMessage(data) })
        return ProviderMessage.Reply(reply.map { [UInt8]($0) })
    }
}
