// NotificationContentHost: a host that shows notifications with the views of content extensions.

public import ExtensionHost
import ExtensionPointKit
public import Foundation
public import PointMessages
import PropertyListCoding

/// Shows notifications with the views of content extensions, as the system does when a person opens a notification.
public struct NotificationContentHost: Sendable {
    /// The extension point of the views.
    public static let point = "com.apple.usernotifications.content-extension"
    /// The largest number of buttons of a notification (ours); the host passes over the others.
    public static let mostActions = 32
    /// The largest height of a view in points (ours).
    public static let largestHeight = 10_000.0

    /// The declarations of an extension about its view, in `NSExtensionAttributes`.
    public struct Declaration: Sendable, Hashable {
        /// The categories of the notifications that it shows (`UNNotificationExtensionCategory`).
        public var categories: [String] = []
        /// The height of the view at the beginning, as a share of its width
        /// (`UNNotificationExtensionInitialContentSizeRatio`).
        public var ratio = 1.0
        /// Whether the host does not show title and text beside the view
        /// (`UNNotificationExtensionDefaultContentHidden`).
        public var hidesDefaultContent = false
        /// Whether a person may use the view (`UNNotificationExtensionUserInteractionEnabled`).
        public var takesActions = false
        /// Whether the title of the view replaces that of the app (`UNNotificationExtensionOverridesDefaultTitle`).
        public var overridesTitle = false

        /// Returns a flag in the forms that the registry accepts.
        private static func flag(_ value: PropertyList?) -> Bool {
            switch value {
            case .boolean(let flag): flag
            case .integer(let number): number == 1
            case .string(let word): ["YES", "yes", "true"].contains(word)
            default: false
            }
        }

        init(_ attributes: PropertyListDictionary) {
            if let category = attributes["UNNotificationExtensionCategory"] {
                categories = category.string.map { [$0] } ?? category.array?.compactMap(\.string) ?? []
            }
            let declared = attributes["UNNotificationExtensionInitialContentSizeRatio"]
            if let ratio = declared?.real ?? declared?.integer.map(Double.init), ratio.isFinite, ratio > 0 {
                self.ratio = ratio
            }
            hidesDefaultContent = Self.flag(attributes["UNNotificationExtensionDefaultContentHidden"])
            takesActions = Self.flag(attributes["UNNotificationExtensionUserInteractionEnabled"])
            overridesTitle = Self.flag(attributes["UNNotificationExtensionOverridesDefaultTitle"])
        }
    }

    private let host: HostApplication
    private let width: Double

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - width: the width of the views in points.
    public init(_ host: HostApplication, width: Double = 375) { (self.host, self.width) = (host, width) }

    /// Returns what an extension declares about its view.
    ///
    /// - Throws: `ExtensionHostError` `noSuchExtension` if there is no such content extension, `connectionLost`.
    public func declaration(of identifier: String) async throws -> Declaration {
        let whole = try await host.wholeDeclaration(of: identifier)
        guard whole.point == Self.point else {
            throw ExtensionHostError(.noSuchExtension, "\(identifier) has no view for notifications")
        }
        return Declaration(whole.declaration["NSExtensionAttributes"]?.dictionary ?? [:])
    }

    /// Returns the extension that shows the notifications of a category: the first by its identifier.
    ///
    /// - Parameters:
    ///   - category: the category of the notification.
    ///   - app: the folder of the app to which the notification belongs; nil: of any.
    /// - Throws: `ExtensionHostError` `connectionLost`.
    public func extensionIdentifier(for category: String, of app: String? = nil) async throws -> String? {
        for found in try await host.extensions().sorted(by: { $0.identifier < $1.identifier })
        where found.point == Self.point && (app == nil || found.containingApp == app) {
            do {
                if try await declaration(of: found.identifier).categories.contains(category) { return found.identifier }
            } catch let error as ExtensionHostError where error.code == .noSuchExtension {
                // It has been removed meanwhile.
            }
        }
        return nil
    }

    /// Shows a notification.
    ///
    /// - Parameters:
    ///   - content: the content, such as that of a `NotificationHost.Presentation`. The extension gets the attachments
    ///     as files of its own.
    ///   - identifier: the extension.
    ///   - id: the identifier of the notification's request.
    ///   - date: the time of the delivery.
    ///   - actions: the buttons of the category, which the app has registered.
    /// - Throws: `ExtensionHostError` `ruleMismatch` if the extension does not show this category; errors of
    ///   `declaration(of:)`, `HostApplication.begin` and the call.
    public func show(
        _ content: NotificationContent, with identifier: String, id: String = UUID().uuidString, date: Date = Date(),
        actions: [NotificationAction] = []
    ) async throws -> NotificationContentSession {
        let declaration = try await declaration(of: identifier)
        guard declaration.categories.contains(content.category) else {
            throw ExtensionHostError(
                .ruleMismatch,
                "\(identifier) shows the category \(declaration.categories.joined(separator: ", ")), "
                    + "and the notification has the category “\(content.category)”",
                remedy: "Write the category into the payload, or into UNNotificationExtensionCategory")
        }
        let height = min(width * declaration.ratio, Self.largestHeight)
        let actions = NotificationProgress.checked(actions)
        let message = ShowNotification(
            identifier: id, content: content, date: date.timeIntervalSince1970, actions: actions, width: width,
            height: height)
        let progress = NotificationProgress(message)
        let request = try await host.begin(identifier, items: [], handling: progress.handlers)
        do {
            progress.adopt(try await request.call(message))
            progress.follow(request)
            return NotificationContentSession(request, declaration, progress)
        } catch {
            try? await request.cancel()
            // The reason why there is no view says more than the failed call.
            switch await request.outcome {
            case .refused: throw await request.explanation ?? error
            case .cancelled(.cancelledByExtension, let reason): throw ExtensionHostError(crossed: reason) ?? reason
            default: throw error
            }
        }
    }
}
