// NotificationPayload: the payload of a remote notification, as its provider sends it.

import ExtensionHost
import ExtensionPointKit
import Foundation
import PointMessages
import PropertyListCoding

/// A payload, read from JSON with Apple's key `aps`.
struct NotificationPayload {
    /// The content, without the localized texts.
    private(set) var content = NotificationContent()
    /// Whether an extension may change it: it shows an alert, and has `mutable-content` of 1 (documented).
    let isMutable: Bool
    /// The texts that the containing app has.
    private(set) var texts: [LocalizedText] = []

    /// A text of the alert that is a key of the app's strings.
    struct LocalizedText {
        let field: any WritableKeyPath<NotificationContent, String> & Sendable
        let key: String
        let arguments: [String]
    }

    /// - Throws: `invalidArgument` for anything but a JSON object with the key `aps`.
    init(_ payload: Data) throws(ExtensionHostError) {
        guard let root = try? JSONSerialization.jsonObject(with: payload) as? [String: Any],
            let aps = root["aps"] as? [String: Any]
        else {
            throw ExtensionHostError(
                .invalidArgument, "the payload is not a JSON object with the key aps",
                remedy: #"Write {"aps": {"alert": {"title": "…", "body": "…"}, "mutable-content": 1}}"#)
        }
        let alert = aps["alert"] as? [String: Any]
        isMutable = (alert != nil || aps["alert"] is String) && (aps["mutable-content"] as? NSNumber)?.intValue == 1
        if let text = aps["alert"] as? String { content.body = text }
        if let alert { read(alert) }
        content.badge = (aps["badge"] as? NSNumber)?.intValue
        if let sound = aps["sound"] as? [String: Any] {
            content.sound = sound["name"] as? String ?? "default"
            content.soundIsCritical = (sound["critical"] as? NSNumber)?.intValue == 1 ? true : nil
            content.soundVolume = (sound["volume"] as? NSNumber)?.doubleValue
        } else {
            content.sound = aps["sound"] as? String
        }
        content.category = aps["category"] as? String ?? ""
        content.thread = aps["thread-id"] as? String ?? ""
        content.targetContent = aps["target-content-id"] as? String
        let level = (aps["interruption-level"] as? String).flatMap(NotificationInterruption.init)
        content.interruption = level == .active ? nil : level
        let relevance = (aps["relevance-score"] as? NSNumber)?.doubleValue
        content.relevance = relevance == 0 ? nil : relevance
        content.filterCriteria = aps["filter-criteria"] as? String
        content.userInfo = PointValue(Self.propertyList(root))
    }

    private mutating func read(_ alert: [String: Any]) {
        let fields:
            [(field: any WritableKeyPath<NotificationContent, String> & Sendable, name: String, prefix: String)] = [
                (\.title, "title", "title-"), (\.subtitle, "subtitle", "subtitle-"), (\.body, "body", ""),
            ]
        for (field, name, prefix) in fields {
            content[keyPath: field] = alert[name] as? String ?? ""
            if let key = alert[prefix + "loc-key"] as? String {
                let arguments = (alert[prefix + "loc-args"] as? [Any] ?? []).map { "\($0)" }
                texts.append(LocalizedText(field: field, key: key, arguments: arguments))
            }
        }
        content.launchImage = alert["launch-image"] as? String
        content.summaryArgument = alert["summary-arg"] as? String
        content.summaryArgumentCount = (alert["summary-arg-count"] as? NSNumber)?.intValue
    }

    /// Returns the content with its localized texts, and a remark for each text that is not there.
    ///
    /// A key without a text leaves the payload's own text, or else shows itself (ours).
    ///
    /// - Parameter alerts: the app's strings; nil if the extension has no app.
    func localized(by alerts: LocalizedAlerts?) -> (content: NotificationContent, remarks: [String]) {
        var content = content
        var remarks: [String] = []
        for text in texts {
            let (format, faults) = alerts?.format(text.key) ?? (nil, [])
            for fault in faults where !remarks.contains(fault) { remarks.append(fault) }
            if let format {
                content[keyPath: text.field] = StringsFile.filled(format, text.arguments)
                continue
            }
            if content[keyPath: text.field].isEmpty { content[keyPath: text.field] = text.key }
            remarks.append(
                alerts.map { "\(text.key) is not in Localizable.strings of \($0.app)" }
                    ?? "\(text.key) is a text of the app, and the extension is in no app")
        }
        return (content, remarks)
    }

    /// Converts a JSON value. A property list has no null, so members that are null are left out.
    private static func propertyList(_ value: Any) -> PropertyList {
        switch value {
        case let text as String: return .string(text)
        case let number as NSNumber:
            if number === NSNumber(value: true) || number === NSNumber(value: false) {
                return .boolean(number.boolValue)
            }
            let isReal = ["f", "d"].contains(String(cString: number.objCType))
            return isReal ? .real(number.doubleValue) : .integer(number.int64Value)
        case let array as [Any]: return .array(array.filter { !($0 is NSNull) }.map(propertyList))
        case let members as [String: Any]:
            return .dictionary(
                PropertyListDictionary(
                    members.filter { !($0.value is NSNull) }.map { ($0.key, propertyList($0.value)) }))
        default: return .string("\(value)")
        }
    }
}
