// NotificationViewMessages: the calls of the view of a notification, in both directions.

public import ExtensionPointKit

/// A button of a notification.
public struct NotificationAction: Codable, Sendable, Hashable {
    /// The identifier, which the extension gets with the person's answer.
    public var identifier: String
    public var title: String
    /// The options of `UNNotificationActionOptions`.
    public var options: UInt
    /// The title of the button beside a text field; nil: there is no field.
    public var textButton: String?
    /// The placeholder of the text field.
    public var placeholder: String?

    public init(
        identifier: String, title: String, options: UInt = 0, textButton: String? = nil, placeholder: String? = nil
    ) {
        (self.identifier, self.title, self.options) = (identifier, title, options)
        (self.textButton, self.placeholder) = (textButton, placeholder)
    }
}

/// The kinds of the system's button for media. Both sides treat an unrecognized kind as no button.
public enum NotificationMediaButton: String, OpenEnumeration, Hashable {
    case none
    /// The button is always there.
    case `default`
    /// The button disappears while media play.
    case overlay
    case unrecognized
}

/// The things that the host shows beside the view: the answer of each call about the view.
public struct NotificationView: Codable, Sendable, Equatable {
    /// The height of the view in points.
    public var height: Double
    public var media: NotificationMediaButton
    /// The frame of the button for media: x, y, width and height in points.
    public var mediaFrame: [Double]

    public init(height: Double, media: NotificationMediaButton = .none, mediaFrame: [Double] = [0, 0, 0, 0]) {
        (self.height, self.media, self.mediaFrame) = (height, media, mediaFrame)
    }
}

/// Lets the extension receive a notification: the first before its view appears, others of the thread afterwards.
public struct ShowNotification: PointMessage {
    public static let name = "notification.show"
    public typealias Reply = NotificationView

    /// The identifier of the notification.
    public var identifier: String
    public var content: NotificationContent
    /// The time of the delivery, in seconds since 1970.
    public var date: Double
    /// The buttons of the category.
    public var actions: [NotificationAction]
    /// The width of the view in points.
    public var width: Double
    /// The height of the view before the extension prefers one, in points.
    public var height: Double

    public init(
        identifier: String, content: NotificationContent, date: Double, actions: [NotificationAction], width: Double,
        height: Double
    ) {
        (self.identifier, self.content, self.date) = (identifier, content, date)
        (self.actions, self.width, self.height) = (actions, width, height)
    }
}

/// Asks what the host is to show beside the view now.
public struct LookAtNotification: PointMessage {
    public static let name = "notification.look"
    public typealias Reply = NotificationView

    public init() {}
}

/// Gives the extension the person's choice of a button.
public struct RespondToNotification: PointMessage {
    public static let name = "notification.respond"

    /// The fate of the notification. Hosts treat an unrecognized answer as `forward`.
    public enum Answer: String, OpenEnumeration, Hashable {
        case stay, dismiss, forward
        /// The extension has no method for actions.
        case notWritten
        case unrecognized
    }

    public struct Reply: Codable, Sendable {
        public var answer: Answer
        public var view: NotificationView
        public init(_ answer: Answer, _ view: NotificationView) { (self.answer, self.view) = (answer, view) }
    }

    /// The identifier of the button.
    public var action: String
    /// The words in the button's text field.
    public var text: String?
    /// The notification, by its identifier.
    public var notification: String

    public init(action: String, text: String? = nil, notification: String) {
        (self.action, self.text, self.notification) = (action, text, notification)
    }
}

/// Presses the system's button for media.
public struct PressMediaButton: PointMessage {
    public static let name = "notification.media"
    public typealias Reply = NotificationView

    /// Whether media are to play, not to pause.
    public var plays: Bool

    public init(plays: Bool) { self.plays = plays }
}

/// Takes the view down: the last call.
public struct CloseNotification: PointMessage {
    public static let name = "notification.close"

    public init() {}
}

/// Replaces the buttons of the notification: a call of the extension.
public struct ChangeNotificationActions: PointMessage {
    public static let name = "notification.actions"

    public var actions: [NotificationAction]

    public init(_ actions: [NotificationAction]) { self.actions = actions }
}

/// Says whether media play: a call of the extension.
public struct NotificationMediaState: PointMessage {
    public static let name = "notification.mediaState"

    public var isPlaying: Bool

    public init(isPlaying: Bool) { self.isPlaying = isPlaying }
}

/// Asks the host to take the notification away: a call of the extension.
public struct LeaveNotification: PointMessage {
    public static let name = "notification.leave"

    /// Whether the app opens as if the person had tapped the notification.
    public var opensApp: Bool

    public init(opensApp: Bool) { self.opensApp = opensApp }
}
