// MSConversation: the conversation in which the extension is active.

import Dispatch
import ExtensionWire
public import Foundation
import Locks
import PointFrameworkKit
import PointMessages

/// A conversation: its participants, the selected message, and the input field.
///
/// A completion handler is called once, on a background queue: those of a view in the order of the calls (ours).
open class MSConversation: NSObject {
    /// The participant of this device.
    open var localParticipantIdentifier: UUID { local }
    /// The other participants, as this device knows them.
    open var remoteParticipantIdentifiers: [UUID] { remotes }
    /// The message that the person has selected.
    open internal(set) var selectedMessage: MSMessage?

    private let session: PointSession?
    private let local: UUID
    private let remotes: [UUID]

    init(_ session: PointSession, _ open: OpenPayloadApp) {
        self.session = session
        local = UUID(uuidString: open.local) ?? UUID()
        remotes = open.remotes.compactMap { UUID(uuidString: $0) }
    }

    /// Makes a conversation of no host, in which nothing can be inserted.
    public override init() {
        (session, local, remotes) = (nil, UUID(), [])
    }

    // MARK: The input field

    /// Puts a message into the input field, in the place of an earlier one.
    ///
    /// - Parameters:
    ///   - message: the message, as it is now.
    ///   - completionHandler: called with nil, or with an error of `MSMessagesErrorDomain`.
    open func insert(_ message: MSMessage, completionHandler: (@Sendable ((any Error)?) -> Void)? = nil) {
        hand(over: message, isSent: false, completionHandler)
    }

    /// Puts a sticker into the input field.
    ///
    /// - Parameters:
    ///   - sticker: the sticker.
    ///   - completionHandler: called with nil, or with an error of `MSMessagesErrorDomain`.
    open func insert(_ sticker: MSSticker, completionHandler: (@Sendable ((any Error)?) -> Void)? = nil) {
        hand(over: Result { try Self.item(sticker) }, isSent: false, completionHandler)
    }

    /// Puts a text into the input field, behind the words that are there.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - completionHandler: called with nil, or with an error of `MSMessagesErrorDomain`.
    open func insertText(_ text: String, completionHandler: (@Sendable ((any Error)?) -> Void)? = nil) {
        hand(over: .success(Self.item(text)), isSent: false, completionHandler)
    }

    /// Puts a file into the input field.
    ///
    /// - Parameters:
    ///   - URL: the URL of the file.
    ///   - filename: another name for the file; nil: its own.
    ///   - completionHandler: called with nil, or with an error of `MSMessagesErrorDomain`.
    open func insertAttachment(
        _ URL: URL, withAlternateFilename filename: String?,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        hand(over: Result { try Self.item(URL, filename) }, isSent: false, completionHandler)
    }

    // MARK: Sending

    /// Sends a message. The person must have touched the view since it was opened, or since the last sending.
    ///
    /// - Parameters:
    ///   - message: the message, as it is now.
    ///   - completionHandler: called with nil, or with an error of `MSMessagesErrorDomain`.
    open func send(_ message: MSMessage, completionHandler: (@Sendable ((any Error)?) -> Void)? = nil) {
        hand(over: message, isSent: true, completionHandler)
    }

    /// Sends a sticker, under the rule of `send(_:completionHandler:)`.
    ///
    /// - Parameters:
    ///   - sticker: the sticker.
    ///   - completionHandler: called with nil, or with an error of `MSMessagesErrorDomain`.
    open func send(_ sticker: MSSticker, completionHandler: (@Sendable ((any Error)?) -> Void)? = nil) {
        hand(over: Result { try Self.item(sticker) }, isSent: true, completionHandler)
    }

    /// Sends a text, under the rule of `send(_:completionHandler:)`.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - completionHandler: called with nil, or with an error of `MSMessagesErrorDomain`.
    open func sendText(_ text: String, completionHandler: (@Sendable ((any Error)?) -> Void)? = nil) {
        hand(over: .success(Self.item(text)), isSent: true, completionHandler)
    }

    /// Sends a file, under the rule of `send(_:completionHandler:)`.
    ///
    /// - Parameters:
    ///   - URL: the URL of the file.
    ///   - filename: another name for the file; nil: its own.
    ///   - completionHandler: called with nil, or with an error of `MSMessagesErrorDomain`.
    open func sendAttachment(
        _ URL: URL, withAlternateFilename filename: String?,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        hand(over: Result { try Self.item(URL, filename) }, isSent: true, completionHandler)
    }

    // MARK: The other form

    /// Does what `insert(_:completionHandler:)` does.
    nonisolated(nonsending) open func insert(_ message: MSMessage) async throws {
        try await done { insert(message, completionHandler: $0) }
    }
    /// Does what `insert(_:completionHandler:)` does.
    nonisolated(nonsending) open func insert(_ sticker: MSSticker) async throws {
        try await done { insert(sticker, completionHandler: $0) }
    }
    /// Does what `insertText(_:completionHandler:)` does.
    nonisolated(nonsending) open func insertText(_ text: String) async throws {
        try await done { insertText(text, completionHandler: $0) }
    }
    /// Does what `insertAttachment(_:withAlternateFilename:completionHandler:)` does.
    nonisolated(nonsending) open func insertAttachment(
        _ URL: URL, withAlternateFilename filename: String?
    ) async throws {
        try await done { insertAttachment(URL, withAlternateFilename: filename, completionHandler: $0) }
    }
    /// Does what `send(_:completionHandler:)` does.
    nonisolated(nonsending) open func send(_ message: MSMessage) async throws {
        try await done { send(message, completionHandler: $0) }
    }
    /// Does what `send(_:completionHandler:)` does.
    nonisolated(nonsending) open func send(_ sticker: MSSticker) async throws {
        try await done { send(sticker, completionHandler: $0) }
    }
    /// Does what `sendText(_:completionHandler:)` does.
    nonisolated(nonsending) open func sendText(_ text: String) async throws {
        try await done { sendText(text, completionHandler: $0) }
    }
    /// Does what `sendAttachment(_:withAlternateFilename:completionHandler:)` does.
    nonisolated(nonsending) open func sendAttachment(
        _ URL: URL, withAlternateFilename filename: String?
    ) async throws {
        try await done { sendAttachment(URL, withAlternateFilename: filename, completionHandler: $0) }
    }

    nonisolated(nonsending) private func done(_ body: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws
    {
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            body { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    // MARK: The wire

    private static func item(_ text: String) -> PayloadItem {
        var item = PayloadItem(.text)
        item.text = text
        return item
    }

    private static func item(_ sticker: MSSticker) throws -> PayloadItem {
        var item = PayloadItem(.sticker)
        item.file = try MediaFile.open(sticker.imageFileURL)
        (item.text, item.fileName) = (sticker.localizedDescription, sticker.imageFileURL.lastPathComponent)
        return item
    }

    private static func item(_ url: URL, _ name: String?) throws -> PayloadItem {
        var item = PayloadItem(.attachment)
        item.file = try MediaFile.open(url)
        item.fileName = name ?? url.lastPathComponent
        return item
    }

    private func hand(over message: MSMessage, isSent: Bool, _ handler: (@Sendable ((any Error)?) -> Void)?) {
        message.beNew()
        let item = Result {
            var item = PayloadItem(.message)
            item.message = try message.travelling(from: local)
            return item
        }
        guard case .success = item else { return hand(over: item, isSent: isSent, handler) }
        message.senderParticipantIdentifier = local
        hand(over: item, isSent: isSent, of: message, handler)
    }

    private func hand(
        over item: Result<PayloadItem, any Error>, isSent: Bool, of message: MSMessage? = nil,
        _ handler: (@Sendable ((any Error)?) -> Void)?
    ) {
        guard let session else {
            handler?(MSMessageErrorCode.unknown.error("the conversation belongs to no host"))
            return
        }
        let state = MessagesState.of(session)
        let settled = message.map { state.add($0, isSent: isSent) }
        let answer: @Sendable (Result<PayloadItemReply, any Error>) -> Void = { answer in
            let error: NSError?
            switch answer {
            case .success(let reply): error = reply.code.map { MSMessageErrorCode.error(answered: $0) }
            case .failure(let fault as ExtensionHostError):
                // After its end the extension is not visible.
                let isOver = [.contextFinished, .noSuchRequest].contains(fault.code)
                error =
                    isOver && isSent
                    ? MSMessageErrorCode.error(answered: MSMessageErrorCode.sendWhileNotVisible.rawValue)
                    : MSMessageErrorCode.unknown.error("\(fault)")
            case .failure(let fault):
                let known = fault as NSError
                let isOfMessages = [MSMessagesErrorDomain, MSStickersErrorDomain].contains(known.domain)
                error = isOfMessages ? known : MSMessageErrorCode.unknown.error("\(fault)")
            }
            settled?(error == nil)
            if let handler { session.onQueue(state.handlers) { handler(error) } }
        }
        switch item {
        case .failure(let error): answer(.failure(error))
        case .success(let item):
            if isSent {
                session.send(SendPayload(item), completion: answer)
            } else {
                session.send(InsertPayload(item), completion: answer)
            }
        }
    }
}

/// The framework's state of one view. Safe to use from any thread.
final class MessagesState: Sendable {
    /// The author's messages that the host may speak of.
    private struct Messages: @unchecked Sendable {
        var staged: MSMessage?
        var sent: [String: MSMessage] = [:]
    }

    private let messages = Mutex(Messages())
    /// The queue of the completion handlers.
    let handlers = DispatchQueue(label: "org.exthost.messages.handlers")
    /// The style and the size, as the host has set them.
    let view = Mutex(PayloadView(style: .compact, width: 0, height: 0))

    private init() {}

    static func of(_ session: PointSession) -> MessagesState { session.state(MessagesState.self) { MessagesState() } }

    /// Keeps a message that goes to the host, until the host says what becomes of it.
    ///
    /// The host can speak of a sent message before its answer. An inserted one takes the place of the earlier one by
    /// the answer only, because the earlier one stays in the input field after a refusal.
    ///
    /// - Returns: a function that takes the answer: whether the host has taken the message.
    func add(_ message: MSMessage, isSent: Bool) -> @Sendable (_ isTaken: Bool) -> Void {
        let (kept, identifier) = (Messages(staged: message), message.identifier)
        if isSent { messages.withLock { $0.sent[identifier] = kept.staged } }
        return { [self] isTaken in
            messages.withLock { messages in
                switch (isSent, isTaken) {
                case (true, false): messages.sent[identifier] = nil
                case (false, true): messages.staged = kept.staged
                default: break
                }
            }
        }
    }

    /// Returns the author's object for a message of the host's, and keeps it no longer.
    @MainActor func take(_ identifier: String) -> MSMessage? {
        messages.withLock { messages -> Messages in
            if let sent = messages.sent.removeValue(forKey: identifier) { return Messages(staged: sent) }
            guard messages.staged?.identifier == identifier else { return Messages() }
            defer { messages.staged = nil }
            return Messages(staged: messages.staged)
        }.staged
    }
}
