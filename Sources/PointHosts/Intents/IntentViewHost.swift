// IntentViewHost: an assistant that shows intents with the views of extensions.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
public import Foundation
public import PointMessages
internal import PropertyListCoding

/// Shows an intent with the views of an extension, as Siri does after the confirmation and after the handling.
///
/// The host asks for a view of the whole interaction first, and then for one of each parameter that no view displays
/// yet. Each view has a request, and so a view controller, of its own.
public struct IntentViewHost: Sendable {
    /// The extension point of the views.
    public static let point = "com.apple.intents-ui-service"
    /// The most parameters that the host shows, and that an extension says to display in one view (ours).
    public static let mostParameters = 100
    /// The most views of one interaction (ours). The host shows the parameters after them itself.
    public static let mostViews = 16
    /// The largest text of a parameter's path, in bytes (ours).
    public static let longestPath = 1_000
    /// The most elements of lists in one parameter (ours).
    public static let mostIndexes = 16

    /// The sizes between which a view is, in points.
    public struct Sizes: Sendable, Hashable {
        /// The least size.
        public var least: CGSize
        /// The largest size.
        public var most: CGSize

        /// The sizes of a small telephone (ours).
        public static let usual = Sizes(
            least: CGSize(width: 320, height: 44), most: CGSize(width: 375, height: 600))

        /// - Parameters:
        ///   - least: the least size.
        ///   - most: the largest size. A side that is shorter than that of the least size has the length of that one.
        public init(least: CGSize, most: CGSize) {
            self.least = least
            self.most = CGSize(width: max(least.width, most.width), height: max(least.height, most.height))
        }
    }

    /// The interaction that is shown.
    public struct Subject: Sendable {
        /// The response of a subject.
        enum Response: Sendable {
            case none
            case answer(IntentAnswer)
            case made(code: String, values: [String: IntentInput])
        }

        /// The class of intents.
        public let className: String
        let identifier: String
        let values: [String: IntentInput]
        let response: Response
        /// The direction.
        public var direction = IntentInteraction.Direction.outgoing
        /// The parameters that the host shows; nil: those with a value, of the intent and then of the response.
        public var parameters: [IntentParameterPath]?

        /// Makes a subject of values, without an intents extension.
        ///
        /// - Parameters:
        ///   - className: the class, as in `IntentsSupported`.
        ///   - values: the parameters that have a value.
        ///   - code: the name of the response's code, such as `success`; nil: there is no response.
        ///   - response: the properties of the response that have a value.
        public init(
            _ className: String, values: [String: IntentInput], code: String? = "success",
            response: [String: IntentInput] = [:]
        ) {
            (self.className, self.values, identifier) = (className, values, UUID().uuidString)
            self.response = code.map { .made(code: $0, values: response) } ?? .none
        }

        /// The steps of a conversation after which views are shown.
        public enum Stage: Sendable, Hashable, CaseIterable {
            /// The step after the confirmation of the intent.
            case confirmation
            /// The step after the handling of the intent.
            case handling
        }

        /// Makes the subject of a conversation with an intents extension.
        ///
        /// - Parameters:
        ///   - run: the conversation.
        ///   - stage: the step. Its response is shown.
        /// - Returns: nil if the conversation has not come to this step. A confirmation without a method has the code
        ///   `ready`.
        public init?(_ run: IntentsHost.Run, at stage: Stage) {
            let answer = run.steps.lazy.compactMap { step -> Response? in
                switch (step, stage) {
                case (.confirm(let answer), .confirmation):
                    answer.map { .answer($0) } ?? .made(code: "ready", values: [:])
                case (.handle(let answer), .handling): .answer(answer)
                default: nil
                }
            }.first
            guard let answer else { return nil }
            (className, identifier, response) = (run.className, run.identifier, answer)
            values = run.values.mapValues { .value($0) }
        }
    }

    private let host: HostApplication
    private let sizes: Sizes
    private let place: ConfigureIntentView.Place
    private let behavior: ConfigureIntentView.Behavior

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - sizes: the sizes between which the views are.
    ///   - place: the app that shows the views.
    ///   - behavior: the effect of a tap on a view.
    public init(
        _ host: HostApplication, sizes: Sizes = .usual, place: ConfigureIntentView.Place = .siri,
        behavior: ConfigureIntentView.Behavior = .none
    ) {
        (self.host, self.sizes, self.place, self.behavior) = (host, sizes, place, behavior)
    }

    /// Returns the classes of intents for which an extension has views, in the order of its Info.plist.
    ///
    /// - Throws: `ExtensionHostError` `noSuchExtension` if there is no such extension with views, `connectionLost`.
    public func supportedIntents(of identifier: String) async throws -> [String] {
        let whole = try await host.wholeDeclaration(of: identifier)
        guard whole.point == Self.point else {
            throw ExtensionHostError(.noSuchExtension, "\(identifier) has no views for intents")
        }
        let attributes = whole.declaration["NSExtensionAttributes"]?.dictionary ?? [:]
        return attributes["IntentsSupported"]?.array?.compactMap(\.string) ?? []
    }

    /// Returns the extension that has views for a class of intents: the first by its identifier.
    ///
    /// - Parameters:
    ///   - className: the class.
    ///   - app: the folder of the app to which the extension belongs; nil: any.
    /// - Throws: `ExtensionHostError` `connectionLost`.
    public func extensionIdentifier(for className: String, of app: String? = nil) async throws -> String? {
        for found in try await host.extensions().sorted(by: { $0.identifier < $1.identifier })
        where found.point == Self.point && (app == nil || found.containingApp == app) {
            do {
                if try await supportedIntents(of: found.identifier).contains(className) { return found.identifier }
            } catch let error as ExtensionHostError where error.code == .noSuchExtension {
                // It has been removed meanwhile.
            }
        }
        return nil
    }

    /// Shows an interaction.
    ///
    /// - Parameters:
    ///   - subject: the interaction.
    ///   - identifier: the extension.
    /// - Returns: the parts of the interface. An extension at fault is one of them, no error.
    /// - Throws: `ExtensionHostError` `invalidArgument` for a class that the extension does not support, and for a
    ///   parameter, a value or a code that the class does not have; `notSimulated` for a class that is not built; errors
    ///   of `supportedIntents(of:)` and of `HostApplication.begin`; `CancellationError`.
    public func show(_ subject: Subject, with identifier: String) async throws -> IntentViewSession {
        let supported = try await supportedIntents(of: identifier)
        guard supported.contains(subject.className) else {
            throw ExtensionHostError(
                .invalidArgument, "\(identifier) has no views for \(subject.className)",
                remedy: supported.isEmpty
                    ? "List the class in IntentsSupported" : "Use \(supported.prefix(8).joined(separator: ", "))")
        }
        var interface = IntentInterface(host, identifier, subject, sizes, place, behavior)
        do {
            try await interface.make()
            return interface.session
        } catch {
            await interface.session.end()
            throw error
        }
    }
}
