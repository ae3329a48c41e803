// INSearchForMessagesIntent: a search for messages.

public import ExtensionFoundation
public import Foundation

/// A search for messages.
open class INSearchForMessagesIntent: INIntent {
    public internal(set) var recipients: [INPerson]?
    public internal(set) var senders: [INPerson]?
    public internal(set) var searchTerms: [String]?
    public internal(set) var attributes = INMessageAttributeOptions()
    public internal(set) var dateTimeRange: INDateComponentsRange?
    public internal(set) var identifiers: [String]?
    public internal(set) var notificationIdentifiers: [String]?
    public internal(set) var speakableGroupNames: [INSpeakableString]?
    public internal(set) var conversationIdentifiers: [String]?

    /// Makes an intent without values.
    public required init() {}

    public init(
        recipients: [INPerson]?, senders: [INPerson]?, searchTerms: [String]?, attributes: INMessageAttributeOptions,
        dateTimeRange: INDateComponentsRange?, identifiers: [String]?, notificationIdentifiers: [String]?,
        speakableGroupNames: [INSpeakableString]?, conversationIdentifiers: [String]?
    ) {
        super.init()
        self.recipients = recipients
        self.senders = senders
        self.searchTerms = searchTerms
        self.attributes = attributes
        self.dateTimeRange = dateTimeRange
        self.identifiers = identifiers
        self.notificationIdentifiers = notificationIdentifiers
        self.speakableGroupNames = speakableGroupNames
        self.conversationIdentifiers = conversationIdentifiers
    }

    public init(
        recipients: [INPerson]?, senders: [INPerson]?, searchTerms: [String]?, attributes: INMessageAttributeOptions,
        dateTimeRange: INDateComponentsRange?, identifiers: [String]?, notificationIdentifiers: [String]?,
        speakableGroupNames: [INSpeakableString]?
    ) {
        super.init()
        self.recipients = recipients
        self.senders = senders
        self.searchTerms = searchTerms
        self.attributes = attributes
        self.dateTimeRange = dateTimeRange
        self.identifiers = identifiers
        self.notificationIdentifiers = notificationIdentifiers
        self.speakableGroupNames = speakableGroupNames
    }

    public override class var _parameters: [_IntentParameter] {
        [
            _IntentParameter(
                "recipients", \INSearchForMessagesIntent.recipients,
                resolve: {
                    (
                        handler: any INSearchForMessagesIntentHandling, intent,
                        answer: @escaping ([INPersonResolutionResult]) -> Void
                    ) in
                    handler.resolveRecipients(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveRecipients(for: intent) }),
            _IntentParameter(
                "senders", \INSearchForMessagesIntent.senders,
                resolve: {
                    (
                        handler: any INSearchForMessagesIntentHandling, intent,
                        answer: @escaping ([INPersonResolutionResult]) -> Void
                    ) in
                    handler.resolveSenders(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveSenders(for: intent) }),
            _IntentParameter("searchTerms", \INSearchForMessagesIntent.searchTerms),
            _IntentParameter(
                "attributes", \INSearchForMessagesIntent.attributes,
                resolve: {
                    (
                        handler: any INSearchForMessagesIntentHandling, intent,
                        answer: @escaping (INMessageAttributeOptionsResolutionResult) -> Void
                    ) in
                    handler.resolveAttributes(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveAttributes(for: intent) }),
            _IntentParameter(
                "dateTimeRange", \INSearchForMessagesIntent.dateTimeRange,
                resolve: {
                    (
                        handler: any INSearchForMessagesIntentHandling, intent,
                        answer: @escaping (INDateComponentsRangeResolutionResult) -> Void
                    ) in
                    handler.resolveDateTimeRange(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveDateTimeRange(for: intent) }),
            _IntentParameter("identifiers", \INSearchForMessagesIntent.identifiers),
            _IntentParameter("notificationIdentifiers", \INSearchForMessagesIntent.notificationIdentifiers),
            _IntentParameter(
                "speakableGroupNames", \INSearchForMessagesIntent.speakableGroupNames,
                resolve: {
                    (
                        handler: any INSearchForMessagesIntentHandling, intent,
                        answer: @escaping ([INSpeakableStringResolutionResult]) -> Void
                    ) in
                    handler.resolveSpeakableGroupNames(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveSpeakableGroupNames(for: intent) }),
            _IntentParameter("conversationIdentifiers", \INSearchForMessagesIntent.conversationIdentifiers),
        ]
    }

    public override class var _handling: _IntentHandling? {
        _IntentHandling(
            "INSearchForMessagesIntentHandling",
            confirm: { (handler: any INSearchForMessagesIntentHandling, intent: INSearchForMessagesIntent, answer) in
                handler.confirm(intent: intent, completion: answer)
            },
            confirmAsync: { handler, intent in await handler.confirm(intent: intent) },
            handle: { handler, intent, answer in handler.handle(intent: intent, completion: answer) },
            handleAsync: { handler, intent in await handler.handle(intent: intent) })
    }
}

/// The codes of a response to `INSearchForMessagesIntent`. The numbers are from memory.
public enum INSearchForMessagesIntentResponseCode: Int, Sendable, CaseIterable {
    case unspecified, ready, inProgress, success, failure, failureRequiringAppLaunch
    case failureMessageServiceNotAvailable, failureMessageTooManyResults, failureRequiringInAppAuthentication
}

/// The response to `INSearchForMessagesIntent`.
open class INSearchForMessagesIntentResponse: INIntentResponse {
    /// The code.
    public internal(set) var code = INSearchForMessagesIntentResponseCode.unspecified
    open var messages: [INMessage]?

    /// Makes a response without values.
    public required init() {}

    /// - Parameters:
    ///   - code: the code.
    ///   - userActivity: the activity with which the app continues.
    public init(code: INSearchForMessagesIntentResponseCode, userActivity: NSUserActivity?) {
        super.init()
        self.code = code
        self.userActivity = userActivity
    }

    public override var _code: _IntentCode { _IntentCode(code) }
    public override func _setCode(_ number: Int) { code = .init(rawValue: number) ?? code }
    public override class var _properties: [_IntentProperty] {
        [
            _IntentProperty("messages", \INSearchForMessagesIntentResponse.messages)
        ]
    }
}

/// The object that handles `INSearchForMessagesIntent`.
///
/// An author writes one form of each method. Only `handle` is required.
public protocol INSearchForMessagesIntentHandling: NSObjectProtocol {
    /// Resolves `recipients`.
    func resolveRecipients(
        for intent: INSearchForMessagesIntent, with completion: @escaping ([INPersonResolutionResult]) -> Void
    )
    /// The form of `resolveRecipients(for:with:)` that Swift imports as `async`.
    func resolveRecipients(for intent: INSearchForMessagesIntent) async -> [INPersonResolutionResult]
    /// Resolves `senders`.
    func resolveSenders(
        for intent: INSearchForMessagesIntent, with completion: @escaping ([INPersonResolutionResult]) -> Void
    )
    /// The form of `resolveSenders(for:with:)` that Swift imports as `async`.
    func resolveSenders(for intent: INSearchForMessagesIntent) async -> [INPersonResolutionResult]
    /// Resolves `attributes`.
    func resolveAttributes(
        for intent: INSearchForMessagesIntent,
        with completion: @escaping (INMessageAttributeOptionsResolutionResult) -> Void
    )
    /// The form of `resolveAttributes(for:with:)` that Swift imports as `async`.
    func resolveAttributes(for intent: INSearchForMessagesIntent) async -> INMessageAttributeOptionsResolutionResult
    /// Resolves `dateTimeRange`.
    func resolveDateTimeRange(
        for intent: INSearchForMessagesIntent,
        with completion: @escaping (INDateComponentsRangeResolutionResult) -> Void
    )
    /// The form of `resolveDateTimeRange(for:with:)` that Swift imports as `async`.
    func resolveDateTimeRange(for intent: INSearchForMessagesIntent) async -> INDateComponentsRangeResolutionResult
    /// Resolves `speakableGroupNames`.
    func resolveSpeakableGroupNames(
        for intent: INSearchForMessagesIntent, with completion: @escaping ([INSpeakableStringResolutionResult]) -> Void
    )
    /// The form of `resolveSpeakableGroupNames(for:with:)` that Swift imports as `async`.
    func resolveSpeakableGroupNames(for intent: INSearchForMessagesIntent) async -> [INSpeakableStringResolutionResult]
    /// Checks whether the app can perform the intent.
    func confirm(intent: INSearchForMessagesIntent, completion: @escaping (INSearchForMessagesIntentResponse) -> Void)
    /// The form of `confirm(intent:completion:)` that Swift imports as `async`.
    func confirm(intent: INSearchForMessagesIntent) async -> INSearchForMessagesIntentResponse
    /// Performs the intent.
    func handle(intent: INSearchForMessagesIntent, completion: @escaping (INSearchForMessagesIntentResponse) -> Void)
    /// The form of `handle(intent:completion:)` that Swift imports as `async`.
    func handle(intent: INSearchForMessagesIntent) async -> INSearchForMessagesIntentResponse
}

extension INSearchForMessagesIntentHandling {
    public func resolveRecipients(
        for intent: INSearchForMessagesIntent, with completion: @escaping ([INPersonResolutionResult]) -> Void
    ) {
        _intentMethodNotWritten("resolveRecipients(for:with:)")
    }

    public func resolveRecipients(for intent: INSearchForMessagesIntent) async -> [INPersonResolutionResult] {
        _intentMethodNotWritten("resolveRecipients(for:)")
        return []
    }

    public func resolveSenders(
        for intent: INSearchForMessagesIntent, with completion: @escaping ([INPersonResolutionResult]) -> Void
    ) {
        _intentMethodNotWritten("resolveSenders(for:with:)")
    }

    public func resolveSenders(for intent: INSearchForMessagesIntent) async -> [INPersonResolutionResult] {
        _intentMethodNotWritten("resolveSenders(for:)")
        return []
    }

    public func resolveAttributes(
        for intent: INSearchForMessagesIntent,
        with completion: @escaping (INMessageAttributeOptionsResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveAttributes(for:with:)")
    }

    public func resolveAttributes(for intent: INSearchForMessagesIntent) async
        -> INMessageAttributeOptionsResolutionResult
    {
        _intentMethodNotWritten("resolveAttributes(for:)")
        return .notRequired()
    }

    public func resolveDateTimeRange(
        for intent: INSearchForMessagesIntent,
        with completion: @escaping (INDateComponentsRangeResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveDateTimeRange(for:with:)")
    }

    public func resolveDateTimeRange(for intent: INSearchForMessagesIntent) async
        -> INDateComponentsRangeResolutionResult
    {
        _intentMethodNotWritten("resolveDateTimeRange(for:)")
        return .notRequired()
    }

    public func resolveSpeakableGroupNames(
        for intent: INSearchForMessagesIntent, with completion: @escaping ([INSpeakableStringResolutionResult]) -> Void
    ) {
        _intentMethodNotWritten("resolveSpeakableGroupNames(for:with:)")
    }

    public func resolveSpeakableGroupNames(for intent: INSearchForMessagesIntent) async
        -> [INSpeakableStringResolutionResult]
    {
        _intentMethodNotWritten("resolveSpeakableGroupNames(for:)")
        return []
    }

    public func confirm(
        intent: INSearchForMessagesIntent, completion: @escaping (INSearchForMessagesIntentResponse) -> Void
    ) {
        _intentMethodNotWritten("confirm(intent:completion:)")
    }

    public func confirm(intent: INSearchForMessagesIntent) async -> INSearchForMessagesIntentResponse {
        _intentMethodNotWritten("confirm(intent:)")
        return INSearchForMessagesIntentResponse()
    }

    public func handle(
        intent: INSearchForMessagesIntent, completion: @escaping (INSearchForMessagesIntentResponse) -> Void
    ) {
        _intentMethodNotWritten("handle(intent:completion:)")
    }

    public func handle(intent: INSearchForMessagesIntent) async -> INSearchForMessagesIntentResponse {
        _intentMethodNotWritten("handle(intent:)")
        return INSearchForMessagesIntentResponse()
    }
}
