// UNNotificationResponse: a notification that was delivered, and a person's choice of one of its buttons.

public import Foundation

/// The identifier of the choice of the notification itself.
public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
/// The identifier of the choice to remove the notification.
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

/// A notification that was delivered. Only the view of a notification gets one.
open class UNNotification: NSObject {
    public let date: Date
    public let request: UNNotificationRequest

    package init(_ request: UNNotificationRequest, date: Date) { (self.request, self.date) = (request, date) }
}

/// A person's choice of a button.
open class UNNotificationResponse: NSObject {
    public let notification: UNNotification
    public let actionIdentifier: String

    package init(_ notification: UNNotification, action: String) {
        (self.notification, actionIdentifier) = (notification, action)
    }
}

/// A person's choice of a button with a text field.
open class UNTextInputNotificationResponse: UNNotificationResponse {
    public let userText: String

    package init(_ notification: UNNotification, action: String, text: String) {
        userText = text
        super.init(notification, action: action)
    }
}
