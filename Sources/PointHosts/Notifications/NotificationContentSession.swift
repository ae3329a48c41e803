// NotificationContentSession: a notification that a content extension shows.

public import ExtensionHost
import ExtensionProtocol
public import Foundation
public import PointMessages

/// An open notification with the view of an extension. Safe to use from any thread.
public final class NotificationContentSession: Sendable {
    /// The end of a notification.
    public enum Ending: Sendable, Equatable {
        /// The notification has gone, and the app is not told.
        case dismissed
        /// The app gets an action, with the words of its text field.
        case forwarded(action: String, text: String?)
        /// The process has ended, or a time limit expired.
        case ended(ExtensionHostError)
    }

    /// The identifier of a tap on the notification itself, which opens the app.
    public static let defaultAction = "com.apple.UNNotificationDefaultActionIdentifier"

    /// The request, for its outcome and timings.
    public let request: ExtensionRequest
    /// The declarations of the extension about its view.
    public let declaration: NotificationContentHost.Declaration

    private let progress: NotificationProgress

    init(
        _ request: ExtensionRequest, _ declaration: NotificationContentHost.Declaration,
        _ progress: NotificationProgress
    ) {
        (self.request, self.declaration, self.progress) = (request, declaration, progress)
    }

    // MARK: What is shown

    /// The extension's last view.
    public var view: ViewElement? { request.view }
    /// The height of the view, and the button for media, as of the last call.
    public var shown: NotificationView { progress.shown }
    /// The buttons of the notification.
    public var actions: [NotificationAction] { progress.actions }
    /// Whether media play.
    public var isPlaying: Bool { progress.isPlaying }

    /// Asks for the height of the view, and for the button for media, as they are now.
    ///
    /// - Throws: as `ExtensionRequest.call`, like all methods of this class.
    @discardableResult public func refresh() async throws -> NotificationView {
        progress.adopt(try await request.call(LookAtNotification()))
    }

    // MARK: What happens to it

    /// Gives the extension a further notification of the thread.
    ///
    /// - Throws: also `ExtensionHostError` `ruleMismatch` for another category or thread.
    public func receive(
        _ content: NotificationContent, id: String = UUID().uuidString, date: Date = Date()
    ) async throws {
        var message = progress.first
        guard declaration.categories.contains(content.category), content.thread == message.content.thread else {
            throw ExtensionHostError(
                .ruleMismatch, "the notification has another category or thread than the open one",
                remedy: "Show it by itself")
        }
        (message.identifier, message.content, message.date) = (id, content, date.timeIntervalSince1970)
        progress.adopt(try await request.call(message))
        progress.received(id)
    }

    /// Chooses a button of the notification, as a person does.
    ///
    /// A tap on the notification itself opens the app, and the extension is not asked.
    ///
    /// - Parameters:
    ///   - action: the identifier of a button, or `defaultAction`.
    ///   - text: the words in the button's text field.
    /// - Returns: the extension's answer. The notification goes, unless that is `stay`.
    /// - Throws: also `ExtensionHostError` `invalidArgument` if there is no such button, or if it has no text field for
    ///   the words.
    @discardableResult
    public func respond(_ action: String, text: String? = nil) async throws -> RespondToNotification.Answer {
        guard action != Self.defaultAction else {
            await leave(.forwarded(action: action, text: nil))
            return .forward
        }
        guard let button = actions.first(where: { $0.identifier == action }) else {
            let known = actions.prefix(8).map(\.identifier).joined(separator: ", ")
            throw ExtensionHostError(
                .invalidArgument, "the notification has no button \(action)",
                remedy: known.isEmpty ? "It has no buttons" : "Choose one of \(known)")
        }
        guard text == nil || button.textButton != nil else {
            throw ExtensionHostError(
                .invalidArgument, "the button \(action) has no text field", remedy: "Choose it without words")
        }
        let words = button.textButton == nil ? nil : text ?? ""
        let reply: RespondToNotification.Reply
        do {
            reply = try await request.call(
                RespondToNotification(action: action, text: words, notification: progress.newest))
        } catch let error as ExtensionHostError {
            // The extension has taken the notification away before it has answered.
            guard error.code == .contextFinished || error.code == .noSuchRequest, progress.ending != nil else {
                throw error
            }
            return await ending == .dismissed ? .dismiss : .forward
        }
        progress.adopt(reply.view)
        switch reply.answer {
        case .stay: break
        case .dismiss: await leave(.dismissed)
        case .forward, .notWritten, .unrecognized: await leave(.forwarded(action: action, text: words))
        }
        return reply.answer
    }

    /// Presses the system's button for media, which plays or pauses.
    ///
    /// - Throws: also `ExtensionHostError` `notPermitted` if the extension has no such button.
    public func pressMediaButton() async throws {
        guard shown.media == .default || shown.media == .overlay else {
            throw ExtensionHostError(
                .notPermitted, "the extension has no button for media",
                remedy: "Return another kind as mediaPlayPauseButtonType")
        }
        // The extension may say otherwise while it answers.
        let plays = !isPlaying
        progress.play(plays)
        do {
            progress.adopt(try await request.call(PressMediaButton(plays: plays)))
        } catch {
            progress.play(!plays)
            throw error
        }
    }

    /// Performs a person's action on the view.
    ///
    /// - Throws: also `ExtensionHostError` `notPermitted` if the extension does not take a person's actions.
    @discardableResult public func use(_ action: ViewAction) async throws -> ViewElement? {
        try await request.use(action)
    }

    /// Takes the notification away. It has no effect after the end.
    public func dismiss() async { await leave(.dismissed) }

    /// Takes the view down. The first reason counts.
    private func leave(_ ending: Ending) async { await progress.leave(request, ending) }

    /// The end of the notification. The getter waits for it.
    public var ending: Ending {
        get async {
            let outcome = await request.outcome
            let ending = progress.ending
            // The app has its action, whatever becomes of the view.
            if case .forwarded = ending { return ending ?? .dismissed }
            switch outcome {
            // The author's code may have ended the request by itself.
            case .completed, .cancelled(.cancelledByHost, _): return .dismissed
            case .cancelled(_, let error):
                return .ended(ExtensionHostError(.interrupted, "the extension cancelled the request: \(error)"))
            case .interrupted(let cause), .timedOut(let cause), .refused(let cause):
                if let reason = await request.explanation { return .ended(reason) }
                return .ended(ExtensionHostError(.interrupted, "the view ended early (\(cause.rawValue))"))
            }
        }
    }
}
