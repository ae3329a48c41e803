// ExtensionPointSupport: the calls of a host that wants thumbnails, as calls of the author's code.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import PointFrameworkKit
import PointMessages
import UIKit

/// The framework's half of `com.apple.quicklook.thumbnail`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        guard type is QLThumbnailProvider.Type else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(type) is not a subclass of QLThumbnailProvider",
                remedy: "Inherit from it, or name another class in NSExtensionPrincipalClass")
        }
        return session.makeObject(of: type)
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        switch call.name {
        case ProvideThumbnail.name: return try PointEncoder.encode(try await thumbnail(call, session))
        case EndThumbnails.name: return try PointEncoder.encode(Nothing())
        default: throw ExtensionHostError(.notImplemented, "QuickLookThumbnailing has no call \(call.name)")
        }
    }

    /// The author's object, and what it gives, which one thread after the other uses.
    private struct AuthorCode<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private func thumbnail(_ call: IncomingCall, _ session: PointSession) async throws -> ProvideThumbnail.Reply {
        guard let provider = session.principal as? QLThumbnailProvider else {
            throw ExtensionHostError(.contextFinished, "the request has ended")
        }
        let message = try call.decode(ProvideThumbnail.self)
        let file = try session.lend(message.file, named: message.fileName, for: call)
        let author = AuthorCode(provider)
        let wish = QLFileThumbnailRequest(
            file, maximum: CGSize(width: message.width, height: message.height),
            minimum: CGSize(width: message.leastWidth, height: message.leastHeight), scale: message.scale)
        typealias Answer = Result<AuthorCode<QLThumbnailReply>?, any Error>
        let answer: Answer = try await session.eitherForm(
            of: "\(type(of: provider)).provideThumbnail(for:_:)",
            handler: { handler in
                try await session.runOnThread {
                    author.value.provideThumbnail(for: wish) { reply, error in
                        if let error, reply == nil { return handler(.failure(error)) }
                        handler(.success(reply.map { AuthorCode($0) }))
                    }
                }
            },
            async: {
                do {
                    return .success(AuthorCode(try await author.value.thumbnail(for: wish)))
                } catch {
                    return .failure(error)
                }
            })
        guard let reply = try answer.get() else { return ProvideThumbnail.Reply(image: nil, isDrawn: false, badge: "") }
        let place = try session.place(named: "thumbnail.png")
        return try await session.runOnThread { try Self.reply(reply.value, wish, place) }
    }

    /// The longest badge in characters (ours).
    private static let longestBadge = 64

    private static func reply(
        _ reply: QLThumbnailReply, _ wish: QLFileThumbnailRequest, _ place: URL
    ) throws -> ProvideThumbnail.Reply {
        let badge = String(reply.extensionBadge.prefix(longestBadge))
        switch reply.content {
        case .file(let url):
            return ProvideThumbnail.Reply(image: try PointFile(readingAt: url.path), isDrawn: false, badge: badge)
        case .drawing(let size, let isFlipped, let draw):
            guard size.width <= wish.maximumSize.width, size.height <= wish.maximumSize.height,
                let context = CGContext(drawing: size, scale: wish.scale, isFlipped: isFlipped)
            else {
                throw ExtensionHostError(
                    .invalidArgument,
                    "a context of \(size.width) × \(size.height) points is not within the largest size, "
                        + "\(wish.maximumSize.width) × \(wish.maximumSize.height)",
                    remedy: "Use a contextSize of at most maximumSize")
            }
            UIGraphicsPushContext(context)
            defer { UIGraphicsPopContext() }
            guard draw(context) else { return ProvideThumbnail.Reply(image: nil, isDrawn: true, badge: "") }
            guard let image = context.makeImage(), let png = UIImage(cgImage: image).pngData() else {
                throw ExtensionHostError(
                    .helperMissing, "the drawing cannot be written as a PNG file",
                    remedy: "Install the packages that exthostctl doctor names")
            }
            try png.write(to: place)
            return ProvideThumbnail.Reply(image: try PointFile(readingAt: place.path), isDrawn: true, badge: badge)
        }
    }
}
