// UNNotificationContent: the content of a notification, under Apple's names.

public import Foundation
import PointMessages

/// The levels of interruption.
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    case passive, active, timeSensitive, critical
}

/// An object of another framework that knows more of a notification, such as an intent.
public protocol UNNotificationContentProviding: NSObjectProtocol {}

/// The content of a notification. Authors change a mutable copy of it.
///
/// The host gets every property. Nothing rings, lights up or waits for a Focus.
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying {
    struct Fields {
        var title = ""
        var subtitle = ""
        var body = ""
        var badge: NSNumber?
        var sound: UNNotificationSound?
        var category = ""
        var thread = ""
        var launchImage = ""
        var summaryArgument = ""
        var summaryArgumentCount = 0
        var targetContent: String?
        var interruption = UNNotificationInterruptionLevel.active
        var relevance = 0.0
        var filterCriteria: String?
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
    open var launchImageName: String { fields.launchImage }
    /// The words for this notification in the summary of its group.
    open var summaryArgument: String { fields.summaryArgument }
    /// The number of things that this notification stands for in the summary of its group.
    open var summaryArgumentCount: Int { fields.summaryArgumentCount }
    open var targetContentIdentifier: String? { fields.targetContent }
    open var interruptionLevel: UNNotificationInterruptionLevel { fields.interruption }
    /// The relevance among the notifications of the app, from 0 to 1.
    open var relevanceScore: Double { fields.relevance }
    open var filterCriteria: String? { fields.filterCriteria }
    /// The payload of a remote notification.
    open var userInfo: [AnyHashable: Any] { fields.userInfo }
    open var attachments: [UNNotificationAttachment] { fields.attachments }

    /// Returns a mutable copy. The provider has no effect: nothing shows a sender's picture or a conversation.
    open func updating(from provider: any UNNotificationContentProviding) throws -> UNNotificationContent {
        UNMutableNotificationContent(fields)
    }

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
    open override var launchImageName: String {
        get { fields.launchImage }
        set { fields.launchImage = newValue }
    }
    open override var summaryArgument: String {
        get { fields.summaryArgument }
        set { fields.summaryArgument = newValue }
    }
    open override var summaryArgumentCount: Int {
        get { fields.summaryArgumentCount }
        set { fields.summaryArgumentCount = newValue }
    }
    open override var targetContentIdentifier: String? {
        get { fields.targetContent }
        set { fields.targetContent = newValue }
    }
    open override var interruptionLevel: UNNotificationInterruptionLevel {
        get { fields.interruption }
        set { fields.interruption = newValue }
    }
    open override var relevanceScore: Double {
        get { fields.relevance }
        set { fields.relevance = newValue }
    }
    open override var filterCriteria: String? {
        get { fields.filterCriteria }
        set { fields.filterCriteria = newValue }
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
