// ExtensionPointSupport: the calls of a notification service, as calls of the author's code.

import ExtensionFoundation
import ExtensionPointKit
import Foundation
import PointMessages
import PropertyListCoding

/// The framework's half of `com.apple.usernotifications.service`.
final class ExtensionPointSupport: ExtensionFoundation.ExtensionPointSupport {
    init() {}

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
        call.whenExpired { session.onThread { author.service.serviceExtensionTimeWillExpire() } }
        let changed: NotificationContent = try await session.completion(
            of: "\(type(of: service)).didReceive(_:withContentHandler:)"
        ) { handler in
            let request = UNNotificationRequest(
                identifier: message.identifier, content: UNNotificationContent(message.content),
                trigger: UNPushNotificationTrigger())
            author.service.didReceive(request) { content in handler(content.message) }
        }
        return try PointEncoder.encode(ReceiveNotification.Reply(changed))
    }

    /// The author's object, which runs on the request's queue, and at the end of its time on another thread too, as on
    /// Apple's systems.
    private struct AuthorCode: @unchecked Sendable {
        let service: UNNotificationServiceExtension
        init(_ service: UNNotificationServiceExtension) { self.service = service }
    }
}

extension UNNotificationContent {
    /// Reads the content of a call.
    convenience init(_ message: NotificationContent) {
        var fields = Fields()
        (fields.title, fields.subtitle, fields.body) = (message.title, message.subtitle, message.body)
        (fields.category, fields.thread) = (message.category, message.thread)
        fields.badge = message.badge.map { NSNumber(value: $0) }
        fields.sound = message.sound.map { $0 == "default" ? .default : UNNotificationSound($0) }
        if case .dictionary(let members) = message.userInfo.plist {
            for (key, value) in members { fields.userInfo[key] = foundationValue(value) }
        }
        self.init(fields)
    }

    /// The content as it travels. An attachment whose file is gone is left out.
    var message: NotificationContent {
        var message = NotificationContent()
        (message.title, message.subtitle, message.body) = (title, subtitle, body)
        (message.category, message.thread) = (categoryIdentifier, threadIdentifier)
        message.badge = badge?.intValue
        message.sound = sound?.name
        var members: [String: PropertyList] = [:]
        for (key, value) in userInfo { if let key = key as? String { members[key] = try? propertyList(value) } }
        message.userInfo = PointValue(.dictionary(PropertyListDictionary(members.map { ($0.key, $0.value) })))
        message.attachments = attachments.compactMap { attachment in
            guard let file = try? PointFile(readingAt: attachment.url.path) else { return nil }
            return NotificationAttachment(
                identifier: attachment.identifier, type: attachment.type, fileName: attachment.url.lastPathComponent,
                file: file)
        }
        return message
    }
}
