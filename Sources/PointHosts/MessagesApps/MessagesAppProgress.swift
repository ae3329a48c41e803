// MessagesAppProgress: the state of an open iMessage app, as calls in both directions change it.

import Dispatch
import ExtensionHost
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Locks
import PointMessages

/// The state of one view. Safe to use from any thread.
///
/// A queue takes the extension's calls in their order. Calls that follow them go out one after the other, and none
/// before the extension is active.
final class MessagesAppProgress: Sendable {
    typealias Ending = MessagesAppSession.Ending

    private struct State {
        var view: PayloadView
        var ending: Ending?
        weak var request: ExtensionRequest?
        /// The person's actions before the last sending. A sending needs a later one.
        var actions = 0
        /// The style that the extension wants; nil: none.
        var wanted: PayloadStyle?
        /// The wishes for a style since the person's last action, whose number that was.
        var wishes = (count: 0, actions: 0)
        /// Whether the extension has asked for the keyboard.
        var isLeaving = false
        /// The last of the calls that follow calls of the extension, and their number. The first waits for the opening.
        var tail: (task: Task<(any Error)?, Never>, number: Int)
    }

    /// The most wishes for a style between two actions of the person (ours). The host passes over the others.
    static let mostWishes = 64

    let conversation: MessagesConversation
    private let sizes: MessagesAppHost.Sizes
    let isMedia: Bool
    let isTranscript: Bool
    private let state: Mutex<State>
    private let work = DispatchQueue(label: "org.exthost.messages")
    /// The end of this stream is the end of the opening.
    private let gate: AsyncStream<Void>.Continuation

    init(_ conversation: MessagesConversation, _ sizes: MessagesAppHost.Sizes, _ open: OpenPayloadApp) {
        (self.conversation, self.sizes) = (conversation, sizes)
        (isMedia, isTranscript) = (open.isMedia, open.view.style == .transcript)
        let (opening, gate) = AsyncStream<Void>.makeStream()
        self.gate = gate
        let first = Task { () -> (any Error)? in
            for await _ in opening {}
            return nil
        }
        state = Mutex(State(view: open.view, tail: (first, 0)))
    }

    /// Lets the calls go out that follow calls of the extension: it is active, or the opening has failed.
    func release() { gate.finish() }

    var view: PayloadView { state.withLock { $0.view } }
    var ending: Ending? { state.withLock { $0.ending } }
    var wanted: PayloadStyle? { state.withLock { $0.wanted } }
    /// Whether the extension hears of messages.
    var hearsOfMessages: Bool { !isMedia && !isTranscript }

    /// Takes the size that the extension answers with, within the host's own.
    ///
    /// - Parameters:
    ///   - view: the answer. One for another style is older than the view, and is ignored.
    ///   - style: the style that the view gets; nil: the one that it has.
    func adopt(_ view: PayloadView, as style: PayloadStyle? = nil) {
        state.withLock { state in
            func side(_ value: Double, _ most: Double) -> Double { value.isFinite ? min(max(value, 0), most) : most }
            if let style { state.view = sizes.view(style) }
            guard view.style == state.view.style else { return }
            let most = sizes.view(view.style)
            state.view.width = side(view.width, most.width)
            state.view.height = side(view.height, most.height)
        }
    }

    func follow(_ request: ExtensionRequest) { state.withLock { $0.request = request } }

    // MARK: The calls of the extension

    var handlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.direct = { [self] call in
            work.async { [self] in
                do {
                    call.answer(.success(try take(call)))
                } catch {
                    call.answer(.failure(error))
                }
            }
        }
        return handlers
    }

    private func take(_ call: IncomingCall) throws -> EncodedValue {
        switch call.name {
        case InsertPayload.name:
            let item = try call.decode(InsertPayload.self).item
            return try reply { () throws(MessagesFault) in try insert(item) }
        case SendPayload.name:
            let item = try call.decode(SendPayload.self).item
            return try reply { () throws(MessagesFault) in try send(item) }
        case RequestPayloadStyle.name: want(try call.decode(RequestPayloadStyle.self).style)
        case DismissPayloadApp.name: leave()
        default: throw ExtensionHostError(.notImplemented, "this side has no handler of \(call.name)")
        }
        return try PointEncoder.encode(Nothing())
    }

    private func reply(_ body: () throws(MessagesFault) -> Void) throws -> EncodedValue {
        var reply = PayloadItemReply()
        do throws(MessagesFault) { try body() } catch { reply.code = error.code }
        return try PointEncoder.encode(reply)
    }

    private func insert(_ item: PayloadItem) throws(MessagesFault) {
        let content = try MessagesContent(item)
        if isMedia {
            switch content {
            case .sticker: break
            case .attachment(let media) where media.isStickerImage: break
            default: throw .notOverMedia
            }
        }
        try conversation.insert(content)
    }

    /// Sends an item, if the view is visible and the person has used it since it was opened, or since the last sending.
    private func send(_ item: PayloadItem) throws(MessagesFault) {
        guard !isMedia else { throw .notOverMedia }
        let content = try MessagesContent(item)
        let fault = state.withLock { state -> MessagesFault? in
            guard state.ending == nil, let request = state.request else { return .notVisible }
            let actions = request.actionCount
            guard actions > state.actions else { return .noInteraction }
            state.actions = actions
            return nil
        }
        if let fault { throw fault }
        let entry = conversation.add(content)
        guard hearsOfMessages, entry.message != nil else { return }
        then { try await $0.request.call(StartSendingPayload(entry.payload)) }
    }

    private func leave() {
        let isFirst = state.withLock { state in
            guard !isTranscript, !state.isLeaving else { return false }
            state.isLeaving = true
            return true
        }
        if isFirst { then { await $0.close(.dismissed) } }
    }

    private func want(_ style: PayloadStyle) {
        guard style == .compact || style == .expanded else { return }
        let isPossible = state.withLock { state in
            guard state.ending == nil else { return false }
            let actions = state.request?.actionCount ?? 0
            if state.wishes.actions != actions { state.wishes = (0, actions) }
            state.wishes.count += 1
            guard state.wishes.count <= Self.mostWishes else { return false }
            state.wanted = style
            return !isTranscript
        }
        // The system shows another object for a view in the transcript: `MessagesAppHost` opens it.
        guard isPossible else { return }
        then { [self] session in
            let style = state.withLock { state in
                defer { state.wanted = nil }
                return state.wanted
            }
            if let style { try await transit(to: style, session.request) }
        }
    }

    /// Gives the view another style, after the calls that follow earlier ones.
    ///
    /// - Throws: as `ExtensionRequest.call`.
    func transit(to style: PayloadStyle) async throws {
        let task = then { [self] in try await transit(to: style, $0.request) }
        if let error = await task.value { throw error }
    }

    private func transit(to style: PayloadStyle, _ request: ExtensionRequest) async throws {
        guard style != view.style else { return }
        adopt(try await request.call(TransitPayloadApp(sizes.view(style))), as: style)
    }

    // MARK: The calls that follow

    /// Does something after the earlier calls that follow. A failure of it ends the session.
    ///
    /// - Returns: a task with the failure; nil: none.
    @discardableResult
    private func then(
        _ body: @escaping @Sendable (MessagesAppSession) async throws -> Void
    ) -> Task<(any Error)?, Never> {
        state.withLock { state in
            let (before, number) = (state.tail.task, state.tail.number + 1)
            let task = Task { [self] () -> (any Error)? in
                _ = await before.value
                guard ending == nil, let request = self.state.withLock({ $0.request }) else {
                    return ExtensionHostError(.contextFinished, "the session has ended")
                }
                do {
                    try await body(MessagesAppSession(request, conversation, self))
                    return nil
                } catch let error as ExtensionHostError {
                    await fail(error, request)
                    return error
                } catch {
                    await fail(ExtensionHostError(.protocolViolation, "the extension answered with \(error)"), request)
                    return error
                }
            }
            state.tail = (task, number)
            return task
        }
    }

    /// Ends the session of an extension that does not answer.
    func fail(_ error: ExtensionHostError, _ request: ExtensionRequest) async {
        // The request's end says it better.
        guard ![.contextFinished, .noSuchRequest, .interrupted].contains(error.code) else { return }
        if note(.ended(error)) { try? await request.cancel() }
    }

    /// The time in which calls may follow one another while a person's act waits (ours).
    private static let patience = Duration.seconds(10)

    /// Waits until the extension's calls that have come are taken, and what follows them is done.
    ///
    /// An extension that calls again each time makes it wait as long as one call may take, and for the last call.
    func settle() async {
        var done = 0
        let end = ContinuousClock.now + Self.patience
        while ContinuousClock.now < end {
            await withCheckedContinuation { continuation in work.async { continuation.resume() } }
            let tail = state.withLock { $0.tail }
            guard tail.number > done else { return }
            _ = await tail.task.value
            done = tail.number
        }
    }

    // MARK: The end

    /// Notes the end of the session. The first counts.
    func note(_ ending: Ending) -> Bool {
        state.withLock { state in
            defer { state.ending = state.ending ?? ending }
            return state.ending == nil
        }
    }
}

extension MessagesMedia {
    /// Whether the file is an image that a sticker can be.
    var isStickerImage: Bool { imageSides != nil }
}
