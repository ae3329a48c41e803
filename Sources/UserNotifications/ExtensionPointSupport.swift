// ExtensionPointSupport: the calls of a notification service, as calls of the author's code.

import ExtensionFoundation
import ExtensionPointKit
import Foundation
import Locks
import PointFrameworkKit
import PointMessages

/// The framework's half of `com.apple.usernotifications.service`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() { AttachmentStore.shared.removeLeftovers() }

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        guard type is UNNotificationServiceExtension.Type else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(type) is not a subclass of UNNotificationServiceExtension",
                remedy: "Inherit from it, or name another class in NSExtensionPrincipalClass")
        }
        return session.makeObject(of: type)
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        guard call.name == ReceiveNotification.name, let service = session.principal as? UNNotificationServiceExtension
        else {
            throw ExtensionHostError(.notImplemented, "UserNotifications has no call \(call.name)")
        }
        let message = try call.decode(ReceiveNotification.self)
        let author = AuthorCode(service)
        let attachments = session.state(AnsweredAttachments.self) { AnsweredAttachments() }
        call.whenExpired { session.onThread { author.service.serviceExtensionTimeWillExpire() } }
        let changed: NotificationContent = try await session.completion(
            of: "\(type(of: service)).didReceive(_:withContentHandler:)"
        ) { handler in
            let request = UNNotificationRequest(
                identifier: message.identifier, content: UNNotificationContent(message.content),
                trigger: UNPushNotificationTrigger())
            author.service.didReceive(request) { content in
                attachments.all.withLock { $0 += content.attachments }
                handler(content.message)
            }
        }
        return try PointEncoder.encode(ReceiveNotification.Reply(changed))
    }

    /// The host has the files of the attachments by now, if it wants them.
    func end(_ session: PointSession) {
        let attachments = session.state(AnsweredAttachments.self) { AnsweredAttachments() }
        for attachment in attachments.all.withLock({ $0 }) { attachment.discard() }
    }

    /// The attachments of the contents that the author has answered with.
    private final class AnsweredAttachments: Sendable {
        let all = Mutex<[UNNotificationAttachment]>([])
    }

    /// The author's object, which runs on the request's queue, and at the end of its time on another thread too, as on
    /// Apple's systems.
    private struct AuthorCode: @unchecked Sendable {
        let service: UNNotificationServiceExtension
        init(_ service: UNNotificationServiceExtension) { self.service = service }
    }
}
