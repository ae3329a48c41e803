// SealedNote: a notification service that opens a sealed message before it is shown.

import ExtensionFoundation
import Foundation
import UserNotifications

/// Shows a message that its server has sealed, so that no relay on the way could read it.
///
/// The payload has `sealed`: the text as bytes in base64, each combined with the next byte of the key by XOR. That is
/// no encryption: it stands for one, so that the sample needs no other package (`CryptoKit` is one of this project's).
///
///     {"aps": {"alert": "New message", "mutable-content": 1}, "from": "Ada", "sealed": "JxACFQFOChFMGQcLVA=="}
///
/// Each notification gets an object of its own.
final class SealedNote: UNNotificationServiceExtension {
    private static let key: [UInt8] = Array("kelvin".utf8)

    private var contentHandler: ((UNNotificationContent) -> Void)?
    private var content: UNMutableNotificationContent?
    /// The rest of a message whose key has not come.
    private var waiting: ((String?) -> Void)?

    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else {
            return contentHandler(request.content)
        }
        self.contentHandler = contentHandler
        self.content = content
        if let sender = content.userInfo["from"] as? String { content.title = sender }
        guard let sealed = content.userInfo["sealed"] as? String else { return contentHandler(content) }
        unseal(sealed) { text in
            // Without the text the notification still says who wrote.
            if let text {
                content.body = text
                content.userInfo["sealed"] = nil
            } else {
                content.subtitle = "The message cannot be opened"
                content.interruptionLevel = .passive
            }
            contentHandler(content)
        }
    }

    /// The time is over: what is known by now is better than the original. It runs on another thread.
    override func serviceExtensionTimeWillExpire() {
        if let content { contentHandler?(content) }
    }

    /// Opens a sealed text. A real service may ask its server for the key, so the answer comes later. A payload with
    /// `"sealed": "later"` gets none, which shows what happens at the end of the time.
    private func unseal(_ sealed: String, completion: @escaping (String?) -> Void) {
        if sealed == "later" { return waiting = completion }
        guard let bytes = Data(base64Encoded: sealed) else { return completion(nil) }
        let opened = zip(bytes, 0...).map { byte, place in byte ^ Self.key[place % Self.key.count] }
        completion(String(bytes: opened, encoding: .utf8))
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
