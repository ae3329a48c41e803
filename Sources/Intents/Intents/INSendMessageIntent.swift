// INSendMessageIntent: a message that is sent.

public import ExtensionFoundation
public import Foundation
public import UserNotifications

/// The kinds of an outgoing message.
public enum INOutgoingMessageType: Int, Sendable, CaseIterable {
    case unknown, outgoingMessageText, outgoingMessageAudio
}

extension INOutgoingMessageType: _IntentEnumeration {}

/// A file beside a message. This kit never creates one.
open class INSendMessageAttachment: NSObject {
    override init() {}
}

/// A message that a person sends, or that a notification is about.
open class INSendMessageIntent: INIntent {
    public internal(set) var recipients: [INPerson]?
    public internal(set) var outgoingMessageType = INOutgoingMessageType.unknown
    public internal(set) var content: String?
    public internal(set) var speakableGroupName: INSpeakableString?
    public internal(set) var conversationIdentifier: String?
    public internal(set) var serviceName: String?
    public internal(set) var sender: INPerson?

    /// Makes an intent without values.
    public required init() {}

    public init(
        recipients: [INPerson]?, outgoingMessageType: INOutgoingMessageType, content: String?,
        speakableGroupName: INSpeakableString?, conversationIdentifier: String?, serviceName: String?,
        sender: INPerson?, attachments: [INSendMessageAttachment]?
    ) {
        super.init()
        self.recipients = recipients
        self.outgoingMessageType = outgoingMessageType
        self.content = content
        self.speakableGroupName = speakableGroupName
        self.conversationIdentifier = conversationIdentifier
        self.serviceName = serviceName
        self.sender = sender
        self.attachments = attachments
    }

    public init(
        recipients: [INPerson]?, content: String?, speakableGroupName: INSpeakableString?,
        conversationIdentifier: String?, serviceName: String?, sender: INPerson?
    ) {
        super.init()
        self.recipients = recipients
        self.content = content
        self.speakableGroupName = speakableGroupName
        self.conversationIdentifier = conversationIdentifier
        self.serviceName = serviceName
        self.sender = sender
    }

    /// The files beside the message.
    public internal(set) var attachments: [INSendMessageAttachment]?
    /// The name of the group, which `speakableGroupName` has replaced.
    open var groupName: String? { speakableGroupName?.spokenPhrase }

    /// Stores the picture of a parameter, such as `\.sender`. Nothing shows it.
    open func setImage<Value>(
        _ image: INImage?, forParameterNamed parameterName: KeyPath<INSendMessageIntent, Value>
    ) {
        images[parameterName] = image
    }

    open func image<Value>(forParameterNamed parameterName: KeyPath<INSendMessageIntent, Value>) -> INImage? {
        images[parameterName]
    }

    public override class var _parameters: [_IntentParameter] {
        [
            _IntentParameter(
                "recipients", \INSendMessageIntent.recipients,
                resolve: {
                    (
                        handler: any INSendMessageIntentHandling, intent,
                        answer: @escaping ([INSendMessageRecipientResolutionResult]) -> Void
                    ) in
                    handler.resolveRecipients(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveRecipients(for: intent) }),
            _IntentParameter(
                "outgoingMessageType", \INSendMessageIntent.outgoingMessageType,
                resolve: {
                    (
                        handler: any INSendMessageIntentHandling, intent,
                        answer: @escaping (INOutgoingMessageTypeResolutionResult) -> Void
                    ) in
                    handler.resolveOutgoingMessageType(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveOutgoingMessageType(for: intent) }),
            _IntentParameter(
                "content", \INSendMessageIntent.content,
                resolve: {
                    (
                        handler: any INSendMessageIntentHandling, intent,
                        answer: @escaping (INStringResolutionResult) -> Void
                    ) in
                    handler.resolveContent(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveContent(for: intent) }),
            _IntentParameter(
                "speakableGroupName", \INSendMessageIntent.speakableGroupName,
                resolve: {
                    (
                        handler: any INSendMessageIntentHandling, intent,
                        answer: @escaping (INSpeakableStringResolutionResult) -> Void
                    ) in
                    handler.resolveSpeakableGroupName(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveSpeakableGroupName(for: intent) }),
            _IntentParameter("conversationIdentifier", \INSendMessageIntent.conversationIdentifier),
            _IntentParameter("serviceName", \INSendMessageIntent.serviceName),
            _IntentParameter("sender", \INSendMessageIntent.sender),
        ]
    }

    public override class var _handling: _IntentHandling? {
        _IntentHandling(
            "INSendMessageIntentHandling",
            confirm: { (handler: any INSendMessageIntentHandling, intent: INSendMessageIntent, answer) in
                handler.confirm(intent: intent, completion: answer)
            },
            confirmAsync: { handler, intent in await handler.confirm(intent: intent) },
            handle: { handler, intent, answer in handler.handle(intent: intent, completion: answer) },
            handleAsync: { handler, intent in await handler.handle(intent: intent) })
    }
}

/// A notification about a message: `UNNotificationContent.updating(from:)` takes the intent, without effect.
extension INSendMessageIntent: UNNotificationContentProviding {}

/// The codes of a response to `INSendMessageIntent`. The numbers are from memory.
public enum INSendMessageIntentResponseCode: Int, Sendable, CaseIterable {
    case unspecified, ready, inProgress, success, failure, failureRequiringAppLaunch
    case failureMessageServiceNotAvailable, failureRequiringInAppAuthentication
}

/// The response to `INSendMessageIntent`.
open class INSendMessageIntentResponse: INIntentResponse {
    /// The code.
    public internal(set) var code = INSendMessageIntentResponseCode.unspecified
    open var sentMessage: INMessage?
    open var sentMessages: [INMessage]?

    /// Makes a response without values.
    public required init() {}

    /// - Parameters:
    ///   - code: the code.
    ///   - userActivity: the activity with which the app continues.
    public init(code: INSendMessageIntentResponseCode, userActivity: NSUserActivity?) {
        super.init()
        self.code = code
        self.userActivity = userActivity
    }

    public override var _code: _IntentCode { _IntentCode(code) }
    public override func _setCode(_ number: Int) { code = .init(rawValue: number) ?? code }
    public override class var _properties: [_IntentProperty] {
        [
            _IntentProperty("sentMessage", \INSendMessageIntentResponse.sentMessage),
            _IntentProperty("sentMessages", \INSendMessageIntentResponse.sentMessages),
        ]
    }
}

/// The object that handles `INSendMessageIntent`.
///
/// An author writes one form of each method. Only `handle` is required.
public protocol INSendMessageIntentHandling: NSObjectProtocol {
    /// Resolves `recipients`.
    func resolveRecipients(
        for intent: INSendMessageIntent, with completion: @escaping ([INSendMessageRecipientResolutionResult]) -> Void
    )
    /// The form of `resolveRecipients(for:with:)` that Swift imports as `async`.
    func resolveRecipients(for intent: INSendMessageIntent) async -> [INSendMessageRecipientResolutionResult]
    /// Resolves `outgoingMessageType`.
    func resolveOutgoingMessageType(
        for intent: INSendMessageIntent, with completion: @escaping (INOutgoingMessageTypeResolutionResult) -> Void
    )
    /// The form of `resolveOutgoingMessageType(for:with:)` that Swift imports as `async`.
    func resolveOutgoingMessageType(for intent: INSendMessageIntent) async -> INOutgoingMessageTypeResolutionResult
    /// Resolves `content`.
    func resolveContent(for intent: INSendMessageIntent, with completion: @escaping (INStringResolutionResult) -> Void)
    /// The form of `resolveContent(for:with:)` that Swift imports as `async`.
    func resolveContent(for intent: INSendMessageIntent) async -> INStringResolutionResult
    /// Resolves `speakableGroupName`.
    func resolveSpeakableGroupName(
        for intent: INSendMessageIntent, with completion: @escaping (INSpeakableStringResolutionResult) -> Void
    )
    /// The form of `resolveSpeakableGroupName(for:with:)` that Swift imports as `async`.
    func resolveSpeakableGroupName(for intent: INSendMessageIntent) async -> INSpeakableStringResolutionResult
    /// Checks whether the app can perform the intent.
    func confirm(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void)
    /// The form of `confirm(intent:completion:)` that Swift imports as `async`.
    func confirm(intent: INSendMessageIntent) async -> INSendMessageIntentResponse
    /// Performs the intent.
    func handle(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void)
    /// The form of `handle(intent:completion:)` that Swift imports as `async`.
    func handle(intent: INSendMessageIntent) async -> INSendMessageIntentResponse
    /// The form of `resolveRecipients(for:with:)` of iOS 10.
    func resolveRecipients(
        for intent: INSendMessageIntent, with completion: @escaping ([INPersonResolutionResult]) -> Void
    )
}

extension INSendMessageIntentHandling {
    public func resolveRecipients(
        for intent: INSendMessageIntent, with completion: @escaping ([INSendMessageRecipientResolutionResult]) -> Void
    ) {
        resolveRecipients(for: intent) { (results: [INPersonResolutionResult]) in
            completion(results.map { INSendMessageRecipientResolutionResult(personResolutionResult: $0) })
        }
    }

    public func resolveRecipients(for intent: INSendMessageIntent) async -> [INSendMessageRecipientResolutionResult] {
        _intentMethodNotWritten("resolveRecipients(for:)")
        return []
    }

    public func resolveOutgoingMessageType(
        for intent: INSendMessageIntent, with completion: @escaping (INOutgoingMessageTypeResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveOutgoingMessageType(for:with:)")
    }

    public func resolveOutgoingMessageType(for intent: INSendMessageIntent) async
        -> INOutgoingMessageTypeResolutionResult
    {
        _intentMethodNotWritten("resolveOutgoingMessageType(for:)")
        return .notRequired()
    }

    public func resolveContent(
        for intent: INSendMessageIntent, with completion: @escaping (INStringResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveContent(for:with:)")
    }

    public func resolveContent(for intent: INSendMessageIntent) async -> INStringResolutionResult {
        _intentMethodNotWritten("resolveContent(for:)")
        return .notRequired()
    }

    public func resolveSpeakableGroupName(
        for intent: INSendMessageIntent, with completion: @escaping (INSpeakableStringResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveSpeakableGroupName(for:with:)")
    }

    public func resolveSpeakableGroupName(for intent: INSendMessageIntent) async -> INSpeakableStringResolutionResult {
        _intentMethodNotWritten("resolveSpeakableGroupName(for:)")
        return .notRequired()
    }

    public func confirm(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void) {
        _intentMethodNotWritten("confirm(intent:completion:)")
    }

    public func confirm(intent: INSendMessageIntent) async -> INSendMessageIntentResponse {
        _intentMethodNotWritten("confirm(intent:)")
        return INSendMessageIntentResponse()
    }

    public func handle(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void) {
        _intentMethodNotWritten("handle(intent:completion:)")
    }

    public func handle(intent: INSendMessageIntent) async -> INSendMessageIntentResponse {
        _intentMethodNotWritten("handle(intent:)")
        return INSendMessageIntentResponse()
    }

    public func resolveRecipients(
        for intent: INSendMessageIntent, with completion: @escaping ([INPersonResolutionResult]) -> Void
    ) {
        _intentMethodNotWritten("resolveRecipients(for:with:)")
    }
}
