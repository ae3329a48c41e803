// NotificationMessages: the calls of a notification service.

public import ExtensionPointKit

/// The content of a notification, and the data that travels with it.
public struct NotificationContent: Codable, Sendable, Equatable {
    public var title = ""
    public var subtitle = ""
    public var body = ""
    public var badge: Int?
    /// `default`, or the name of a file.
    public var sound: String?
    /// Whether the sound is that of a critical alert; absent: no.
    public var soundIsCritical: Bool?
    /// The volume of a critical sound, from 0 to 1; absent: the system's.
    public var soundVolume: Double?
    public var category = ""
    public var thread = ""
    /// The name of the launch image of the app.
    public var launchImage: String?
    /// The words for this notification in the summary of its group.
    public var summaryArgument: String?
    /// The number of things that this notification stands for in the summary of its group.
    public var summaryArgumentCount: Int?
    /// The identifier of the app's window that shows the content.
    public var targetContent: String?
    /// The interruption level; absent: `active`.
    public var interruption: NotificationInterruption?
    /// The relevance for the summary of all notifications, from 0 to 1; absent: 0.
    public var relevance: Double?
    /// The criteria by which a Focus filters the notification.
    public var filterCriteria: String?
    /// The payload of a remote notification.
    public var userInfo = PointValue([:])
    public var attachments: [NotificationAttachment] = []

    public init() {}
}

/// The urgency of a notification, in the words of a payload. Both sides treat an unrecognized level as
/// the active one.
public enum NotificationInterruption: String, OpenEnumeration, Hashable {
    case passive, active
    case timeSensitive = "time-sensitive"
    case critical, unrecognized
}

/// A file beside a notification.
public struct NotificationAttachment: Codable, Sendable, Equatable {
    public var identifier: String
    /// The uniform type identifier.
    public var type: String
    /// The name of the file at its author's side.
    public var fileName: String
    public var file: PointFile

    public init(identifier: String, type: String, fileName: String, file: PointFile) {
        (self.identifier, self.type, self.fileName, self.file) = (identifier, type, fileName, file)
    }

    /// Compares everything but the descriptors.
    public static func == (left: Self, right: Self) -> Bool {
        (left.identifier, left.type, left.fileName) == (right.identifier, right.type, right.fileName)
    }
}

/// Lets the extension change a notification before it is shown.
public struct ReceiveNotification: PointMessage {
    public static let name = "notification.didReceive"

    public struct Reply: Codable, Sendable {
        public var content: NotificationContent
        public init(_ content: NotificationContent) { self.content = content }
    }

    /// The identifier of the notification.
    public var identifier: String
    public var content: NotificationContent

    public init(identifier: String, content: NotificationContent) {
        (self.identifier, self.content) = (identifier, content)
    }
}
