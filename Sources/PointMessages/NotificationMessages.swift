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
    public var category = ""
    public var thread = ""
    /// The payload of a remote notification.
    public var userInfo = PointValue([:])
    public var attachments: [NotificationAttachment] = []

    public init() {}
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
