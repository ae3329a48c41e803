// UNNotificationContent: the content of a notification, under Apple's names.

public import Foundation
import PointMessages

/// The name of a sound file.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A sound of a notification. The host gets its name; nothing plays.
open class UNNotificationSound: NSObject, @unchecked Sendable {  // the name is constant
    let name: String

    /// Makes the sound of a file.
    public convenience init(named name: UNNotificationSoundName) { self.init(name.rawValue) }

    init(_ name: String) { self.name = name }

    public static let `default` = UNNotificationSound("default")
    public static let defaultCritical = UNNotificationSound("defaultCritical")

    open override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationSound)?.name == name }
    open override var hash: Int { name.hash }
}

/// The content of a notification. Authors change a mutable copy of it.
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying {
    struct Fields {
        var title = ""
        var subtitle = ""
        var body = ""
        var badge: NSNumber?
        var sound: UNNotificationSound?
        var category = ""
        var thread = ""
        var userInfo: [AnyHashable: Any] = [:]
        var attachments: [UNNotificationAttachment] = []
    }

    var fields: Fields

    public override init() { fields = Fields() }

    init(_ fields: Fields) { self.fields = fields }

    open var title: String { fields.title }
    open var subtitle: String { fields.subtitle }
    open var body: String { fields.body }
    open var badge: NSNumber? { fields.badge }
    open var sound: UNNotificationSound? { fields.sound }
    open var categoryIdentifier: String { fields.category }
    open var threadIdentifier: String { fields.thread }
    /// The payload of a remote notification.
    open var userInfo: [AnyHashable: Any] { fields.userInfo }
    open var attachments: [UNNotificationAttachment] { fields.attachments }

    open func copy(with zone: NSZone? = nil) -> Any { UNNotificationContent(fields) }
    open func mutableCopy(with zone: NSZone? = nil) -> Any { UNMutableNotificationContent(fields) }
}

/// A content that can be changed.
open class UNMutableNotificationContent: UNNotificationContent {
    open override var title: String {
        get { fields.title }
        set { fields.title = newValue }
    }
    open override var subtitle: String {
        get { fields.subtitle }
        set { fields.subtitle = newValue }
    }
    open override var body: String {
        get { fields.body }
        set { fields.body = newValue }
    }
    open override var badge: NSNumber? {
        get { fields.badge }
        set { fields.badge = newValue }
    }
    open override var sound: UNNotificationSound? {
        get { fields.sound }
        set { fields.sound = newValue }
    }
    open override var categoryIdentifier: String {
        get { fields.category }
        set { fields.category = newValue }
    }
    open override var threadIdentifier: String {
        get { fields.thread }
        set { fields.thread = newValue }
    }
    open override var userInfo: [AnyHashable: Any] {
        get { fields.userInfo }
        set { fields.userInfo = newValue }
    }
    open override var attachments: [UNNotificationAttachment] {
        get { fields.attachments }
        set { fields.attachments = newValue }
    }
}

/// The origin of a notification.
open class UNNotificationTrigger: NSObject, @unchecked Sendable {  // it has no state
    open var repeats: Bool { false }
}

/// The trigger of a remote notification.
open class UNPushNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {}

/// A notification that is to be shown.
open class UNNotificationRequest: NSObject {
    public let identifier: String
    public let content: UNNotificationContent
    public let trigger: UNNotificationTrigger?

    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        (self.identifier, self.trigger) = (identifier, trigger)
        self.content = content.copy() as? UNNotificationContent ?? content
    }
}
