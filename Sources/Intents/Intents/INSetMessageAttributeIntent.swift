// INSetMessageAttributeIntent: a change of an attribute of messages.

public import ExtensionFoundation
public import Foundation

/// A change of an attribute of messages.
open class INSetMessageAttributeIntent: INIntent {
    public internal(set) var identifiers: [String]?
    public internal(set) var attribute = INMessageAttribute.unknown

    /// Makes an intent without values.
    public required init() {}

    public init(identifiers: [String]?, attribute: INMessageAttribute) {
        super.init()
        self.identifiers = identifiers
        self.attribute = attribute
    }

    public override class var _parameters: [_IntentParameter] {
        [
            _IntentParameter("identifiers", \INSetMessageAttributeIntent.identifiers),
            _IntentParameter(
                "attribute", \INSetMessageAttributeIntent.attribute,
                resolve: {
                    (
                        handler: any INSetMessageAttributeIntentHandling, intent,
                        answer: @escaping (INMessageAttributeResolutionResult) -> Void
                    ) in
                    handler.resolveAttribute(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveAttribute(for: intent) }),
        ]
    }

    public override class var _handling: _IntentHandling? {
        _IntentHandling(
            "INSetMessageAttributeIntentHandling",
            confirm: {
                (handler: any INSetMessageAttributeIntentHandling, intent: INSetMessageAttributeIntent, answer) in
                handler.confirm(intent: intent, completion: answer)
            },
            confirmAsync: { handler, intent in await handler.confirm(intent: intent) },
            handle: { handler, intent, answer in handler.handle(intent: intent, completion: answer) },
            handleAsync: { handler, intent in await handler.handle(intent: intent) })
    }
}

/// The codes of a response to `INSetMessageAttributeIntent`. The numbers are from memory.
public enum INSetMessageAttributeIntentResponseCode: Int, Sendable, CaseIterable {
    case unspecified, ready, inProgress, success, failure, failureRequiringAppLaunch, failureMessageNotFound
    case failureMessageAttributeNotSet
}

/// The response to `INSetMessageAttributeIntent`.
open class INSetMessageAttributeIntentResponse: INIntentResponse {
    /// The code.
    public internal(set) var code = INSetMessageAttributeIntentResponseCode.unspecified

    /// Makes a response without values.
    public required init() {}

    /// - Parameters:
    ///   - code: the code.
    ///   - userActivity: the activity with which the app continues.
    public init(code: INSetMessageAttributeIntentResponseCode, userActivity: NSUserActivity?) {
        super.init()
        self.code = code
        self.userActivity = userActivity
    }

    public override var _code: _IntentCode { _IntentCode(code) }
    public override func _setCode(_ number: Int) { code = .init(rawValue: number) ?? code }
}

/// The object that handles `INSetMessageAttributeIntent`.
///
/// An author writes one form of each method. Only `handle` is required.
public protocol INSetMessageAttributeIntentHandling: NSObjectProtocol {
    /// Resolves `attribute`.
    func resolveAttribute(
        for intent: INSetMessageAttributeIntent, with completion: @escaping (INMessageAttributeResolutionResult) -> Void
    )
    /// The form of `resolveAttribute(for:with:)` that Swift imports as `async`.
    func resolveAttribute(for intent: INSetMessageAttributeIntent) async -> INMessageAttributeResolutionResult
    /// Checks whether the app can perform the intent.
    func confirm(
        intent: INSetMessageAttributeIntent, completion: @escaping (INSetMessageAttributeIntentResponse) -> Void
    )
    /// The form of `confirm(intent:completion:)` that Swift imports as `async`.
    func confirm(intent: INSetMessageAttributeIntent) async -> INSetMessageAttributeIntentResponse
    /// Performs the intent.
    func handle(
        intent: INSetMessageAttributeIntent, completion: @escaping (INSetMessageAttributeIntentResponse) -> Void
    )
    /// The form of `handle(intent:completion:)` that Swift imports as `async`.
    func handle(intent: INSetMessageAttributeIntent) async -> INSetMessageAttributeIntentResponse
}

extension INSetMessageAttributeIntentHandling {
    public func resolveAttribute(
        for intent: INSetMessageAttributeIntent, with completion: @escaping (INMessageAttributeResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveAttribute(for:with:)")
    }

    public func resolveAttribute(for intent: INSetMessageAttributeIntent) async -> INMessageAttributeResolutionResult {
        _intentMethodNotWritten("resolveAttribute(for:)")
        return .notRequired()
    }

    public func confirm(
        intent: INSetMessageAttributeIntent, completion: @escaping (INSetMessageAttributeIntentResponse) -> Void
    ) {
        _intentMethodNotWritten("confirm(intent:completion:)")
    }

    public func confirm(intent: INSetMessageAttributeIntent) async -> INSetMessageAttributeIntentResponse {
        _intentMethodNotWritten("confirm(intent:)")
        return INSetMessageAttributeIntentResponse()
    }

    public func handle(
        intent: INSetMessageAttributeIntent, completion: @escaping (INSetMessageAttributeIntentResponse) -> Void
    ) {
        _intentMethodNotWritten("handle(intent:completion:)")
    }

    public func handle(intent: INSetMessageAttributeIntent) async -> INSetMessageAttributeIntentResponse {
        _intentMethodNotWritten("handle(intent:)")
        return INSetMessageAttributeIntentResponse()
    }
}
