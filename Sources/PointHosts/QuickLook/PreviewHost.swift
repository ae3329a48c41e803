// PreviewHost: a host that shows previews of files by preview extensions.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
public import Foundation
public import LinuxDescriptors
internal import Locks
internal import PointMessages
internal import UniformTypeIdentifiers

/// Shows previews of files and of items of the index, as Quick Look does. Safe to use from any task.
public struct PreviewHost: Sendable {
    /// The extension point.
    public static let point = "com.apple.quicklook.preview"
    /// The attribute that lists the types of the files.
    public static let supportedTypes = "QLSupportedContentTypes"
    /// The attribute that tells whether the extension shows items of the index.
    public static let supportsItems = "QLSupportsSearchableItems"
    /// The attribute that tells whether the extension gives data in place of a view.
    public static let isDataBased = "QLIsDataBasedPreview"
    /// The most bytes of a preview's data with its attachments (ours).
    public static let largestData = 128 << 20
    /// The most attachments (a message carries as many files).
    public static let mostAttachments = 14

    /// The subject of a preview.
    public enum Subject: Sendable, Hashable {
        /// A regular file, which is opened once, and its uniform type identifier; nil: that of the name's extension.
        case file(String, type: String? = nil)
        /// An item of the index, and the search that found it.
        case item(String, query: String? = nil)
    }

    /// A preview that is data.
    public struct Content: Sendable {
        /// A piece of data in sealed memory, with its uniform type identifier.
        public struct Piece: Sendable {
            /// The uniform type identifier.
            public let type: String
            /// The data, in sealed memory.
            public let data: SharedDescriptor
            /// The number of bytes.
            public let size: Int
        }
        /// The preview itself.
        public let main: Piece
        /// The title; empty: the name of the file.
        public let title: String
        /// The encoding of a text; nil: none was set.
        public let encoding: String.Encoding?
        /// The size in points; nil: none was set.
        public let size: CGSize?
        /// The further pieces by name.
        public let attachments: [String: Piece]
    }

    private let host: HostApplication

    /// - Parameter host: the host's connection.
    public init(_ host: HostApplication) { self.host = host }

    /// Begins a preview. It returns when the view is shown, or the data is there.
    ///
    /// - Parameters:
    ///   - subject: the file or item.
    ///   - identifier: the preview extension.
    /// - Throws: `SystemError` if the file cannot be opened; `PreviewFault` for what the extension does not show, and for
    ///   an answer that is none; `ExtensionHostError` `noSuchExtension`, `invalidArgument`, `connectionLost`;
    ///   `CancellationError`.
    public func begin(_ subject: Subject, with identifier: String) async throws -> PreviewSession {
        let declared = try await host.wholeDeclaration(of: identifier)
        guard declared.point == Self.point else {
            throw ExtensionHostError(.noSuchExtension, "\(identifier) shows no previews")
        }
        let attributes = declared.declaration["NSExtensionAttributes"]?.dictionary ?? [:]
        let types = attributes[Self.supportedTypes]?.array?.compactMap(\.string) ?? []
        var file: SubjectFile?
        switch subject {
        case .file(let path, let type):
            let opened = try SubjectFile(path, type: type)
            guard opened.conforms(to: types) else { throw PreviewFault.typeNotSupported(opened.type) }
            file = opened
        case .item:
            guard attributes[Self.supportsItems]?.boolean == true else { throw PreviewFault.noItems }
        }
        let request = try await host.begin(identifier, items: [])
        do {
            let reply: PreparedPreview
            switch subject {
            case .file:
                guard let file else { throw CancellationError() }
                reply = try await request.call(PreparePreview(fileName: file.name, file: file.file))
            case .item(let identifier, let query):
                reply = try await request.call(PrepareItemPreview(identifier, query: query))
            }
            return PreviewSession(request, type: file?.type, try reply.content.map { try Self.content($0) })
        } catch {
            throw PreviewFault.failed(try await CallFailure(error, request), request)
        }
    }

    private static func content(_ reply: PreviewContent) throws -> Content {
        guard reply.attachments.count <= mostAttachments else {
            throw ExtensionHostError(.invalidArgument, "the preview has more than \(mostAttachments) attachments")
        }
        var left = largestData
        func piece(_ type: String, _ file: PointFile) throws -> Content.Piece {
            let copy = try QuickLookData.copy(file, most: left)
            let size = try FileStatus(of: copy.raw).size
            left -= size
            return Content.Piece(type: type, data: copy, size: size)
        }
        let main = try piece(reply.type, reply.data)
        var attachments: [String: Content.Piece] = [:]
        for attachment in reply.attachments {
            attachments[attachment.name] = try piece(attachment.type, attachment.data)
        }
        var size: CGSize?
        if let width = reply.width, let height = reply.height, width.isFinite, height.isFinite {
            size = CGSize(width: width, height: height)
        }
        return Content(
            main: main, title: reply.title,
            encoding: reply.encoding.map { String.Encoding(rawValue: UInt(clamping: $0)) },
            size: size, attachments: attachments)
    }
}

/// The reason why there is no preview.
public enum PreviewFault: Error, Sendable, CustomStringConvertible {
    /// The extension lists neither the file's type nor a type to which it conforms. It was not asked.
    case typeNotSupported(String)
    /// The extension shows no items of the index. It was not asked.
    case noItems
    /// The call failed, in this request.
    case failed(CallFailure, ExtensionRequest)

    public var description: String {
        switch self {
        case .typeNotSupported(let type): "the extension does not list the type \(type)"
        case .noItems: "the extension shows no items of the index (\(PreviewHost.supportsItems))"
        case .failed(let failure, _): "\(failure)"
        }
    }
}

/// An open preview. Safe to use from any thread.
public final class PreviewSession: Sendable {
    /// The request, for its view, actions and outcome.
    public let request: ExtensionRequest
    /// The uniform type identifier of the file; nil for an item of the index.
    public let type: String?
    /// The data; nil: the extension shows a view.
    public let content: PreviewHost.Content?
    private let isOver = Mutex(false)

    init(_ request: ExtensionRequest, type: String?, _ content: PreviewHost.Content?) {
        (self.request, self.type, self.content) = (request, type, content)
    }

    /// The extension's last view; nil before the first one.
    public var view: ViewElement? { request.view }

    /// Ends the preview, and waits for the end of the request.
    ///
    /// A request whose extension does not answer is cancelled.
    public func end() async {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst {
            do { try await request.call(EndPreview()) } catch { try? await request.cancel() }
        }
        _ = await request.outcome
    }
}
