// NotificationHost: a host that gives remote notifications to a notification service.

public import ExtensionHost
public import Foundation
public import PointMessages
import PropertyListCoding

/// Gives remote notifications to a notification service, and returns what is shown.
public struct NotificationHost: Sendable {
    /// The reason why the original is shown.
    public enum Reason: Sendable, Hashable {
        /// The payload has no alert, or no `mutable-content` of 1. The extension was not asked (documented).
        case notMutable
        /// The extension did not answer within 30 s and the 2 s after its warning.
        case timedOut
        /// The extension's process ended, or the request did otherwise.
        case ended(Cause?)
        /// The extension released the handler without a call.
        case handlerDropped
        /// The content has neither title nor body, and the extension may not hide notifications.
        case empty
        /// The call failed.
        case failed(ExtensionHostError)
    }

    /// The shown content, and its origin.
    public struct Presentation: Sendable {
        /// The content of the payload.
        public let original: NotificationContent
        /// The shown content; nil if the extension hides the notification.
        public let shown: NotificationContent?
        /// The reason why it is the original; nil if the extension has answered.
        public let reason: Reason?
        /// The seconds from the delivery to the end, on the daemon's clock; nil if the extension was not asked.
        public let duration: Double?
        /// The request; nil if the extension was not asked.
        public let request: ExtensionRequest?
    }

    /// The time after the end of the time limit in which an answer still counts.
    public static let grace = Duration.seconds(2)

    private let host: HostApplication
    private let mayHide: Bool

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - mayHide: whether an empty content hides the notification, as with Apple's filtering entitlement.
    public init(_ host: HostApplication, mayHide: Bool = false) {
        self.host = host
        self.mayHide = mayHide
    }

    /// Takes a remote notification, lets the extension change it, and returns what is shown.
    ///
    /// - Parameters:
    ///   - payload: JSON with Apple's key `aps`, at most 4 KiB as documented; the size is not enforced.
    ///   - identifier: the extension.
    /// - Throws: `ExtensionHostError` `invalidArgument` for a payload that is none; errors of `HostApplication.begin`;
    ///   `CocoaError.userCancelled` after the task was cancelled.
    public func push(_ payload: Data, to identifier: String) async throws -> Presentation {
        let (original, isMutable) = try Self.content(of: payload)
        guard isMutable else {
            return Presentation(original: original, shown: original, reason: .notMutable, duration: nil, request: nil)
        }
        let request = try await host.begin(identifier, items: [])
        var shown = original
        var reason: Reason?
        do {
            let message = ReceiveNotification(identifier: UUID().uuidString, content: original)
            shown = try await request.call(message, grace: Self.grace).content
            if shown.title.isEmpty, shown.body.isEmpty, !mayHide { (shown, reason) = (original, .empty) }
        } catch let error as ExtensionHostError {
            reason = await Self.reason(error, request)
        } catch {
            try? await request.cancel()
            throw error
        }
        // The extension completes the request after its answer.
        if reason != nil, reason != .empty { try? await request.cancel() }
        _ = await request.outcome
        let timings = await request.timings
        let duration = timings.finished.flatMap { end in timings.delivered.map { end - $0 } }
        let isHidden = reason == nil && shown.title.isEmpty && shown.body.isEmpty
        return Presentation(
            original: original, shown: isHidden ? nil : shown, reason: reason, duration: duration, request: request)
    }

    private static func reason(_ error: ExtensionHostError, _ request: ExtensionRequest) async -> Reason {
        switch error.code {
        case .timedOut: .timedOut
        case .handlerDropped: .handlerDropped
        case .interrupted, .contextFinished, .noSuchRequest: .ended(await request.outcome.cause)
        default: .failed(error)
        }
    }

    /// Returns the content of a payload, and whether an extension may change it.
    static func content(of payload: Data) throws(ExtensionHostError) -> (NotificationContent, isMutable: Bool) {
        guard let root = try? JSONSerialization.jsonObject(with: payload) as? [String: Any],
            let aps = root["aps"] as? [String: Any]
        else {
            throw ExtensionHostError(
                .invalidArgument, "the payload is not a JSON object with the key aps",
                remedy: #"Write {"aps": {"alert": {"title": "…", "body": "…"}, "mutable-content": 1}}"#)
        }
        var content = NotificationContent()
        if let text = aps["alert"] as? String { content.body = text }
        let alert = aps["alert"] as? [String: Any]
        content.title = alert?["title"] as? String ?? ""
        content.subtitle = alert?["subtitle"] as? String ?? ""
        if let body = alert?["body"] as? String { content.body = body }
        content.badge = (aps["badge"] as? NSNumber)?.intValue
        content.sound = aps["sound"] as? String ?? (aps["sound"] as? [String: Any])?["name"] as? String
        content.category = aps["category"] as? String ?? ""
        content.thread = aps["thread-id"] as? String ?? ""
        content.userInfo = PointValue(propertyList(root))
        return (
            content, (alert != nil || aps["alert"] is String) && (aps["mutable-content"] as? NSNumber)?.intValue == 1
        )
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
