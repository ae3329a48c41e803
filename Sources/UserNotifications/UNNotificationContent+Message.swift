// UNNotificationContent+Message: a notification's content as it travels between host and extension.

import AppGroups
import ExtensionPointKit
import Foundation
package import PointMessages
import PropertyListCoding

extension UNNotificationContent {
    /// Reads the content of a call.
    ///
    /// - Parameter files: the copies of the attachments' files, in their order. Without one, the content has no
    ///   attachments: those of a remote notification are its service's.
    package convenience init(_ message: NotificationContent, files: [URL] = []) {
        var fields = Fields()
        (fields.title, fields.subtitle, fields.body) = (message.title, message.subtitle, message.body)
        (fields.category, fields.thread) = (message.category, message.thread)
        fields.badge = message.badge.map { NSNumber(value: $0) }
        fields.sound = message.sound.map {
            UNNotificationSound($0, isCritical: message.soundIsCritical ?? false, volume: message.soundVolume)
        }
        fields.launchImage = message.launchImage ?? ""
        fields.summaryArgument = message.summaryArgument ?? ""
        fields.summaryArgumentCount = message.summaryArgumentCount ?? 0
        fields.targetContent = message.targetContent
        fields.interruption = message.interruption.map { UNNotificationInterruptionLevel($0) } ?? .active
        fields.relevance = message.relevance ?? 0
        fields.filterCriteria = message.filterCriteria
        if case .dictionary(let members) = message.userInfo.plist {
            for (key, value) in members { fields.userInfo[key] = foundationValue(value) }
        }
        fields.attachments = zip(message.attachments, files).map {
            UNNotificationAttachment($0.identifier, type: $0.type, lentAt: $1)
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
        message.soundIsCritical = sound?.isCritical == true ? true : nil
        message.soundVolume = sound?.volume
        message.launchImage = launchImageName.isEmpty ? nil : launchImageName
        message.summaryArgument = summaryArgument.isEmpty ? nil : summaryArgument
        message.summaryArgumentCount = summaryArgumentCount == 0 ? nil : summaryArgumentCount
        message.targetContent = targetContentIdentifier
        message.interruption = interruptionLevel == .active ? nil : interruptionLevel.message
        message.relevance = relevanceScore == 0 ? nil : relevanceScore
        message.filterCriteria = filterCriteria
        var members: [String: PropertyList] = [:]
        for (key, value) in userInfo { if let key = key as? String { members[key] = try? propertyList(value) } }
        message.userInfo = PointValue(.dictionary(PropertyListDictionary(members.map { ($0.key, $0.value) })))
        message.attachments = attachments.compactMap(\.message)
        return message
    }
}

extension UNNotificationInterruptionLevel {
    init(_ message: NotificationInterruption) {
        self =
            switch message {
            case .passive: .passive
            case .active, .unrecognized: .active
            case .timeSensitive: .timeSensitive
            case .critical: .critical
            }
    }

    var message: NotificationInterruption {
        switch self {
        case .passive: .passive
        case .active: .active
        case .timeSensitive: .timeSensitive
        case .critical: .critical
        }
    }
}

extension UNNotificationAttachment {
    /// The attachment as it travels; nil if its file is gone.
    fileprivate var message: NotificationAttachment? {
        guard let file = try? PointFile(readingAt: url.path) else { return nil }
        return NotificationAttachment(identifier: identifier, type: type, fileName: url.lastPathComponent, file: file)
    }
}
