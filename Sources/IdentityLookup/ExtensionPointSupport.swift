// ExtensionPointSupport: the calls of a message filter, as calls of the author's code on the queue of the request.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import PointFrameworkKit
import PointMessages

/// The framework's half of `com.apple.identitylookup.message-filter`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    var contextClass: NSExtensionContext.Type { ILMessageFilterExtensionContext.self }

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        guard type is ILMessageFilterExtension.Type, type is any ILMessageFilterQueryHandling.Type else {
            throw ExtensionHostError(
                .principalUnsuitable,
                "\(type) is not a subclass of ILMessageFilterExtension that adopts ILMessageFilterQueryHandling",
                remedy: "Adopt the protocol, or name another class in NSExtensionPrincipalClass")
        }
        return session.makeObject(of: type)
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        switch call.name {
        case FilterMessage.name:
            return try PointEncoder.encode(try await decide(try call.decode(FilterMessage.self), session))
        case MessageFilterCapabilities.name: return try PointEncoder.encode(try await capabilities(session))
        case EndMessageFilter.name: return try PointEncoder.encode(Nothing())
        default: throw ExtensionHostError(.notImplemented, "IdentityLookup has no call \(call.name)")
        }
    }

    private func decide(_ message: FilterMessage, _ session: PointSession) async throws -> FilterMessage.Reply {
        guard let filter = session.principal as? any ILMessageFilterQueryHandling,
            let context = session.context as? ILMessageFilterExtensionContext
        else { throw ExtensionHostError(.contextFinished, "the request has ended") }
        let author = AuthorCode(filter)
        let request = ILMessageFilterQueryRequest(message.message)
        return try await session.eitherForm(
            of: "\(type(of: filter)).handle(_:context:completion:)",
            handler: { handler in
                author.filter.handle(request, context: context) { handler(Self.reply($0)) }
            },
            async: { Self.reply(await author.filter.handle(request, context: context)) })
    }

    private static func reply(_ response: ILMessageFilterQueryResponse) -> FilterMessage.Reply {
        FilterMessage.Reply(response.action.message, response.subAction.message)
    }

    private func capabilities(_ session: PointSession) async throws -> MessageFilterCapabilities.Reply {
        // The protocol is optional (documented).
        guard let filter = session.principal as? any ILMessageFilterCapabilitiesQueryHandling,
            let context = session.context as? ILMessageFilterExtensionContext
        else { return MessageFilterCapabilities.Reply(transactional: [], promotional: []) }
        let author = AuthorCode(filter)
        return try await session.eitherForm(
            of: "\(type(of: filter)).handle(_:context:completion:)",
            handler: { handler in
                author.filter.handle(ILMessageFilterCapabilitiesQueryRequest(), context: context) {
                    handler(Self.reply($0))
                }
            },
            async: {
                Self.reply(
                    await author.filter.handle(ILMessageFilterCapabilitiesQueryRequest(), context: context))
            })
    }

    private static func reply(
        _ response: ILMessageFilterCapabilitiesQueryResponse
    ) -> MessageFilterCapabilities.Reply {
        MessageFilterCapabilities.Reply(
            transactional: response.transactionalSubActions.map(\.message),
            promotional: response.promotionalSubActions.map(\.message))
    }

    /// The author's object, which runs on the queue of the request.
    private struct AuthorCode<Filter>: @unchecked Sendable {
        let filter: Filter
        init(_ filter: Filter) { self.filter = filter }
    }
}
