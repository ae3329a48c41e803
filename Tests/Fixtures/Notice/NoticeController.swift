// NoticeController: views of notifications that do what the payload and the buttons say, for NotificationContentTests.

import ExtensionFoundation
import Foundation
import UserNotificationsUI

/// Prints each call: the tests read them in order.
@MainActor private func note(_ text: String) { print(Thread.isMainThread ? text : "\(text), off the main queue") }

/// The base of both views.
class NoticeBase: UIViewController {
    let label = UILabel()

    override func viewDidLoad() {
        super.viewDidLoad()
        note("viewDidLoad")
        view.addSubview(label)
        add("Grow") { [weak self] in self?.preferredContentSize = CGSize(width: 0, height: 500) }
        add("Start") { [weak self] in self?.extensionContext?.mediaPlayingStarted() }
        add("Pause") { [weak self] in self?.extensionContext?.mediaPlayingPaused() }
        add("Open") { [weak self] in self?.extensionContext?.performNotificationDefaultAction() }
        add("Leave") { [weak self] in self?.extensionContext?.dismissNotificationContentExtension() }
        add("Complete") { [weak self] in self?.extensionContext?.completeRequest(returningItems: []) }
    }

    private func add(_ title: String, _ body: @escaping () -> Void) {
        let button = UIButton()
        button.setTitle(title, for: .normal)
        button.addAction(UIAction { _ in body() }, for: .touchUpInside)
        view.addSubview(button)
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        note("viewWillAppear")
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        note("viewDidDisappear")
    }

    func didReceive(_ notification: UNNotification) {
        let content = notification.request.content
        note("receive \(content.title) \(Int(view.frame.width))×\(Int(view.frame.height))")
        label.text = content.title
        for attachment in content.attachments {
            let text = (try? String(contentsOf: attachment.url, encoding: .utf8)) ?? "nothing"
            note("attachment \(attachment.identifier) \(attachment.type) \(attachment.url.lastPathComponent) \(text)")
        }
        switch content.userInfo["act"] as? String {
        case "tall": preferredContentSize = CGSize(width: 0, height: 444)
        case "huge": preferredContentSize = CGSize(width: 0, height: 20_000)
        case "endless": preferredContentSize = CGSize(width: 0, height: CGFloat.infinity)
        case "actions":
            let before = extensionContext?.notificationActions ?? []
            note("actions " + before.map { "\($0.identifier)" }.joined(separator: ","))
            extensionContext?.notificationActions = [
                UNNotificationAction(identifier: "like", title: "Like", options: .destructive),
                UNTextInputNotificationAction(
                    identifier: "reply", title: "Reply", textInputButtonTitle: "Send", textInputPlaceholder: "Words"),
            ]
        case "long":
            let long = String(repeating: "x", count: 100_000)
            extensionContext?.notificationActions = [
                UNNotificationAction(identifier: "a", title: long), UNNotificationAction(identifier: long, title: "b"),
            ]
        case "many":
            extensionContext?.notificationActions = (0..<100).map {
                UNNotificationAction(identifier: "\($0)", title: "\($0)")
            }
        case "leave": extensionContext?.dismissNotificationContentExtension()
        case "open":
            extensionContext?.performNotificationDefaultAction()
            extensionContext?.dismissNotificationContentExtension()
        case "hang": sleep(1000)
        case "die": exit(9)
        default: break
        }
    }
}

/// A view without the methods that an author may leave out.
final class BareController: NoticeBase, UNNotificationContentExtension {}

/// A view with all methods.
final class NoticeController: NoticeBase, UNNotificationContentExtension {
    private var waiting: [(UNNotificationContentExtensionResponseOption) -> Void] = []

    func didReceive(
        _ response: UNNotificationResponse,
        completionHandler completion: @escaping (UNNotificationContentExtensionResponseOption) -> Void
    ) {
        let words = (response as? UNTextInputNotificationResponse)?.userText
        note(
            "respond \(response.actionIdentifier) \(words ?? "without words") to "
                + response.notification.request.content.title)
        switch response.actionIdentifier {
        case "stay":
            preferredContentSize = CGSize(width: 0, height: 333)
            completion(.doNotDismiss)
        case "dismiss": completion(.dismiss)
        case "leaveFirst":
            extensionContext?.performNotificationDefaultAction()
            waiting.append(completion)
        case "hang": waiting.append(completion)
        case "drop": break
        case "twice":
            completion(.doNotDismiss)
            completion(.dismiss)
        case "die": exit(9)
        default: completion(.dismissAndForwardAction)
        }
    }

    var mediaPlayPauseButtonType: UNNotificationContentExtensionMediaPlayPauseButtonType { .overlay }
    var mediaPlayPauseButtonFrame: CGRect { CGRect(x: 1, y: 2, width: 30, height: 40) }
    func mediaPlay() {
        note("play")
        // The media cannot be played.
        if label.text == "broken" { extensionContext?.mediaPlayingPaused() }
    }
    func mediaPause() { note("pause") }
}

/// A class that is no view of a notification.
final class Stranger: UIViewController {}

@main struct Main { static func main() { NSExtensionMain() } }
