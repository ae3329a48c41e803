// INStartVideoCallIntent: a call with pictures.

public import ExtensionFoundation
public import Foundation

/// A call with pictures, as of iOS 10 to 13.
open class INStartVideoCallIntent: INIntent {
    public internal(set) var contacts: [INPerson]?

    /// Makes an intent without values.
    public required init() {}

    public init(contacts: [INPerson]?) {
        super.init()
        self.contacts = contacts
    }

    public override class var _parameters: [_IntentParameter] {
        [
            _IntentParameter(
                "contacts", \INStartVideoCallIntent.contacts,
                resolve: {
                    (
                        handler: any INStartVideoCallIntentHandling, intent,
                        answer: @escaping ([INPersonResolutionResult]) -> Void
                    ) in
                    handler.resolveContacts(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveContacts(for: intent) })
        ]
    }

    public override class var _handling: _IntentHandling? {
        _IntentHandling(
            "INStartVideoCallIntentHandling",
            confirm: { (handler: any INStartVideoCallIntentHandling, intent: INStartVideoCallIntent, answer) in
                handler.confirm(intent: intent, completion: answer)
            },
            confirmAsync: { handler, intent in await handler.confirm(intent: intent) },
            handle: { handler, intent, answer in handler.handle(intent: intent, completion: answer) },
            handleAsync: { handler, intent in await handler.handle(intent: intent) })
    }
}

/// The codes of a response to `INStartVideoCallIntent`. The numbers are from memory.
public enum INStartVideoCallIntentResponseCode: Int, Sendable, CaseIterable {
    case unspecified, ready, continueInApp, failure, failureRequiringAppLaunch, failureAppConfigurationRequired
    case failureCallingServiceNotAvailable, failureContactNotSupportedByApp, failureNoValidNumber
}

/// The response to `INStartVideoCallIntent`.
open class INStartVideoCallIntentResponse: INIntentResponse {
    /// The code.
    public internal(set) var code = INStartVideoCallIntentResponseCode.unspecified

    /// Makes a response without values.
    public required init() {}

    /// - Parameters:
    ///   - code: the code.
    ///   - userActivity: the activity with which the app continues.
    public init(code: INStartVideoCallIntentResponseCode, userActivity: NSUserActivity?) {
        super.init()
        self.code = code
        self.userActivity = userActivity
    }

    public override var _code: _IntentCode { _IntentCode(code) }
    public override func _setCode(_ number: Int) { code = .init(rawValue: number) ?? code }
}

/// The object that handles `INStartVideoCallIntent`.
///
/// An author writes one form of each method. Only `handle` is required.
public protocol INStartVideoCallIntentHandling: NSObjectProtocol {
    /// Resolves `contacts`.
    func resolveContacts(
        for intent: INStartVideoCallIntent, with completion: @escaping ([INPersonResolutionResult]) -> Void
    )
    /// The form of `resolveContacts(for:with:)` that Swift imports as `async`.
    func resolveContacts(for intent: INStartVideoCallIntent) async -> [INPersonResolutionResult]
    /// Checks whether the app can perform the intent.
    func confirm(intent: INStartVideoCallIntent, completion: @escaping (INStartVideoCallIntentResponse) -> Void)
    /// The form of `confirm(intent:completion:)` that Swift imports as `async`.
    func confirm(intent: INStartVideoCallIntent) async -> INStartVideoCallIntentResponse
    /// Performs the intent.
    func handle(intent: INStartVideoCallIntent, completion: @escaping (INStartVideoCallIntentResponse) -> Void)
    /// The form of `handle(intent:completion:)` that Swift imports as `async`.
    func handle(intent: INStartVideoCallIntent) async -> INStartVideoCallIntentResponse
}

extension INStartVideoCallIntentHandling {
    public func resolveContacts(
        for intent: INStartVideoCallIntent, with completion: @escaping ([INPersonResolutionResult]) -> Void
    ) {
        _intentMethodNotWritten("resolveContacts(for:with:)")
    }

    public func resolveContacts(for intent: INStartVideoCallIntent) async -> [INPersonResolutionResult] {
        _intentMethodNotWritten("resolveContacts(for:)")
        return []
    }

    public func confirm(
        intent: INStartVideoCallIntent, completion: @escaping (INStartVideoCallIntentResponse) -> Void
    ) {
        _intentMethodNotWritten("confirm(intent:completion:)")
    }

    public func confirm(intent: INStartVideoCallIntent) async -> INStartVideoCallIntentResponse {
        _intentMethodNotWritten("confirm(intent:)")
        return INStartVideoCallIntentResponse()
    }

    public func handle(intent: INStartVideoCallIntent, completion: @escaping (INStartVideoCallIntentResponse) -> Void) {
        _intentMethodNotWritten("handle(intent:completion:)")
    }

    public func handle(intent: INStartVideoCallIntent) async -> INStartVideoCallIntentResponse {
        _intentMethodNotWritten("handle(intent:)")
        return INStartVideoCallIntentResponse()
    }
}
