// UNNotificationSettings: the user's settings for notifications, and the options that a program asks for.

public import Foundation

/// The ways of notifying that a program asks for.
public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let badge = UNAuthorizationOptions(rawValue: 1 << 0)
    public static let sound = UNAuthorizationOptions(rawValue: 1 << 1)
    public static let alert = UNAuthorizationOptions(rawValue: 1 << 2)
    public static let carPlay = UNAuthorizationOptions(rawValue: 1 << 3)
    public static let criticalAlert = UNAuthorizationOptions(rawValue: 1 << 4)
    public static let providesAppNotificationSettings = UNAuthorizationOptions(rawValue: 1 << 5)
    public static let provisional = UNAuthorizationOptions(rawValue: 1 << 6)
}

/// The user's decision about a program's notifications.
public enum UNAuthorizationStatus: Int, Sendable {
    case notDetermined, denied, authorized, provisional, ephemeral
}

/// The state of one way of notifying.
public enum UNNotificationSetting: Int, Sendable {
    case notSupported, disabled, enabled
}

/// The form of an alert.
public enum UNAlertStyle: Int, Sendable {
    case none, banner, alert
}

/// The times at which previews are shown.
public enum UNShowPreviewsSetting: Int, Sendable {
    case always, whenAuthenticated, never
}

/// The user's settings for a program. Here nobody was asked, and nothing is supported.
public final class UNNotificationSettings: NSObject, Sendable {
    override init() {}

    public var authorizationStatus: UNAuthorizationStatus { .notDetermined }
    public var soundSetting: UNNotificationSetting { .notSupported }
    public var badgeSetting: UNNotificationSetting { .notSupported }
    public var alertSetting: UNNotificationSetting { .notSupported }
    public var notificationCenterSetting: UNNotificationSetting { .notSupported }
    public var lockScreenSetting: UNNotificationSetting { .notSupported }
    public var carPlaySetting: UNNotificationSetting { .notSupported }
    public var criticalAlertSetting: UNNotificationSetting { .notSupported }
    public var announcementSetting: UNNotificationSetting { .notSupported }
    public var timeSensitiveSetting: UNNotificationSetting { .notSupported }
    public var scheduledDeliverySetting: UNNotificationSetting { .notSupported }
    public var directMessagesSetting: UNNotificationSetting { .notSupported }
    public var alertStyle: UNAlertStyle { .none }
    public var showPreviewsSetting: UNShowPreviewsSetting { .never }
    public var providesAppNotificationSettings: Bool { false }
}
