// NotificationContentSession: a notification that a content extension shows.

public import ExtensionHost
import ExtensionPointKit
import ExtensionProtocol
public import Foundation
import Locks
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

    private let changes: NotificationChanges
    private let first: ShowNotification
    private let state: Mutex<State>

    private struct State {
        var shown: NotificationView
        /// The identifier of the newest notification.
        var newest: String
        var ending: Ending?
    }

    init(
        _ request: ExtensionRequest, _ declaration: NotificationContentHost.Declaration, _ first: ShowNotification,
        _ shown: NotificationView, _ changes: NotificationChanges
    ) {
        (self.request, self.declaration, self.first, self.changes) = (request, declaration, first, changes)
        state = Mutex(State(shown: Self.checked(shown), newest: first.identifier))
        changes.follow { [weak self] opensApp in
            Task { await self?.leave(opensApp ? .forwarded(action: Self.defaultAction, text: nil) : .dismissed) }
        }
    }

    // MARK: What is shown

    /// The extension's last view.
    public var view: ViewElement? { request.view }
    /// The height of the view, and the button for media, as of the last call.
    public var shown: NotificationView { state.withLock { $0.shown } }
    /// The buttons of the notification.
    public var actions: [NotificationAction] { changes.actions }
    /// Whether media play.
    public var isPlaying: Bool { changes.isPlaying }

    /// Asks for the height of the view, and for the button for media, as they are now.
    ///
    /// - Throws: as `ExtensionRequest.call`, like all methods of this class.
    @discardableResult public func refresh() async throws -> NotificationView {
        adopt(try await request.call(LookAtNotification()))
    }

    @discardableResult private func adopt(_ shown: NotificationView) -> NotificationView {
        let checked = Self.checked(shown)
        state.withLock { $0.shown = checked }
        return checked
    }

    /// Returns a view with values that a host can show.
    private static func checked(_ shown: NotificationView) -> NotificationView {
        var shown = shown
        shown.height = shown.height.isFinite ? min(max(shown.height, 0), NotificationContentHost.largestHeight) : 0
        if shown.mediaFrame.count != 4 || !shown.mediaFrame.allSatisfy(\.isFinite) { shown.mediaFrame = [0, 0, 0, 0] }
        return shown
    }

    // MARK: What happens to it

    /// Gives the extension a further notification of the thread.
    ///
    /// - Throws: also `ExtensionHostError` `ruleMismatch` for another category or thread.
    public func receive(
        _ content: NotificationContent, id: String = UUID().uuidString, date: Date = Date()
    ) async throws {
        guard declaration.categories.contains(content.category), content.thread == first.content.thread else {
            throw ExtensionHostError(
                .ruleMismatch, "the notification has another category or thread than the open one",
                remedy: "Show it by itself")
        }
        var message = first
        (message.identifier, message.content, message.date) = (id, content, date.timeIntervalSince1970)
        let shown = adopt(try await request.call(message))
        state.withLock { state in
            state.newest = id
            state.shown = shown
        }
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
            let known = actions.map(\.identifier).joined(separator: ", ")
            throw ExtensionHostError(
                .invalidArgument, "the notification has no button \(action)",
                remedy: known.isEmpty ? "It has no buttons" : "Choose one of \(known)")
        }
        guard text == nil || button.textButton != nil else {
            throw ExtensionHostError(
                .invalidArgument, "the button \(action) has no text field", remedy: "Choose it without words")
        }
        let newest = state.withLock { $0.newest }
        let reply = try await request.call(
            RespondToNotification(
                action: action, text: button.textButton == nil ? nil : text ?? "", notification: newest))
        adopt(reply.view)
        switch reply.answer {
        case .stay: break
        case .dismiss: await leave(.dismissed)
        case .forward, .notWritten, .unrecognized: await leave(.forwarded(action: action, text: text))
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
        let plays = !isPlaying
        adopt(try await request.call(PressMediaButton(plays: plays)))
        changes.isPlaying = plays
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
    private func leave(_ ending: Ending) async {
        let isFirst = state.withLock { state in
            defer { state.ending = state.ending ?? ending }
            return state.ending == nil
        }
        if isFirst {
            do { try await request.call(CloseNotification()) } catch { try? await request.cancel() }
        }
        _ = await request.outcome
    }

    /// The end of the notification. The getter waits for it.
    public var ending: Ending {
        get async {
            let outcome = await request.outcome
            let ending = state.withLock { $0.ending }
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
