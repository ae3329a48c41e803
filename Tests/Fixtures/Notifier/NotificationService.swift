// NotificationService: does what the payload of a notification says, for NotificationServiceTests.

import ExtensionFoundation
import UserNotifications

final class NotificationService: UNNotificationServiceExtension {
    private var contentHandler: ((UNNotificationContent) -> Void)?
    private var bestAttemptContent: UNMutableNotificationContent?

    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else { return }
        bestAttemptContent = content
        content.title += " [changed]"
        switch content.userInfo["act"] as? String {
        case "describe":
            content.title = request.identifier.isEmpty ? "" : "\(request.trigger is UNPushNotificationTrigger)"
            content.body = [
                content.title, content.subtitle, content.categoryIdentifier, content.threadIdentifier,
                content.badge.map { "\($0)" } ?? "no badge", content.sound == .default ? "default" : "no sound",
                (content.userInfo["list"] as? [Int])?.description ?? "no list",
            ].joined(separator: "|")
            contentHandler(content)
        case "hang": return self.contentHandler = contentHandler
        case "block":
            // Until another notification releases it.
            Forgotten.shared.block.wait()
            contentHandler(content)
        case "release":
            Forgotten.shared.block.signal()
            contentHandler(content)
        case "hangForEver": Forgotten.shared.keep(contentHandler)
        case "drop": return
        case "twice":
            contentHandler(content)
            content.title = "second"
            contentHandler(content)
        case "exit": exit(1)
        case "empty":
            (content.title, content.body) = ("", "")
            contentHandler(content)
        case "attach":
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(
                content.userInfo["file"] as? String ?? "")
            do {
                try Data(count: content.userInfo["size"] as? Int ?? 3).write(to: file)
                content.attachments = [try UNNotificationAttachment(identifier: "picture", url: file, options: nil)]
                content.subtitle = FileManager.default.fileExists(atPath: file.path) ? "still there" : "moved"
            } catch {
                content.subtitle = "\((error as NSError).domain) \((error as NSError).code)"
            }
            contentHandler(content)
        default: contentHandler(content)
        }
    }

    override func serviceExtensionTimeWillExpire() {
        if let contentHandler, let bestAttemptContent {
            bestAttemptContent.title = "in time"
            contentHandler(bestAttemptContent)
        }
    }
}

/// A handler that nobody calls and nobody releases.
final class Forgotten: @unchecked Sendable {  // behind the lock
    static let shared = Forgotten()
    let block = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    private var handlers: [(UNNotificationContent) -> Void] = []
    func keep(_ handler: @escaping (UNNotificationContent) -> Void) { lock.withLock { handlers.append(handler) } }
}

@main struct Main { static func main() { NSExtensionMain() } }
