// NSExtensionContext+Notification: the wishes of the view of a notification, which its host fulfils.

public import ExtensionFoundation
import Locks
import PointFrameworkKit
import PointMessages
public import UserNotifications

extension NSExtensionContext {
    /// The buttons of the notification: those of its category, until the extension replaces them.
    public var notificationActions: [UNNotificationAction] {
        get {
            let actions = PointSession.of(self).map { NotificationState.of($0).values.withLock { $0.actions } } ?? []
            return actions.map(\.action)
        }
        set {
            guard let session = PointSession.of(self) else { return }
            let actions = newValue.map(NotificationAction.init)
            NotificationState.of(session).values.withLock { ($0.actions, $0.hasOwnActions) = (actions, true) }
            session.send(ChangeNotificationActions(actions))
        }
    }

    /// Takes the notification away, and opens the app as if the person had tapped the notification.
    public func performNotificationDefaultAction() {
        PointSession.of(self)?.send(LeaveNotification(opensApp: true))
    }

    /// Takes the notification away. The app is not told.
    public func dismissNotificationContentExtension() {
        PointSession.of(self)?.send(LeaveNotification(opensApp: false))
    }

    /// Says that media play, by other means than the system's button.
    public func mediaPlayingStarted() { PointSession.of(self)?.send(NotificationMediaState(isPlaying: true)) }

    /// Says that media do not play any more, by other means than the system's button.
    public func mediaPlayingPaused() { PointSession.of(self)?.send(NotificationMediaState(isPlaying: false)) }
}

/// The framework's state of one view. Safe to use from any thread.
final class NotificationState: Sendable {
    struct Values {
        /// The size of the view in points, before the extension prefers another.
        var width = 0.0
        var height = 0.0
        var actions: [NotificationAction] = []
        var hasOwnActions = false
        var hasAppeared = false
    }

    let values = Mutex(Values())
    /// The notifications that the extension has received, by their identifiers. Only the main queue uses them.
    @MainActor var notifications: [String: UNNotification] = [:]

    private init() {}

    static func of(_ session: PointSession) -> NotificationState {
        session.state(NotificationState.self) { NotificationState() }
    }
}

extension NotificationAction {
    init(_ action: UNNotificationAction) {
        let field = action as? UNTextInputNotificationAction
        self.init(
            identifier: action.identifier, title: action.title, options: action.options.rawValue,
            textButton: field?.textInputButtonTitle, placeholder: field?.textInputPlaceholder)
    }

    var action: UNNotificationAction {
        let options = UNNotificationActionOptions(rawValue: options)
        guard let textButton else {
            return UNNotificationAction(identifier: identifier, title: title, options: options)
        }
        return UNTextInputNotificationAction(
            identifier: identifier, title: title, options: options, textInputButtonTitle: textButton,
            textInputPlaceholder: placeholder ?? "")
    }
}
