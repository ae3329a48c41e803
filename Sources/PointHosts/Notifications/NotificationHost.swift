// NotificationHost: a host that gives remote notifications to a notification service.

public import ExtensionHost
public import Foundation
public import PointMessages

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
        /// The content of the payload, with the localized texts of the app.
        public let original: NotificationContent
        /// The shown content; nil if the extension hides the notification.
        public let shown: NotificationContent?
        /// The reason why it is the original; nil if the extension has answered.
        public let reason: Reason?
        /// The request; nil if the extension was not asked.
        public let request: ExtensionRequest?
        /// The faults of the payload and of the app's localized texts, in words.
        public let remarks: [String]

        /// The seconds from the delivery to the end of the request, on the daemon's clock; nil if the extension was not
        /// asked. The getter waits for that end, which follows the answer within 5 s of the daemon's clock.
        public var duration: Double? {
            get async {
                guard let timings = await request?.timings, let end = timings.finished else { return nil }
                return timings.delivered.map { end - $0 }
            }
        }
    }

    /// The time after the end of the time limit in which an answer still counts.
    public static let grace = Duration.seconds(2)

    private let host: HostApplication
    private let mayHide: Bool
    private let app: String?
    private let languages: [String]

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - mayHide: whether an empty content hides the notification, as with Apple's filtering entitlement.
    ///   - app: the folder of the app whose `Localizable.strings` has the localized texts of alerts; nil: the app that
    ///     contains the extension, as the daemon knows it.
    ///   - languages: the person's languages, the first first.
    public init(
        _ host: HostApplication, mayHide: Bool = false, app: String? = nil,
        languages: [String] = Locale.preferredLanguages
    ) {
        self.host = host
        self.mayHide = mayHide
        self.app = app
        self.languages = languages
    }

    /// Takes a remote notification, lets the extension change it, and returns what is shown.
    ///
    /// It returns with the extension's answer. The extension completes the request by itself afterwards; an extension
    /// that does not complete it loses the request by the timer `postComplete`.
    ///
    /// - Parameters:
    ///   - payload: JSON with Apple's key `aps`, at most 4 KiB as documented; the size is not enforced.
    ///   - identifier: the extension.
    ///   - id: the identifier of the notification's request, which a provider may choose.
    /// - Throws: `ExtensionHostError` `invalidArgument` for a payload that is none; errors of `HostApplication.begin`;
    ///   `CocoaError.userCancelled` after the task was cancelled.
    public func push(
        _ payload: Data, to identifier: String, id: String = UUID().uuidString
    ) async throws -> Presentation {
        let payload = try NotificationPayload(payload)
        let (original, remarks) = payload.localized(by: try await alerts(for: payload, identifier))
        guard payload.isMutable else {
            return Presentation(
                original: original, shown: original, reason: .notMutable, request: nil, remarks: remarks)
        }
        let request = try await host.begin(identifier, items: [])
        var shown = original
        var reason: Reason?
        do {
            shown = try await request.call(ReceiveNotification(identifier: id, content: original), grace: Self.grace)
                .content
            if shown.title.isEmpty, shown.body.isEmpty, !mayHide { (shown, reason) = (original, .empty) }
        } catch let error as ExtensionHostError {
            reason = await Self.reason(error, request)
        } catch {
            try? await request.cancel()
            throw error
        }
        // An extension that has answered completes the request itself.
        if reason != nil, reason != .empty { try? await request.cancel() }
        let isHidden = reason == nil && shown.title.isEmpty && shown.body.isEmpty
        return Presentation(
            original: original, shown: isHidden ? nil : shown, reason: reason, request: request, remarks: remarks)
    }

    /// Returns the content of a payload, with the localized texts of the app, and the payload's faults in words.
    ///
    /// - Parameters:
    ///   - payload: as for `push`.
    ///   - identifier: the extension whose app has the texts.
    /// - Throws: `ExtensionHostError` `invalidArgument` for a payload that is none, `connectionLost`.
    public func content(
        of payload: Data, for identifier: String
    ) async throws -> (content: NotificationContent, remarks: [String]) {
        let payload = try NotificationPayload(payload)
        return payload.localized(by: try await alerts(for: payload, identifier))
    }

    /// Returns the strings of the app, if the payload needs any.
    private func alerts(for payload: NotificationPayload, _ identifier: String) async throws -> LocalizedAlerts? {
        guard !payload.texts.isEmpty else { return nil }
        let found =
            if let app { app } else {
                try await host.extensions().first { $0.identifier == identifier }?.containingApp
            }
        return found.map { LocalizedAlerts(app: $0, languages: languages) }
    }

    private static func reason(_ error: ExtensionHostError, _ request: ExtensionRequest) async -> Reason {
        switch error.code {
        case .timedOut: .timedOut
        case .handlerDropped: .handlerDropped
        case .interrupted, .contextFinished, .noSuchRequest: .ended(await request.outcome.cause)
        default: .failed(error)
        }
    }
}
