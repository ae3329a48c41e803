// ExtensionPointSupport: the calls of a Spotlight index extension, as calls of the author's code.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import PointFrameworkKit
import PointMessages

/// The framework's half of `com.apple.spotlight.index`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        guard type is CSIndexExtensionRequestHandler.Type else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(type) is not a subclass of CSIndexExtensionRequestHandler",
                remedy: "Inherit from it, or name another class in NSExtensionPrincipalClass")
        }
        return session.makeObject(of: type)
    }

    /// The author's object, which runs on the queue of the request.
    private struct AuthorCode: @unchecked Sendable {
        let handler: CSIndexExtensionRequestHandler
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        guard let handler = session.principal as? CSIndexExtensionRequestHandler else {
            throw ExtensionHostError(.contextFinished, "the request has ended")
        }
        let author = AuthorCode(handler: handler)
        let index = CSSearchableIndex.default()
        switch call.name {
        case ReindexAllItems.name:
            let method = "\(type(of: handler)).searchableIndex(_:reindexAllSearchableItemsWithAcknowledgementHandler:)"
            try await IndexClient.shared.reindexing(call) {
                let _: Nothing = try await session.completion(of: method) { acknowledge in
                    author.handler.searchableIndex(
                        index, reindexAllSearchableItemsWithAcknowledgementHandler: { acknowledge(Nothing()) })
                }
            }
        case ReindexItems.name:
            let identifiers = try call.decode(ReindexItems.self).identifiers
            let method =
                "\(type(of: handler)).searchableIndex(_:reindexSearchableItemsWithIdentifiers:acknowledgementHandler:)"
            try await IndexClient.shared.reindexing(call) {
                let _: Nothing = try await session.completion(of: method) { acknowledge in
                    author.handler.searchableIndex(
                        index, reindexSearchableItemsWithIdentifiers: identifiers,
                        acknowledgementHandler: { acknowledge(Nothing()) })
                }
            }
        case IndexThrottled.name: handler.searchableIndexDidThrottle(index)
        case IndexUnthrottled.name: handler.searchableIndexDidFinishThrottle(index)
        case IndexedData.name:
            return try PointEncoder.encode(
                try IndexContent.data(handler, index, try call.decode(IndexedData.self)))
        case IndexedFile.name:
            return try PointEncoder.encode(
                try IndexContent.file(handler, index, try call.decode(IndexedFile.self)))
        case IndexEnd.name: break
        default: throw ExtensionHostError(.notImplemented, "CoreSpotlight has no call \(call.name)")
        }
        return try PointEncoder.encode(Nothing())
    }
}
