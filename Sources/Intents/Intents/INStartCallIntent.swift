// INStartCallIntent: a call that is started.

public import ExtensionFoundation
public import Foundation

/// A call that a person starts.
open class INStartCallIntent: INIntent {
    public internal(set) var callRecordFilter: INCallRecordFilter?
    public internal(set) var callRecordToCallBack: INCallRecord?
    public internal(set) var audioRoute = INCallAudioRoute.unknown
    public internal(set) var destinationType = INCallDestinationType.unknown
    public internal(set) var contacts: [INPerson]?
    public internal(set) var callCapability = INCallCapability.unknown

    /// Makes an intent without values.
    public required init() {}

    public init(
        callRecordFilter: INCallRecordFilter?, callRecordToCallBack: INCallRecord?, audioRoute: INCallAudioRoute,
        destinationType: INCallDestinationType, contacts: [INPerson]?, callCapability: INCallCapability
    ) {
        super.init()
        self.callRecordFilter = callRecordFilter
        self.callRecordToCallBack = callRecordToCallBack
        self.audioRoute = audioRoute
        self.destinationType = destinationType
        self.contacts = contacts
        self.callCapability = callCapability
    }

    /// The form of iOS 13.
    ///
    /// - Parameters:
    ///   - audioRoute: the way of the sound.
    ///   - destinationType: the kind of destination.
    ///   - contacts: the people.
    ///   - recordTypeForRedialing: the kind of the past call that is dialled again.
    ///   - callCapability: the kind of call.
    public convenience init(
        audioRoute: INCallAudioRoute, destinationType: INCallDestinationType, contacts: [INPerson]?,
        recordTypeForRedialing: INCallRecordType, callCapability: INCallCapability
    ) {
        self.init(
            callRecordFilter: nil, callRecordToCallBack: nil, audioRoute: audioRoute, destinationType: destinationType,
            contacts: contacts, callCapability: callCapability)
        self.recordTypeForRedialing = recordTypeForRedialing
    }

    /// The kind of the past call that is dialled again.
    public internal(set) var recordTypeForRedialing = INCallRecordType.unknown

    public override class var _parameters: [_IntentParameter] {
        [
            _IntentParameter("callRecordFilter", \INStartCallIntent.callRecordFilter),
            _IntentParameter(
                "callRecordToCallBack", \INStartCallIntent.callRecordToCallBack,
                resolve: {
                    (
                        handler: any INStartCallIntentHandling, intent,
                        answer: @escaping (INCallRecordResolutionResult) -> Void
                    ) in
                    handler.resolveCallRecordToCallBack(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveCallRecordToCallBack(for: intent) }),
            _IntentParameter("audioRoute", \INStartCallIntent.audioRoute),
            _IntentParameter(
                "destinationType", \INStartCallIntent.destinationType,
                resolve: {
                    (
                        handler: any INStartCallIntentHandling, intent,
                        answer: @escaping (INCallDestinationTypeResolutionResult) -> Void
                    ) in
                    handler.resolveDestinationType(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveDestinationType(for: intent) }),
            _IntentParameter(
                "contacts", \INStartCallIntent.contacts,
                resolve: {
                    (
                        handler: any INStartCallIntentHandling, intent,
                        answer: @escaping ([INStartCallContactResolutionResult]) -> Void
                    ) in
                    handler.resolveContacts(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveContacts(for: intent) }),
            _IntentParameter(
                "callCapability", \INStartCallIntent.callCapability,
                resolve: {
                    (
                        handler: any INStartCallIntentHandling, intent,
                        answer: @escaping (INStartCallCallCapabilityResolutionResult) -> Void
                    ) in
                    handler.resolveCallCapability(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveCallCapability(for: intent) }),
        ]
    }

    public override class var _handling: _IntentHandling? {
        _IntentHandling(
            "INStartCallIntentHandling",
            confirm: { (handler: any INStartCallIntentHandling, intent: INStartCallIntent, answer) in
                handler.confirm(intent: intent, completion: answer)
            },
            confirmAsync: { handler, intent in await handler.confirm(intent: intent) },
            handle: { handler, intent, answer in handler.handle(intent: intent, completion: answer) },
            handleAsync: { handler, intent in await handler.handle(intent: intent) })
    }
}

/// The codes of a response to `INStartCallIntent`. The numbers are from memory.
public enum INStartCallIntentResponseCode: Int, Sendable, CaseIterable {
    case unspecified, ready, continueInApp, userConfirmationRequired, failure, failureRequiringAppLaunch
    case failureCallingServiceNotAvailable, failureContactNotSupportedByApp, failureAirplaneModeEnabled
    case failureUnableToHandOff, failureAppConfigurationRequired, failureCallInProgress, failureCallRinging
}

/// The response to `INStartCallIntent`.
open class INStartCallIntentResponse: INIntentResponse {
    /// The code.
    public internal(set) var code = INStartCallIntentResponseCode.unspecified

    /// Makes a response without values.
    public required init() {}

    /// - Parameters:
    ///   - code: the code.
    ///   - userActivity: the activity with which the app continues.
    public init(code: INStartCallIntentResponseCode, userActivity: NSUserActivity?) {
        super.init()
        self.code = code
        self.userActivity = userActivity
    }

    public override var _code: _IntentCode { _IntentCode(code) }
    public override func _setCode(_ number: Int) { code = .init(rawValue: number) ?? code }
}

/// The object that handles `INStartCallIntent`.
///
/// An author writes one form of each method. Only `handle` is required.
public protocol INStartCallIntentHandling: NSObjectProtocol {
    /// Resolves `callRecordToCallBack`.
    func resolveCallRecordToCallBack(
        for intent: INStartCallIntent, with completion: @escaping (INCallRecordResolutionResult) -> Void
    )
    /// The form of `resolveCallRecordToCallBack(for:with:)` that Swift imports as `async`.
    func resolveCallRecordToCallBack(for intent: INStartCallIntent) async -> INCallRecordResolutionResult
    /// Resolves `destinationType`.
    func resolveDestinationType(
        for intent: INStartCallIntent, with completion: @escaping (INCallDestinationTypeResolutionResult) -> Void
    )
    /// The form of `resolveDestinationType(for:with:)` that Swift imports as `async`.
    func resolveDestinationType(for intent: INStartCallIntent) async -> INCallDestinationTypeResolutionResult
    /// Resolves `contacts`.
    func resolveContacts(
        for intent: INStartCallIntent, with completion: @escaping ([INStartCallContactResolutionResult]) -> Void
    )
    /// The form of `resolveContacts(for:with:)` that Swift imports as `async`.
    func resolveContacts(for intent: INStartCallIntent) async -> [INStartCallContactResolutionResult]
    /// Resolves `callCapability`.
    func resolveCallCapability(
        for intent: INStartCallIntent, with completion: @escaping (INStartCallCallCapabilityResolutionResult) -> Void
    )
    /// The form of `resolveCallCapability(for:with:)` that Swift imports as `async`.
    func resolveCallCapability(for intent: INStartCallIntent) async -> INStartCallCallCapabilityResolutionResult
    /// Checks whether the app can perform the intent.
    func confirm(intent: INStartCallIntent, completion: @escaping (INStartCallIntentResponse) -> Void)
    /// The form of `confirm(intent:completion:)` that Swift imports as `async`.
    func confirm(intent: INStartCallIntent) async -> INStartCallIntentResponse
    /// Performs the intent.
    func handle(intent: INStartCallIntent, completion: @escaping (INStartCallIntentResponse) -> Void)
    /// The form of `handle(intent:completion:)` that Swift imports as `async`.
    func handle(intent: INStartCallIntent) async -> INStartCallIntentResponse
}

extension INStartCallIntentHandling {
    public func resolveCallRecordToCallBack(
        for intent: INStartCallIntent, with completion: @escaping (INCallRecordResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveCallRecordToCallBack(for:with:)")
    }

    public func resolveCallRecordToCallBack(for intent: INStartCallIntent) async -> INCallRecordResolutionResult {
        _intentMethodNotWritten("resolveCallRecordToCallBack(for:)")
        return .notRequired()
    }

    public func resolveDestinationType(
        for intent: INStartCallIntent, with completion: @escaping (INCallDestinationTypeResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveDestinationType(for:with:)")
    }

    public func resolveDestinationType(for intent: INStartCallIntent) async -> INCallDestinationTypeResolutionResult {
        _intentMethodNotWritten("resolveDestinationType(for:)")
        return .notRequired()
    }

    public func resolveContacts(
        for intent: INStartCallIntent, with completion: @escaping ([INStartCallContactResolutionResult]) -> Void
    ) {
        _intentMethodNotWritten("resolveContacts(for:with:)")
    }

    public func resolveContacts(for intent: INStartCallIntent) async -> [INStartCallContactResolutionResult] {
        _intentMethodNotWritten("resolveContacts(for:)")
        return []
    }

    public func resolveCallCapability(
        for intent: INStartCallIntent, with completion: @escaping (INStartCallCallCapabilityResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveCallCapability(for:with:)")
    }

    public func resolveCallCapability(for intent: INStartCallIntent) async -> INStartCallCallCapabilityResolutionResult
    {
        _intentMethodNotWritten("resolveCallCapability(for:)")
        return .notRequired()
    }

    public func confirm(intent: INStartCallIntent, completion: @escaping (INStartCallIntentResponse) -> Void) {
        _intentMethodNotWritten("confirm(intent:completion:)")
    }

    public func confirm(intent: INStartCallIntent) async -> INStartCallIntentResponse {
        _intentMethodNotWritten("confirm(intent:)")
        return INStartCallIntentResponse()
    }

    public func handle(intent: INStartCallIntent, completion: @escaping (INStartCallIntentResponse) -> Void) {
        _intentMethodNotWritten("handle(intent:completion:)")
    }

    public func handle(intent: INStartCallIntent) async -> INStartCallIntentResponse {
        _intentMethodNotWritten("handle(intent:)")
        return INStartCallIntentResponse()
    }
}
