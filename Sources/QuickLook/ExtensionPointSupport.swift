// ExtensionPointSupport: the calls of a host that shows previews, as calls of the author's code.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import PointFrameworkKit
import PointMessages
import UIKit
import UniformTypeIdentifiers

/// The framework's half of `com.apple.quicklook.preview`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    /// The view appears after the handler of the preparation.
    let showsViewAtBegin = false

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        // A storyboard has the class of its first controller.
        let made = session.makeObject(of: type)
        guard made is any QLPreviewingController else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(Swift.type(of: made)) does not adopt QLPreviewingController",
                remedy: "Adopt the protocol, or name another class in NSExtensionPrincipalClass")
        }
        return made
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        switch call.name {
        case PreparePreview.name:
            let message = try call.decode(PreparePreview.self)
            let file = try session.lend(message.file, named: message.fileName)
            return try PointEncoder.encode(try await prepare(file, session))
        case PrepareItemPreview.name:
            try await prepare(try call.decode(PrepareItemPreview.self), session)
            return try PointEncoder.encode(PreparedPreview())
        case EndPreview.name:
            await session.hideView()
            return try PointEncoder.encode(Nothing())
        default: throw ExtensionHostError(.notImplemented, "QuickLook has no call \(call.name)")
        }
    }

    /// The author's object, and what it gives, which one thread after the other uses.
    private struct AuthorCode<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private static func author(_ session: PointSession) throws -> AuthorCode<any QLPreviewingController> {
        guard let author = session.principal as? any QLPreviewingController else {
            throw ExtensionHostError(.contextFinished, "the request has ended")
        }
        return AuthorCode(author)
    }

    /// The end of a method of the author's that only succeeds or fails.
    private typealias Done = Result<Nothing, any Error>

    private func prepare(_ file: URL, _ session: PointSession) async throws -> PreparedPreview {
        let author = try Self.author(session)
        guard author.value is UIViewController else { return PreparedPreview(try await provide(file, author, session)) }
        try await show(session) {
            try await session.eitherForm(
                of: "\(type(of: author.value)).preparePreviewOfFile(at:completionHandler:)",
                handler: { handler in
                    await session.onMain {
                        author.value.preparePreviewOfFile(at: file) { handler(Self.done($0)) }
                    }
                },
                async: { await Self.done { try await author.value.preparePreviewOfFile(at: file) } })
        }
        return PreparedPreview()
    }

    private func prepare(_ message: PrepareItemPreview, _ session: PointSession) async throws {
        let author = try Self.author(session)
        let (identifier, query) = (message.identifier, message.query)
        try await show(session) {
            try await session.eitherForm(
                of:
                    "\(type(of: author.value)).preparePreviewOfSearchableItem(identifier:queryString:completionHandler:)",
                handler: { handler in
                    await session.onMain {
                        author.value.preparePreviewOfSearchableItem(identifier: identifier, queryString: query) {
                            handler(Self.done($0))
                        }
                    }
                },
                async: {
                    await Self.done {
                        try await author.value.preparePreviewOfSearchableItem(
                            identifier: identifier, queryString: query)
                    }
                })
        }
    }

    private static func done(_ error: (any Error)?) -> Done { error.map { .failure($0) } ?? .success(Nothing()) }
    private static func done(_ body: () async throws -> Void) async -> Done {
        do {
            try await body()
            return .success(Nothing())
        } catch {
            return .failure(error)
        }
    }

    /// Loads the view, prepares it, and shows it.
    private func show(_ session: PointSession, _ prepare: () async throws -> Done) async throws {
        await session.onMain { (session.principal as? UIViewController)?.loadViewIfNeeded() }
        _ = try await prepare().get()
        await session.showView()
    }

    // MARK: Data

    private func provide(
        _ file: URL, _ author: AuthorCode<any QLPreviewingController>, _ session: PointSession
    ) async throws -> PreviewContent {
        let wish = QLFilePreviewRequest(file)
        typealias Answer = Result<AuthorCode<QLPreviewReply>, any Error>
        let answer: Answer = try await session.eitherForm(
            of: "\(type(of: author.value)).providePreview(for:completionHandler:)",
            handler: { handler in
                author.value.providePreview(for: wish) { reply, error in
                    if let reply { return handler(.success(AuthorCode(reply))) }
                    handler(.failure(error ?? CocoaError(.featureUnsupported)))
                }
            },
            async: {
                do {
                    return .success(AuthorCode(try await author.value.providePreview(for: wish)))
                } catch {
                    return .failure(error)
                }
            })
        let reply = try answer.get()
        return try await session.runOnThread { try Self.content(reply.value, session) }
    }

    /// The most attachments: a message carries 15 files.
    private static let mostAttachments = 14

    private static func content(_ reply: QLPreviewReply, _ session: PointSession) throws -> PreviewContent {
        var content: PreviewContent
        switch reply.content {
        case .data(let type, let size, let make):
            content = PreviewContent(
                type: type.identifier, data: try file(try make(reply), session), width: size.width, height: size.height)
        case .file(let url):
            content = PreviewContent(
                type: UTType(filenameExtension: url.pathExtension)?.identifier ?? "public.data",
                data: try PointFile(readingAt: url.path))
        case .drawing(let size, _, let draw):
            guard let context = CGContext(drawing: size, scale: 1, isFlipped: false) else {
                throw ExtensionHostError(
                    .invalidArgument, "a context of \(size.width) × \(size.height) points cannot be made",
                    remedy: "Use a contextSize of at least one point, and of at most 67 million")
            }
            try draw(context, reply)
            guard let image = context.makeImage(), let png = UIImage(cgImage: image).pngData() else {
                throw ExtensionHostError(
                    .helperMissing, "the drawing cannot be written as a PNG file",
                    remedy: "Install the packages that exthostctl doctor names")
            }
            content = PreviewContent(
                type: "public.png", data: try file(png, session), width: size.width, height: size.height)
        }
        content.title = reply.title
        content.encoding = reply.encoding.map { Int($0.rawValue) }
        guard reply.attachments.count <= Self.mostAttachments else {
            throw ExtensionHostError(
                .invalidArgument, "the preview has more than \(Self.mostAttachments) attachments",
                remedy: "Write small pieces into the data itself")
        }
        content.attachments = try reply.attachments.sorted { $0.key < $1.key }.map { name, attachment in
            PreviewContent.Attachment(
                name: name, type: attachment.contentType.identifier, data: try file(attachment.data, session))
        }
        return content
    }

    /// Writes data into a file of the session's, and opens it for reading.
    private static func file(_ data: Data, _ session: PointSession) throws -> PointFile {
        let place = try session.place(named: "preview")
        try data.write(to: place)
        return try PointFile(readingAt: place.path)
    }
}
