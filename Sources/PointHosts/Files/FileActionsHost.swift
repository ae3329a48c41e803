// FileActionsHost: a host that offers the actions of file providers for items, and performs them.

import ActivationRules
public import ExtensionHost
import ExtensionPointKit
import ExtensionProtocol
public import Foundation
import PointMessages
public import PropertyListCoding

/// Offers and performs the actions of file providers, as the Files app does.
public struct FileActionsHost: Sendable {
    /// The extension point of actions with a view.
    public static let point = "com.apple.fileprovider-actionsui"
    /// The largest number of items of one action (ours).
    public static let mostItems = 1000
    /// The largest number of actions of one extension (ours).
    public static let mostActions = 64

    /// An item of a file provider.
    public struct Item: Sendable, Hashable {
        /// The identifier, which the provider chose.
        public var identifier: String
        /// The values that rules may name, by the names of the properties of `NSFileProviderItem`.
        public var values: [String: PropertyList]

        /// Makes an item; each value is described at its property.
        public init(_ identifier: String, _ values: [String: PropertyList] = [:]) {
            (self.identifier, self.values) = (identifier, values)
        }

        /// The item as rules see it.
        fileprivate var subject: PropertyList {
            .dictionary(PropertyListDictionary(values.map { ($0.key, $0.value) }))
        }
    }

    /// An action that an extension declares.
    public struct Action: Sendable, Hashable {
        /// The identifier of the extension.
        public let provider: String
        /// The identifier of the action, which the extension gets.
        public let identifier: String
        /// The name for people.
        public let name: String
    }

    private let host: HostApplication

    /// - Parameter host: the host's connection.
    public init(_ host: HostApplication) { self.host = host }

    // MARK: The offer

    /// Returns the actions whose rules hold for items, by their extensions and then in the order of the declaration.
    ///
    /// An action without a rule, or with one that cannot be read or takes too many steps, is not offered.
    ///
    /// - Parameters:
    ///   - items: the items that the person has selected.
    ///   - app: the folder of the app whose provider has the items; nil: the actions of all apps.
    /// - Throws: `ExtensionHostError` `connectionLost`; `quotaExceeded` for too many items.
    public func actions(for items: [Item], of app: String? = nil) async throws -> [Action] {
        var offered: [Action] = []
        for found in try await host.extensions()
        where found.point == Self.point && (app == nil || found.containingApp == app) {
            offered += try await actions(for: items, in: found.identifier)
        }
        return offered
    }

    /// Returns the actions of one extension whose rules hold for items.
    private func actions(for items: [Item], in identifier: String) async throws -> [Action] {
        guard items.count <= Self.mostItems else {
            throw ExtensionHostError(
                .quotaExceeded, "an action has at most \(Self.mostItems) items, not \(items.count)",
                remedy: "Perform it on fewer items at once")
        }
        let declaration = try await host.wholeDeclaration(of: identifier).declaration
        let entries = declaration["NSExtensionFileProviderActions"]?.array?.prefix(Self.mostActions) ?? []
        let key = "NSExtensionFileProviderAction"
        let declared = entries.compactMap { entry -> (Action, String)? in
            guard let members = entry.dictionary, let name = members["\(key)Name"]?.string,
                let action = members["\(key)Identifier"]?.string, let rule = members["\(key)ActivationRule"]?.string
            else { return nil }
            return (Action(provider: identifier, identifier: action, name: name), rule)
        }
        // A stranger's rule may take some milliseconds, and keeps a thread busy.
        return await withCheckedContinuation { done in
            DispatchQueue.global().async {
                let subject = PropertyList.dictionary(["fileproviderItems": .array(items.map(\.subject))])
                guard let subject = try? RuleSubject(subject) else { return done.resume(returning: []) }
                done.resume(returning: declared.filter { Self.holds($0.1, subject) }.map(\.0))
            }
        }
    }

    private static func holds(_ rule: String, _ subject: RuleSubject) -> Bool {
        (try? ActivationRule(predicate: rule).matches(subject)) ?? false
    }

    // MARK: Sessions

    /// Begins an action on items: prepares the extension for it, and shows its view.
    ///
    /// - Parameters:
    ///   - action: the identifier of an action that is offered for the items.
    ///   - identifier: the extension.
    ///   - items: the items.
    ///   - domain: the provider's domain; nil: the default one.
    /// - Throws: `ExtensionHostError`: `ruleMismatch` if the action is not offered for the items, `quotaExceeded` for too
    ///   many items, `noSuchExtension`; errors of `HostApplication.begin` and of the call.
    public func perform(
        _ action: String, of identifier: String, on items: [Item], domain: String? = nil
    ) async throws -> FileActionSession {
        guard
            try await actions(for: items, in: try await known(identifier)).contains(where: { $0.identifier == action })
        else {
            throw ExtensionHostError(
                .ruleMismatch, "\(identifier) does not offer the action \(action) for these items",
                remedy: "Check the rule of the action: exthostctl rule eval")
        }
        return try await begin(
            identifier, PrepareAction(action: action, items: items.map(\.identifier), domain: domain))
    }

    /// Lets a person mend an error of a provider, such as a missing login, in the view of the extension.
    ///
    /// - Parameters:
    ///   - error: the error; the extension gets its domain, code and description.
    ///   - identifier: the extension.
    ///   - domain: the provider's domain; nil: the default one.
    /// - Throws: as `perform`, without `ruleMismatch`.
    public func mend(
        _ error: NSError, with identifier: String, domain: String? = nil
    ) async throws -> FileActionSession {
        let message = PrepareForError(
            errorDomain: error.domain, code: error.code,
            text: error.userInfo[NSLocalizedDescriptionKey] as? String, domain: domain)
        return try await begin(try await known(identifier), message)
    }

    /// Returns the identifier of an extension for actions.
    private func known(_ identifier: String) async throws -> String {
        let found = try await host.extensions().contains { $0.identifier == identifier && $0.point == Self.point }
        guard found else {
            throw ExtensionHostError(.noSuchExtension, "there is no extension \(identifier) for actions")
        }
        return identifier
    }

    private func begin<Message: PointMessage>(
        _ identifier: String, _ message: Message
    ) async throws -> FileActionSession where Message.Reply == Nothing {
        let request = try await host.begin(identifier, items: [])
        do {
            _ = try await request.call(message)
        } catch {
            let code = (error as? ExtensionHostError)?.code
            // The author may have ended the action while the view was prepared.
            guard code == .contextFinished || code == .noSuchRequest else {
                try? await request.cancel()
                if case .refused = await request.outcome { throw await request.explanation ?? error }
                throw error
            }
            switch await request.outcome {
            case .refused: throw await request.explanation ?? error
            case .cancelled(.cancelledByExtension, let reason):
                if let kit = ExtensionHostError(crossed: reason) { throw kit }
            default: break
            }
        }
        return FileActionSession(request)
    }
}

/// An action that an extension performs. Safe to use from any thread.
public final class FileActionSession: Sendable {
    /// The end of an action.
    public enum Ending: Sendable {
        /// The extension has completed the request.
        case completed
        /// The extension, with its error, or the host has cancelled it.
        case cancelled(NSError)
        /// The process has ended, or a time limit expired.
        case ended(ExtensionHostError)
    }

    /// The request, for its view, actions and outcome.
    public let request: ExtensionRequest

    init(_ request: ExtensionRequest) { self.request = request }

    /// The extension's last view; nil before the first one.
    public var view: ViewElement? { request.view }

    /// Performs a person's action on the view, as `ExtensionRequest.use(_:)` does.
    @discardableResult public func use(_ action: ViewAction) async throws -> ViewElement? {
        try await request.use(action)
    }

    /// The end of the action. The getter waits for it.
    public var ending: Ending {
        get async {
            switch await request.outcome {
            case .completed: return .completed
            case .cancelled(_, let error): return .cancelled(error as NSError)
            case .interrupted(let cause), .timedOut(let cause), .refused(let cause):
                if let reason = await request.explanation { return .ended(reason) }
                return .ended(ExtensionHostError(.interrupted, "the action ended early (\(cause.rawValue))"))
            }
        }
    }

    /// Ends the action, unless it has ended.
    public func cancel() async { try? await request.cancel() }
}
