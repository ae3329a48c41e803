// NotificationProgress: the state of an open notification, as calls in both directions change it.

import ExtensionHost
import ExtensionPointKit
import Foundation
import Locks
import PointMessages

/// The state of one notification. Safe to use from any thread.
///
/// The extension's calls are taken on the thread that reads the connection. So they are known before the reply that
/// the extension has sent after them, and before the request's end.
final class NotificationProgress: Sendable {
    typealias Ending = NotificationContentSession.Ending

    private struct State {
        var actions: [NotificationAction]
        var shown = NotificationView(height: 0)
        var isPlaying = false
        /// The identifier of the newest notification.
        var newest: String
        var ending: Ending?
        weak var request: ExtensionRequest?
    }

    /// The call that has shown the first notification.
    let first: ShowNotification
    private let state: Mutex<State>

    /// The bytes that the identifier of a button may have (ours).
    private static let longestIdentifier = 1024
    /// The letters of a button's texts (ours); the host cuts others.
    private static let longestText = 256

    init(_ first: ShowNotification) {
        self.first = first
        state = Mutex(State(actions: first.actions, newest: first.identifier))
    }

    var actions: [NotificationAction] { state.withLock { $0.actions } }
    var shown: NotificationView { state.withLock { $0.shown } }
    var newest: String { state.withLock { $0.newest } }
    var ending: Ending? { state.withLock { $0.ending } }
    var isPlaying: Bool { state.withLock { $0.isPlaying } }

    /// Sets whether media play, and returns what was set before.
    @discardableResult func play(_ isPlaying: Bool) -> Bool {
        state.withLock { state in
            defer { state.isPlaying = isPlaying }
            return state.isPlaying
        }
    }

    /// Makes another notification of the thread the newest one.
    func received(_ identifier: String) { state.withLock { $0.newest = identifier } }

    @discardableResult func adopt(_ shown: NotificationView) -> NotificationView {
        let checked = Self.checked(shown)
        state.withLock { $0.shown = checked }
        return checked
    }

    // MARK: The calls of the extension

    var handlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.direct = { [self] call in
            do {
                try take(call)
                call.answer(.success(try PointEncoder.encode(Nothing())))
            } catch {
                call.answer(.failure(error))
            }
        }
        return handlers
    }

    private func take(_ call: IncomingCall) throws {
        switch call.name {
        case ChangeNotificationActions.name:
            let actions = Self.checked(try call.decode(ChangeNotificationActions.self).actions)
            state.withLock { $0.actions = actions }
        case NotificationMediaState.name: play(try call.decode(NotificationMediaState.self).isPlaying)
        case LeaveNotification.name:
            let opensApp = try call.decode(LeaveNotification.self).opensApp
            let isFirst = note(
                opensApp ? .forwarded(action: NotificationContentSession.defaultAction, text: nil) : .dismissed)
            if isFirst, let request = state.withLock({ $0.request }) { Task { await Self.close(request) } }
        default: throw ExtensionHostError(.notImplemented, "this side has no handler of \(call.name)")
        }
    }

    /// Takes the notification away when the extension wishes so, also if it has done so before.
    func follow(_ request: ExtensionRequest) {
        let isLeaving = state.withLock { state in
            state.request = request
            return state.ending != nil
        }
        if isLeaving { Task { await Self.close(request) } }
    }

    // MARK: The end

    /// Notes the end of the notification. The first counts.
    private func note(_ ending: Ending) -> Bool {
        state.withLock { state in
            defer { state.ending = state.ending ?? ending }
            return state.ending == nil
        }
    }

    /// Takes the notification away, and waits for the end of the request.
    func leave(_ request: ExtensionRequest, _ ending: Ending) async {
        if note(ending) { await Self.close(request) }
        _ = await request.outcome
    }

    private static func close(_ request: ExtensionRequest) async {
        do { try await request.call(CloseNotification()) } catch { try? await request.cancel() }
    }

    // MARK: Values of a stranger

    /// Returns the buttons that a host can show.
    static func checked(_ actions: [NotificationAction]) -> [NotificationAction] {
        actions.prefix(NotificationContentHost.mostActions)
            .filter { $0.identifier.utf8.count <= longestIdentifier }
            .map { action in
                var action = action
                action.title = String(action.title.prefix(longestText))
                action.textButton = action.textButton.map { String($0.prefix(longestText)) }
                action.placeholder = action.placeholder.map { String($0.prefix(longestText)) }
                return action
            }
    }

    /// Returns a view with values that a host can show.
    private static func checked(_ shown: NotificationView) -> NotificationView {
        var shown = shown
        shown.height = shown.height.isFinite ? min(max(shown.height, 0), NotificationContentHost.largestHeight) : 0
        if shown.mediaFrame.count != 4 || !shown.mediaFrame.allSatisfy(\.isFinite) { shown.mediaFrame = [0, 0, 0, 0] }
        return shown
    }
}
