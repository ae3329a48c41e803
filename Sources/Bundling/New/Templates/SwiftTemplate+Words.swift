// SwiftTemplate+Words: the templates that count words.

extension SwiftTemplate {
    /// A compose sheet, of Share only.
    var sheet: Parts {
        var parts = Parts(
            "a compose sheet that counts the words of its text",
            className: "WordsController", modules: ["Social", "UIKit"],
            run: "exthostctl run . --text x --act 'text hello brave world' --act post")
        parts.source = """
            // WordsController: a compose sheet that counts the words of its text.

            import Social
            import UIKit

            final class WordsController: SLComposeServiceViewController {
                private var words: Int { contentText.split(separator: " ").count }

                override func isContentValid() -> Bool { words > 0 }

                override func didSelectPost() {
                    UserDefaults(suiteName: "group.\(project.identifier)")?.set(words, forKey: "words")
                    let result = NSExtensionItem()
                    result.userInfo = ["words": words]
                    extensionContext?.completeRequest(returningItems: [result])
                }
            }

            """
        parts.acts = """

                        try await request.use(.setText("hello brave world"))
                        try await request.use(.post)
            """
        parts.sceneActs = ["view text hello brave world", "view post"]
        return parts
    }

    /// A view, of the other points with an interface.
    var view: Parts {
        var parts = Parts(
            "a view that counts the words of a text, with a button",
            className: "WordsController", modules: ["UIKit", "UniformTypeIdentifiers"],
            run: "exthostctl run . \(project.payload) --tap Done")
        parts.source = """
            // WordsController: shows how many words the text has that it is given, and returns their number.

            import UIKit
            import UniformTypeIdentifiers

            final class WordsController: UIViewController {
                private let label = UILabel(frame: CGRect(x: 16, y: 64, width: 343, height: 32))
                private lazy var done = UIButton(
                    type: .system, primaryAction: UIAction(title: "Done") { [weak self] _ in self?.finish() })
                private var words = 0

                override func viewDidLoad() {
                    super.viewDidLoad()
                    title = "\(name)"
                    label.accessibilityIdentifier = "words"
                    view.addSubview(label)
                    done.isEnabled = false
                    view.addSubview(done)
                    Task { await count() }
                }

                private func count() async {
                    let items = (extensionContext?.inputItems ?? []).compactMap { $0 as? NSExtensionItem }
                    let provider = items.flatMap { $0.attachments ?? [] }
                        .first { $0.hasItemConformingToTypeIdentifier(UTType.plainText.identifier) }
                    do {
                        guard let provider else { throw CocoaError(.featureUnsupported) }
                        let text = try await provider.loadItem(forTypeIdentifier: UTType.plainText.identifier, as: String.self)
                        words = text.split(separator: " ").count
                        label.text = "\\(words) words"
                        done.isEnabled = true
                    } catch {
                        extensionContext?.cancelRequest(withError: error)
                    }
                }

                private func finish() {
                    UserDefaults(suiteName: "group.\(project.identifier)")?.set(words, forKey: "words")
                    let result = NSExtensionItem()
                    result.userInfo = ["words": words]
                    extensionContext?.completeRequest(returningItems: [result])
                }
            }

            """
        parts.acts = """

                        _ = await request.view { $0["Done"]?.isEnabled == true }
                        try await request.use(.tap("Done"))
            """
        parts.sceneActs = ["view tap Done"]
        return parts
    }

    /// A handler without an interface.
    var handler: Parts {
        var parts = Parts(
            "a handler without an interface that counts the words of a text",
            className: "RequestHandler", modules: ["ExtensionFoundation", "UniformTypeIdentifiers"],
            run: "exthostctl run . \(project.payload)")
        parts.source = """
            // RequestHandler: counts the words of the text that it is given.

            import ExtensionFoundation
            import Foundation
            import UniformTypeIdentifiers

            final class RequestHandler: NSObject, NSExtensionRequestHandling {
                func beginRequest(with context: NSExtensionContext) {
                    let items = context.inputItems.compactMap { $0 as? NSExtensionItem }
                    let provider = items.flatMap { $0.attachments ?? [] }
                        .first { $0.hasItemConformingToTypeIdentifier(UTType.plainText.identifier) }
                    guard let provider else { return context.cancelRequest(withError: CocoaError(.featureUnsupported)) }
                    provider.loadItem(forTypeIdentifier: UTType.plainText.identifier, options: nil) { value, error in
                        guard let text = value as? String else {
                            return context.cancelRequest(withError: error ?? CocoaError(.featureUnsupported))
                        }
                        let words = text.split(separator: " ").count
                        UserDefaults(suiteName: "group.\(project.identifier)")?.set(words, forKey: "words")
                        let result = NSExtensionItem()
                        result.userInfo = ["words": words]
                        context.completeRequest(returningItems: [result])
                    }
                }
            }

            """
        return parts
    }

    /// A widget of Today.
    var widget: Parts {
        var parts = Parts(
            "a widget that counts the words of a text of its app",
            className: "WordsController", modules: ["NotificationCenter", "UIKit"], run: "exthostctl run .")
        parts.source = """
            // WordsController: a widget that shows how many words the app's text has.

            import NotificationCenter
            import UIKit

            final class WordsController: UIViewController, NCWidgetProviding {
                private let label = UILabel(frame: CGRect(x: 16, y: 16, width: 327, height: 32))

                override func viewDidLoad() {
                    super.viewDidLoad()
                    label.accessibilityIdentifier = "words"
                    view.addSubview(label)
                }

                func widgetPerformUpdate(completionHandler: @escaping (NCUpdateResult) -> Void) {
                    let text = UserDefaults(suiteName: "group.\(project.identifier)")?.string(forKey: "text")
                    let words = (text ?? "hello brave world").split(separator: " ").count
                    guard label.text != "\\(words) words" else { return completionHandler(.noData) }
                    label.text = "\\(words) words"
                    completionHandler(.newData)
                }
            }

            """
        parts.test = "wordsAreCounted"
        parts.session = """
                        let update = try await TodayHost(host.application).update("\(project.extensionIdentifier)")
                        #expect(update.result == .newData)
                        #expect(update.snapshot?.view["words"]?.text == "3 words")
            """
        return parts
    }

    /// A notification service.
    var service: Parts {
        var parts = Parts(
            "a service that adds the number of words to a notification",
            className: "NotificationService", modules: ["ExtensionFoundation", "UserNotifications"],
            run: "exthostctl run .")
        parts.source = """
            // NotificationService: adds the number of words to a notification.

            import Foundation
            import UserNotifications

            final class NotificationService: UNNotificationServiceExtension {
                private var contentHandler: ((UNNotificationContent) -> Void)?
                private var content: UNMutableNotificationContent?

                override func didReceive(
                    _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
                ) {
                    self.contentHandler = contentHandler
                    content = request.content.mutableCopy() as? UNMutableNotificationContent
                    guard let content else { return contentHandler(request.content) }
                    content.subtitle = "\\(content.body.split(separator: " ").count) words"
                    contentHandler(content)
                }

                override func serviceExtensionTimeWillExpire() {
                    if let content { contentHandler?(content) }
                }
            }

            """
        parts.test = "wordsAreCounted"
        parts.session = """
                        let payload = #"{"aps": {"alert": {"body": "hello brave world"}, "mutable-content": 1}}"#
                        let result = try await NotificationHost(host.application).push(
                            Data(payload.utf8), to: "\(project.extensionIdentifier)")
                        #expect(result.shown?.subtitle == "3 words")
            """
        return parts
    }

    /// The view of a notification.
    var notification: Parts {
        var parts = Parts(
            "a view of a notification with the number of its words", className: "NotificationViewController",
            modules: ["ExtensionFoundation", "UIKit", "UserNotificationsUI"], run: "exthostctl run . --action read")
        parts.source = """
            // NotificationViewController: shows the number of words of a notification, which a button marks as read.

            import UIKit
            import UserNotifications
            import UserNotificationsUI

            final class NotificationViewController: UIViewController, UNNotificationContentExtension {
                private let label = UILabel()

                override func viewDidLoad() {
                    super.viewDidLoad()
                    label.accessibilityIdentifier = "words"
                    view.addSubview(label)
                }

                func didReceive(_ notification: UNNotification) {
                    let words = notification.request.content.body.split(separator: " ").count
                    label.text = "\\(words) words"
                    extensionContext?.notificationActions = [UNNotificationAction(identifier: "read", title: "Mark as read")]
                }

                func didReceive(
                    _ response: UNNotificationResponse,
                    completionHandler completion: @escaping (UNNotificationContentExtensionResponseOption) -> Void
                ) {
                    completion(response.actionIdentifier == "read" ? .dismiss : .dismissAndForwardAction)
                }
            }

            """
        parts.test = "wordsAreCounted"
        parts.session = """
                        let payload = #"{"aps": {"alert": {"body": "hello brave world"}, "category": "words"}}"#
                        let identifier = "\(project.extensionIdentifier)"
                        let (content, _) = try await NotificationHost(host.application).content(
                            of: Data(payload.utf8), for: identifier)
                        let session = try await NotificationContentHost(host.application).show(content, with: identifier)
                        _ = await session.request.view { $0["words"]?.text == "3 words" }
                        #expect(try await session.respond("read") == .dismiss)
                        #expect(await session.ending == .dismissed)
            """
        return parts
    }
}
