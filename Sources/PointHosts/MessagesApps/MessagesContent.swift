// MessagesContent: the things that stand in a conversation: messages of apps, stickers, texts and files.

internal import ExtensionPointKit
internal import ExtensionWire
public import Foundation
internal import ImageCodecs
public import LinuxDescriptors
internal import PointMessages

/// A file in a conversation.
public struct MessagesMedia: Sendable {
    /// The name of the file; empty: the image of a message, which has none.
    public let fileName: String
    /// The contents, in sealed memory.
    public let data: SharedDescriptor
    /// The number of bytes.
    public let size: Int
}

/// The look of a message in the transcript.
public struct MessagesLayout: Sendable {
    /// The texts by the names of `MSMessageTemplateLayout`, such as `caption`.
    public var texts: [String: String]
    /// The image, or the media file.
    public var media: MessagesMedia?
    /// Whether the extension draws the message itself.
    public var isLive: Bool

    /// Makes a layout; each value is described at its property.
    public init(texts: [String: String] = [:], media: MessagesMedia? = nil, isLive: Bool = false) {
        (self.texts, self.media, self.isLive) = (texts, media, isLive)
    }
}

/// A message of an iMessage app.
public struct MessagesMessage: Sendable {
    /// The identifier, which the device has chosen that made the message.
    public var identifier = UUID().uuidString
    /// The session; nil: the message is in none.
    public var session: UUID?
    /// The data of the message.
    public var url: String?
    /// The words that stay when a later message of the session comes.
    public var summary: String?
    /// The description for VoiceOver.
    public var label: String?
    /// Whether the message goes some time after it was read. Nothing here removes it.
    public var shouldExpire = false
    /// The look; nil: none.
    public var layout: MessagesLayout?

    /// Makes a message, such as one of another participant.
    ///
    /// - Parameters:
    ///   - url: the data.
    ///   - session: the session; nil: none.
    ///   - caption: the caption of the template layout; nil: none.
    ///   - summary: the words that stay when a later message of the session comes.
    ///   - isLive: whether the extension draws the message itself.
    public init(
        url: String? = nil, session: UUID? = nil, caption: String? = nil, summary: String? = nil, isLive: Bool = false
    ) {
        (self.url, self.session, self.summary) = (url, session, summary)
        guard caption != nil || isLive else { return }
        layout = MessagesLayout(texts: caption.map { ["caption": $0] } ?? [:], isLive: isLive)
    }
}

/// A thing in the input field or the transcript.
public enum MessagesContent: Sendable {
    /// A message of the app.
    case message(MessagesMessage)
    /// The image of a sticker, and its description.
    case sticker(MessagesMedia, description: String)
    /// Words without a message of the app.
    case text(String)
    /// A file with its name.
    case attachment(MessagesMedia)
    /// The words that stay of a message whose session has a later one.
    case summary(String)

    /// The bytes of its files and texts.
    var size: Int {
        switch self {
        case .message(let message): message.size
        case .sticker(let media, let text): media.size + text.utf8.count
        case .attachment(let media): media.size
        case .text(let text), .summary(let text): text.utf8.count
        }
    }
}

extension MessagesMessage {
    /// The bytes of its media and texts.
    var size: Int {
        [identifier, url, summary, label].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            + (layout?.texts.values.reduce(0) { $0 + $1.utf8.count } ?? 0) + (layout?.media?.size ?? 0)
    }
}

// MARK: - The wire

/// The reason why an item is refused: a number of `MSMessageErrorCode`.
struct MessagesFault: Error, Equatable {
    let code: Int
    static let unknown = MessagesFault(code: -1)
    static let fileUnreadable = MessagesFault(code: 2)
    static let stickerSize = MessagesFault(code: 6)
    static let stickerFormat = MessagesFault(code: 7)
    static let urlTooLong = MessagesFault(code: 8)
    static let noInteraction = MessagesFault(code: 9)
    static let notVisible = MessagesFault(code: 10)
    static let notOverMedia = MessagesFault(code: 11)
}

extension MessagesMedia {
    /// Takes a file of the extension's, which may still change it, as a copy.
    init(_ file: PointFile, named name: String, most: Int, fault: MessagesFault = .fileUnreadable) throws(MessagesFault)
    {
        do {
            data = try QuickLookData.copy(file, most: most)
            size = try FileStatus(of: data.raw).size
        } catch {
            throw fault
        }
        // A name without a folder.
        let last = name.split(separator: "/").last.map(String.init) ?? ""
        fileName = last == "." || last == ".." ? "" : last.cut(toBytes: MessagesConversation.longestName)
    }
}

extension MessagesMedia {
    /// The sides of the PNG, GIF or JPEG image in pixels, by the head of the file; nil: it is none.
    var imageSides: (width: Int, height: Int)? {
        var bytes = [UInt8](repeating: 0, count: min(size, MessagesConversation.largestSticker))
        let count = try? bytes.withUnsafeMutableBytes { try readFile(data.raw, into: $0) }
        return bytes.prefix(count ?? 0).withUnsafeBytes { stickerSides(of: $0) }
    }
}

extension MessagesLayout {
    private typealias Texts = WritableKeyPath<PayloadLayout, String?>
    nonisolated(unsafe) private static let members: [(name: String, path: Texts)] = [
        ("caption", \.caption), ("subcaption", \.subcaption), ("trailingCaption", \.trailingCaption),
        ("trailingSubcaption", \.trailingSubcaption), ("imageTitle", \.imageTitle), ("imageSubtitle", \.imageSubtitle),
    ]
    /// The names of the texts, in their order.
    public static var names: [String] { members.map(\.name) }

    init(_ layout: PayloadLayout) throws(MessagesFault) {
        texts = [:]
        for (name, path) in Self.members {
            texts[name] = layout[keyPath: path]?.cut(toBytes: MessagesConversation.longestCaption)
        }
        isLive = layout.isLive
        guard let file = layout.media else { return }
        media = try MessagesMedia(file, named: layout.mediaName ?? "", most: MessagesConversation.largestMedia)
    }

    var payload: PayloadLayout {
        var layout = PayloadLayout(isLive: isLive)
        for (name, path) in Self.members { layout[keyPath: path] = texts[name] }
        // A descriptor travels that is open for reading only.
        layout.media = media.flatMap { try? PointFile(readingAt: "/proc/self/fd/\($0.data.raw)") }
        layout.mediaName = media.flatMap { $0.fileName.isEmpty ? nil : $0.fileName }
        return layout
    }
}

extension MessagesMessage {
    init(_ message: PayloadMessage) throws(MessagesFault) {
        guard (1...MessagesConversation.longestName).contains(message.identifier.utf8.count) else { throw .unknown }
        guard (message.url ?? "").utf8.count <= MessagesConversation.longestURL else { throw .urlTooLong }
        identifier = message.identifier
        if let text = message.session {
            guard let session = UUID(uuidString: text) else { throw .unknown }
            self.session = session
        }
        url = message.url
        summary = message.summary?.cut(toBytes: MessagesConversation.longestCaption)
        label = message.label?.cut(toBytes: MessagesConversation.longestCaption)
        shouldExpire = message.shouldExpire
        if let layout = message.layout { self.layout = try MessagesLayout(layout) }
    }

    func payload(from sender: UUID, isPending: Bool) -> PayloadMessage {
        var message = PayloadMessage(identifier: identifier, sender: sender.uuidString, isPending: isPending)
        message.session = session?.uuidString
        (message.url, message.summary, message.label) = (url, summary, label)
        message.shouldExpire = shouldExpire
        message.layout = layout?.payload
        return message
    }
}

extension MessagesContent {
    /// Takes an item of the extension's.
    init(_ item: PayloadItem) throws(MessagesFault) {
        switch item.kind {
        case .message:
            guard let message = item.message else { throw .unknown }
            self = .message(try MessagesMessage(message))
        case .text:
            guard let text = item.text, text.utf8.count <= MessagesConversation.longestText else {
                throw .unknown
            }
            self = .text(text)
        case .sticker:
            guard let file = item.file else { throw .unknown }
            let media = try MessagesMedia(
                file, named: item.fileName ?? "", most: MessagesConversation.largestSticker, fault: .stickerSize)
            guard let sides = media.imageSides else { throw .stickerFormat }
            let possible = MessagesConversation.stickerSides
            guard possible.contains(sides.width), possible.contains(sides.height) else { throw .stickerSize }
            self = .sticker(media, description: (item.text ?? "").cut(toBytes: MessagesConversation.longestCaption))
        case .attachment:
            guard let file = item.file else { throw .unknown }
            self = .attachment(
                try MessagesMedia(file, named: item.fileName ?? "", most: MessagesConversation.largestAttachment))
        case .unrecognized: throw .unknown
        }
    }
}
