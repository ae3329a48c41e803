// MessagesConversation: a conversation of the Messages app: participants, transcript and input field.

public import Foundation
internal import Locks

/// A conversation on one device. Safe to use from any thread.
public final class MessagesConversation: Sendable {
    /// The most bytes of a message's URL. Apple documents so many characters.
    public static let longestURL = 5000
    /// The most bytes of a sticker: 500 KB (documented).
    public static let largestSticker = 500 * 1024
    /// The sides of a sticker in pixels (ours: Apple recommends 300 to 618).
    static let stickerSides = 100...618
    /// The most bytes of the media of a message, and of an attachment (ours).
    public static let (largestMedia, largestAttachment) = (16 << 20, 100 << 20)
    /// The most bytes of the text in the input field, and of the texts of a layout, which are cut (ours).
    public static let (longestText, longestCaption) = (20_000, 1000)
    /// The most bytes of an identifier, and of a file's name (ours).
    static let longestName = 255
    /// The most stickers and attachments in the input field (ours).
    public static let mostItems = 16
    /// The most entries of the transcript, and the most bytes of files and texts in it and in the field (ours). The
    /// oldest entries go first.
    public static let (mostEntries, mostBytes) = (500, 128 << 20)

    /// An entry of the transcript.
    public struct Entry: Sendable {
        /// The number of the entry, from 1.
        public let number: Int
        /// The participant who has sent it.
        public let sender: UUID
        /// The content. A later message of the session may leave only a summary.
        public fileprivate(set) var content: MessagesContent

        /// The message of an app; nil for other contents.
        public var message: MessagesMessage? { if case .message(let message) = content { message } else { nil } }
    }

    /// The input field.
    public struct Field: Sendable {
        /// The text.
        public fileprivate(set) var text = ""
        /// The message of an app: one at most.
        public fileprivate(set) var message: MessagesMessage?
        /// The stickers and attachments.
        public fileprivate(set) var items: [MessagesContent] = []

        /// Whether there is nothing to send.
        public var isEmpty: Bool { text.isEmpty && message == nil && items.isEmpty }
        fileprivate var size: Int {
            text.utf8.count + (message?.size ?? 0) + items.reduce(0) { $0 + $1.size }
        }
    }

    private struct State {
        var entries: [Entry] = []
        var field = Field()
        var number = 0
    }

    /// The participant of this device.
    public let local: UUID
    /// The other participants. On another device each participant has another identifier (documented).
    public let remotes: [UUID]
    private let state = Mutex(State())

    /// Makes an empty conversation of known participants, such as one that was there before.
    ///
    /// - Parameters:
    ///   - local: the participant of this device.
    ///   - remotes: the other participants, at least one.
    public init(local: UUID, remotes: [UUID]) {
        precondition(!remotes.isEmpty, "a conversation has another participant")
        (self.local, self.remotes) = (local, remotes)
    }

    /// Makes an empty conversation.
    ///
    /// - Parameter count: the number of other participants, 1 to 32.
    public init(with count: Int = 1) {
        (local, remotes) = (UUID(), (0..<min(max(count, 1), 32)).map { _ in UUID() })
    }

    /// The transcript, with the oldest entry first.
    public var transcript: [Entry] { state.withLock { $0.entries } }
    /// The input field.
    public var field: Field { state.withLock { $0.field } }

    // MARK: The transcript

    /// Adds a message of another participant's.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - index: the participant, by the place in `remotes`. Another place means the first.
    @discardableResult public func receive(_ message: MessagesMessage, from index: Int = 0) -> Entry {
        add(.message(message), from: remotes.indices.contains(index) ? remotes[index] : remotes[0])
    }

    @discardableResult func add(_ content: MessagesContent, from sender: UUID? = nil) -> Entry {
        state.withLock { Self.add(content, from: sender ?? local, to: &$0) }
    }

    private static func add(_ content: MessagesContent, from sender: UUID, to state: inout State) -> Entry {
        if case .message(let message) = content, let session = message.session {
            for index in state.entries.indices.reversed() where state.entries[index].message?.session == session {
                if let summary = state.entries[index].message?.summary {
                    state.entries[index].content = .summary(summary)
                } else {
                    state.entries.remove(at: index)
                }
            }
        }
        state.number += 1
        let entry = Entry(number: state.number, sender: sender, content: content)
        state.entries.append(entry)
        while state.entries.count > mostEntries || state.entries.reduce(0, { $0 + $1.content.size }) > mostBytes,
            state.entries.count > 1
        {
            state.entries.removeFirst()
        }
        return entry
    }

    // MARK: The input field

    /// Puts something into the field.
    func insert(_ content: MessagesContent) throws(MessagesFault) {
        let fault = state.withLock { state -> MessagesFault? in
            var field = state.field
            switch content {
            case .message(let message): field.message = message
            case .text(let text):
                guard text.utf8.count <= Self.longestText - field.text.utf8.count else { return .unknown }
                field.text += text
            default: field.items.append(content)
            }
            guard field.items.count <= Self.mostItems, field.size <= Self.mostBytes else { return .unknown }
            state.field = field
            return nil
        }
        if let fault { throw fault }
    }

    /// Sends what is in the field, as the person does, without an open app.
    ///
    /// - Returns: the new entries. Nothing is returned for an empty field.
    @discardableResult public func send() -> [Entry] {
        state.withLock { state in
            let field = state.field
            state.field = Field()
            var contents = field.items
            if let message = field.message { contents.append(.message(message)) }
            if !field.text.isEmpty { contents.append(.text(field.text)) }
            return contents.map { Self.add($0, from: local, to: &state) }
        }
    }

    /// Removes the message of an app from the field, as the person does, without an open app.
    ///
    /// - Returns: the message; nil: there was none.
    @discardableResult public func withdraw() -> MessagesMessage? {
        state.withLock { state in
            defer { state.field.message = nil }
            return state.field.message
        }
    }

    /// Empties the field.
    public func clear() { state.withLock { $0.field = Field() } }
}
