// MessagesAppSession: an iMessage app that is open in a conversation.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
public import PointMessages

/// An open iMessage app. Safe to use from any thread.
///
/// Each method returns when the host has taken what the extension did in answer to it.
public final class MessagesAppSession: Sendable {
    /// The end of a session.
    public enum Ending: Sendable, Equatable {
        /// The person has closed the extension, or the extension has completed its request by itself.
        case closed
        /// The extension has asked for the keyboard.
        case dismissed
        /// The process has ended, or a time limit expired.
        case ended(ExtensionHostError)
    }

    /// The request, for its view, actions and outcome. An action on the view counts as a touch of the person's.
    public let request: ExtensionRequest
    /// The conversation.
    public let conversation: MessagesConversation
    private let progress: MessagesAppProgress

    init(_ request: ExtensionRequest, _ conversation: MessagesConversation, _ progress: MessagesAppProgress) {
        (self.request, self.conversation, self.progress) = (request, conversation, progress)
    }

    // MARK: What is shown

    /// The extension's last view.
    public var view: ViewElement? { request.view }
    /// The style and the size.
    public var shown: PayloadView { progress.view }
    /// The style that a view in the transcript has asked for: `MessagesAppHost.open` shows the message so. Nil: none.
    public var requestedStyle: PayloadStyle? { progress.wanted }

    /// Waits until the host has taken all items that have come, and the view has its style.
    public func settle() async { await progress.settle() }

    // MARK: What the person does

    /// Performs a person's action on the view.
    ///
    /// - Throws: as `ExtensionRequest.use`.
    @discardableResult public func use(_ action: ViewAction) async throws -> ViewElement? {
        let view = try await request.use(action)
        await settle()
        return view
    }

    /// Selects a message of the transcript.
    ///
    /// - Parameter number: the number of its entry.
    /// - Throws: `ExtensionHostError` `invalidArgument` if the entry is no message of an app; as
    ///   `ExtensionRequest.call`. A call that expires ends the session, here and in all methods below.
    public func select(_ number: Int) async throws {
        let entry = try Self.entry(number, in: conversation)
        try requireMessages()
        try await ask(SelectPayload(entry.payload))
        await settle()
    }

    /// Lets a message of another participant's come. An app that has gone hears nothing of it.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - index: the participant, by the place in `MessagesConversation.remotes`.
    /// - Returns: the new entry.
    /// - Throws: `ExtensionHostError` `timedOut` if the app does not answer.
    @discardableResult
    public func receive(_ message: MessagesMessage, from index: Int = 0) async throws -> MessagesConversation.Entry {
        let entry = conversation.receive(message, from: index)
        try await tell(ReceivePayload(entry.payload))
        await settle()
        return entry
    }

    /// Sends what is in the input field. An app that has gone hears nothing of it.
    ///
    /// - Returns: the new entries.
    /// - Throws: `ExtensionHostError` `invalidArgument` if the field is empty; `timedOut` if the app does not answer.
    @discardableResult public func send() async throws -> [MessagesConversation.Entry] {
        await settle()
        let entries = conversation.send()
        guard !entries.isEmpty else {
            throw ExtensionHostError(
                .invalidArgument, "the input field is empty", remedy: "Let the extension insert something first")
        }
        for entry in entries where entry.message != nil { try await tell(StartSendingPayload(entry.payload)) }
        await settle()
        return entries
    }

    /// Removes the extension's message from the input field. An app that has gone hears nothing of it.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` if there is none; `timedOut` if the app does not answer.
    public func cancelSending() async throws {
        await settle()
        guard let message = conversation.withdraw() else {
            throw ExtensionHostError(
                .invalidArgument, "the input field has no message of an app",
                remedy: "Let the extension insert a message first")
        }
        try await tell(CancelSendingPayload(message.payload(from: conversation.local, isPending: true)))
        await settle()
    }

    /// Makes the view compact or expanded. It has no effect if it is so already.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` for a view in the transcript; as `ExtensionRequest.call`.
    public func transition(to style: PayloadStyle) async throws {
        await settle()
        guard !progress.isTranscript, style == .compact || style == .expanded else {
            throw ExtensionHostError(
                .invalidArgument, "a view in the transcript keeps its style", remedy: "Open the extension anew")
        }
        try await progress.transit(to: style)
        await settle()
    }

    /// Asks for the size of the view, as it is now.
    @discardableResult public func refresh() async throws -> PayloadView {
        progress.adopt(try await ask(LookAtPayloadApp()))
        await settle()
        return shown
    }

    /// Calls the extension. A call that expires ends the session.
    @discardableResult
    private func ask<Message: PointMessage>(_ message: Message) async throws -> Message.Reply {
        do {
            return try await request.call(message)
        } catch let error as ExtensionHostError where error.code == .timedOut {
            await progress.fail(error, request)
            throw error
        }
    }

    /// Tells the extension of a message, if it is open and hears of messages. Its end meanwhile is no failure.
    private func tell<Message: PointMessage>(_ message: Message) async throws {
        guard progress.hearsOfMessages, progress.ending == nil, request.isOpen else { return }
        do {
            try await ask(message)
        } catch let error as ExtensionHostError
            where [.contextFinished, .noSuchRequest, .interrupted].contains(error.code)
        {}
    }

    private func requireMessages() throws {
        guard progress.hearsOfMessages else {
            throw ExtensionHostError(
                .invalidArgument, "no message is selected in the transcript or over media",
                remedy: "Open the extension as compact or expanded")
        }
    }

    /// Returns an entry that is a message of an app.
    static func entry(_ number: Int, in conversation: MessagesConversation) throws -> MessagesConversation.Entry {
        let entry = conversation.transcript.first { $0.number == number }
        guard let entry, entry.message != nil else {
            throw ExtensionHostError(
                .invalidArgument, "the transcript has no message \(number)",
                remedy: "Name the number of an entry that is a message of an app")
        }
        return entry
    }

    // MARK: The end

    /// Closes the extension, and waits for the end of the request. What is in the input field stays there.
    public func close() async {
        await settle()
        await close(.closed)
        _ = await request.outcome
    }

    /// Takes the view down, and waits for the end of the request. The first reason counts.
    func close(_ ending: Ending) async {
        guard progress.note(ending) else { return }
        try? await request.end(with: ClosePayloadApp())
        _ = await request.outcome
    }

    /// The end of the session. The getter waits for it.
    public var ending: Ending {
        get async {
            let outcome = await request.outcome
            let ending = progress.ending
            if case .ended = ending { return ending ?? .closed }
            switch outcome {
            case .completed: return ending ?? .closed
            case .cancelled(.cancelledByHost, _):
                // The extension did not answer the last call.
                return .ended(await request.explanation ?? ExtensionHostError(.timedOut, "the extension was cancelled"))
            case .cancelled(_, let error):
                return .ended(ExtensionHostError(.interrupted, "the extension cancelled the request: \(error)"))
            case .interrupted(let cause), .timedOut(let cause), .refused(let cause):
                if let reason = await request.explanation { return .ended(reason) }
                return .ended(ExtensionHostError(.interrupted, "the view ended early (\(cause.rawValue))"))
            }
        }
    }
}
