// Invitation: the view of a notification that invites to a meeting, with buttons to answer.

import ExtensionFoundation
import Foundation
import UserNotificationsUI

/// Shows who invites and when, and offers to accept, or to decline with a few words.
///
/// The payload has `from` and `when` beside `aps`:
///
///     {"aps": {"alert": "An invitation", "category": "invitation"}, "from": "Ada", "when": "Monday at one"}
///
/// A person who accepts sees the answer in the view. A refusal goes to the app, which tells the server.
final class Invitation: UIViewController, UNNotificationContentExtension {
    private let from = UILabel()
    private let when = UILabel()

    override func viewDidLoad() {
        super.viewDidLoad()
        from.accessibilityIdentifier = "from"
        when.accessibilityIdentifier = "when"
        for label in [from, when] { view.addSubview(label) }
        preferredContentSize = CGSize(width: 0, height: 120)
    }

    func didReceive(_ notification: UNNotification) {
        let information = notification.request.content.userInfo
        from.text = information["from"] as? String ?? notification.request.content.title
        when.text = information["when"] as? String
        extensionContext?.notificationActions = [
            UNNotificationAction(identifier: "accept", title: "Accept"),
            UNTextInputNotificationAction(
                identifier: "decline", title: "Decline", options: .destructive, textInputButtonTitle: "Send",
                textInputPlaceholder: "Why not?"),
        ]
    }

    func didReceive(_ response: UNNotificationResponse) async -> UNNotificationContentExtensionResponseOption {
        guard response.actionIdentifier == "accept" else { return .dismissAndForwardAction }
        when.text = "You will be there"
        extensionContext?.notificationActions = []
        return .doNotDismiss
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
