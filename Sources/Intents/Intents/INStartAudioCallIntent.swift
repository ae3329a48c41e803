// INStartAudioCallIntent: a call without pictures.

public import ExtensionFoundation
public import Foundation

/// A call without pictures, as of iOS 10 to 13.
open class INStartAudioCallIntent: INIntent {
    public internal(set) var destinationType = INCallDestinationType.unknown
    public internal(set) var contacts: [INPerson]?

    /// Makes an intent without values.
    public required init() {}

    public init(destinationType: INCallDestinationType, contacts: [INPerson]?) {
        super.init()
        self.destinationType = destinationType
        self.contacts = contacts
    }

    public init(contacts: [INPerson]?) {
        super.init()
        self.contacts = contacts
    }

    public override class var _parameters: [_IntentParameter] {
        [
            _IntentParameter(
                "destinationType", \INStartAudioCallIntent.destinationType,
                resolve: {
                    (
                        handler: any INStartAudioCallIntentHandling, intent,
                        answer: @escaping (INCallDestinationTypeResolutionResult) -> Void
                    ) in
                    handler.resolveDestinationType(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveDestinationType(for: intent) }),
            _IntentParameter(
                "contacts", \INStartAudioCallIntent.contacts,
                resolve: {
                    (
                        handler: any INStartAudioCallIntentHandling, intent,
                        answer: @escaping ([INPersonResolutionResult]) -> Void
                    ) in
                    handler.resolveContacts(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveContacts(for: intent) }),
        ]
    }

    public override class var _handling: _IntentHandling? {
        _IntentHandling(
            "INStartAudioCallIntentHandling",
            confirm: { (handler: any INStartAudioCallIntentHandling, intent: INStartAudioCallIntent, answer) in
                handler.confirm(intent: intent, completion: answer)
            },
            confirmAsync: { handler, intent in await handler.confirm(intent: intent) },
            handle: { handler, intent, answer in handler.handle(intent: intent, completion: answer) },
            handleAsync: { handler, intent in await handler.handle(intent: intent) })
    }
}

/// The codes of a response to `INStartAudioCallIntent`. The numbers are from memory.
public enum INStartAudioCallIntentResponseCode: Int, Sendable, CaseIterable {
    case unspecified, ready, continueInApp, failure, failureRequiringAppLaunch, failureAppConfigurationRequired
    case failureCallingServiceNotAvailable, failureContactNotSupportedByApp, failureNoValidNumber
}

/// The response to `INStartAudioCallIntent`.
open class INStartAudioCallIntentResponse: INIntentResponse {
    /// The code.
    public internal(set) var code = INStartAudioCallIntentResponseCode.unspecified

    /// Makes a response without values.
    public required init() {}

    /// - Parameters:
    ///   - code: the code.
    ///   - userActivity: the activity with which the app continues.
    public init(code: INStartAudioCallIntentResponseCode, userActivity: NSUserActivity?) {
        super.init()
        self.code = code
        self.userActivity = userActivity
    }

    public override var _code: _IntentCode { _IntentCode(code) }
    public override func _setCode(_ number: Int) { code = .init(rawValue: number) ?? code }
}

/// The object that handles `INStartAudioCallIntent`.
///
/// An author writes one form of each method. Only `handle` is required.
public protocol INStartAudioCallIntentHandling: NSObjectProtocol {
    /// Resolves `destinationType`.
    func resolveDestinationType(
        for intent: INStartAudioCallIntent, with completion: @escaping (INCallDestinationTypeResolutionResult) -> Void
    )
    /// The form of `resolveDestinationType(for:with:)` that Swift imports as `async`.
    func resolveDestinationType(for intent: INStartAudioCallIntent) async -> INCallDestinationTypeResolutionResult
    /// Resolves `contacts`.
    func resolveContacts(
        for intent: INStartAudioCallIntent, with completion: @escaping ([INPersonResolutionResult]) -> Void
    )
    /// The form of `resolveContacts(for:with:)` that Swift imports as `async`.
    func resolveContacts(for intent: INStartAudioCallIntent) async -> [INPersonResolutionResult]
    /// Checks whether the app can perform the intent.
    func confirm(intent: INStartAudioCallIntent, completion: @escaping (INStartAudioCallIntentResponse) -> Void)
    /// The form of `confirm(intent:completion:)` that Swift imports as `async`.
    func confirm(intent: INStartAudioCallIntent) async -> INStartAudioCallIntentResponse
    /// Performs the intent.
    func handle(intent: INStartAudioCallIntent, completion: @escaping (INStartAudioCallIntentResponse) -> Void)
    /// The form of `handle(intent:completion:)` that Swift imports as `async`.
    func handle(intent: INStartAudioCallIntent) async -> INStartAudioCallIntentResponse
}

extension INStartAudioCallIntentHandling {
    public func resolveDestinationType(
        for intent: INStartAudioCallIntent, with completion: @escaping (INCallDestinationTypeResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveDestinationType(for:with:)")
    }

    public func resolveDestinationType(for intent: INStartAudioCallIntent) async
        -> INCallDestinationTypeResolutionResult
    {
        _intentMethodNotWritten("resolveDestinationType(for:)")
        return .notRequired()
    }

    public func resolveContacts(
        for intent: INStartAudioCallIntent, with completion: @escaping ([INPersonResolutionResult]) -> Void
    ) {
        _intentMethodNotWritten("resolveContacts(for:with:)")
    }

    public func resolveContacts(for intent: INStartAudioCallIntent) async -> [INPersonResolutionResult] {
        _intentMethodNotWritten("resolveContacts(for:)")
        return []
    }

    public func confirm(
        intent: INStartAudioCallIntent, completion: @escaping (INStartAudioCallIntentResponse) -> Void
    ) {
        _intentMethodNotWritten("confirm(intent:completion:)")
    }

    public func confirm(intent: INStartAudioCallIntent) async -> INStartAudioCallIntentResponse {
        _intentMethodNotWritten("confirm(intent:)")
        return INStartAudioCallIntentResponse()
    }

    public func handle(intent: INStartAudioCallIntent, completion: @escaping (INStartAudioCallIntentResponse) -> Void) {
        _intentMethodNotWritten("handle(intent:completion:)")
    }

    public func handle(intent: INStartAudioCallIntent) async -> INStartAudioCallIntentResponse {
        _intentMethodNotWritten("handle(intent:)")
        return INStartAudioCallIntentResponse()
    }
}
