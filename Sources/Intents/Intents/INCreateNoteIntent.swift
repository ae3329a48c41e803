// INCreateNoteIntent: a note that is made.

public import ExtensionFoundation
public import Foundation

/// A note that a person makes.
open class INCreateNoteIntent: INIntent {
    public internal(set) var title: INSpeakableString?
    public internal(set) var content: INNoteContent?
    public internal(set) var groupName: INSpeakableString?

    /// Makes an intent without values.
    public required init() {}

    public init(title: INSpeakableString?, content: INNoteContent?, groupName: INSpeakableString?) {
        super.init()
        self.title = title
        self.content = content
        self.groupName = groupName
    }

    public override class var _parameters: [_IntentParameter] {
        [
            _IntentParameter(
                "title", \INCreateNoteIntent.title,
                resolve: {
                    (
                        handler: any INCreateNoteIntentHandling, intent,
                        answer: @escaping (INSpeakableStringResolutionResult) -> Void
                    ) in
                    handler.resolveTitle(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveTitle(for: intent) }),
            _IntentParameter(
                "content", \INCreateNoteIntent.content,
                resolve: {
                    (
                        handler: any INCreateNoteIntentHandling, intent,
                        answer: @escaping (INNoteContentResolutionResult) -> Void
                    ) in
                    handler.resolveContent(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveContent(for: intent) }),
            _IntentParameter(
                "groupName", \INCreateNoteIntent.groupName,
                resolve: {
                    (
                        handler: any INCreateNoteIntentHandling, intent,
                        answer: @escaping (INSpeakableStringResolutionResult) -> Void
                    ) in
                    handler.resolveGroupName(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveGroupName(for: intent) }),
        ]
    }

    public override class var _handling: _IntentHandling? {
        _IntentHandling(
            "INCreateNoteIntentHandling",
            confirm: { (handler: any INCreateNoteIntentHandling, intent: INCreateNoteIntent, answer) in
                handler.confirm(intent: intent, completion: answer)
            },
            confirmAsync: { handler, intent in await handler.confirm(intent: intent) },
            handle: { handler, intent, answer in handler.handle(intent: intent, completion: answer) },
            handleAsync: { handler, intent in await handler.handle(intent: intent) })
    }
}

/// The codes of a response to `INCreateNoteIntent`. The numbers are from memory.
public enum INCreateNoteIntentResponseCode: Int, Sendable, CaseIterable {
    case unspecified, ready, inProgress, success, failure, failureRequiringAppLaunch
}

/// The response to `INCreateNoteIntent`.
open class INCreateNoteIntentResponse: INIntentResponse {
    /// The code.
    public internal(set) var code = INCreateNoteIntentResponseCode.unspecified
    open var createdNote: INNote?

    /// Makes a response without values.
    public required init() {}

    /// - Parameters:
    ///   - code: the code.
    ///   - userActivity: the activity with which the app continues.
    public init(code: INCreateNoteIntentResponseCode, userActivity: NSUserActivity?) {
        super.init()
        self.code = code
        self.userActivity = userActivity
    }

    public override var _code: _IntentCode { _IntentCode(code) }
    public override func _setCode(_ number: Int) { code = .init(rawValue: number) ?? code }
    public override class var _properties: [_IntentProperty] {
        [
            _IntentProperty("createdNote", \INCreateNoteIntentResponse.createdNote)
        ]
    }
}

/// The object that handles `INCreateNoteIntent`.
///
/// An author writes one form of each method. Only `handle` is required.
public protocol INCreateNoteIntentHandling: NSObjectProtocol {
    /// Resolves `title`.
    func resolveTitle(
        for intent: INCreateNoteIntent, with completion: @escaping (INSpeakableStringResolutionResult) -> Void
    )
    /// The form of `resolveTitle(for:with:)` that Swift imports as `async`.
    func resolveTitle(for intent: INCreateNoteIntent) async -> INSpeakableStringResolutionResult
    /// Resolves `content`.
    func resolveContent(
        for intent: INCreateNoteIntent, with completion: @escaping (INNoteContentResolutionResult) -> Void
    )
    /// The form of `resolveContent(for:with:)` that Swift imports as `async`.
    func resolveContent(for intent: INCreateNoteIntent) async -> INNoteContentResolutionResult
    /// Resolves `groupName`.
    func resolveGroupName(
        for intent: INCreateNoteIntent, with completion: @escaping (INSpeakableStringResolutionResult) -> Void
    )
    /// The form of `resolveGroupName(for:with:)` that Swift imports as `async`.
    func resolveGroupName(for intent: INCreateNoteIntent) async -> INSpeakableStringResolutionResult
    /// Checks whether the app can perform the intent.
    func confirm(intent: INCreateNoteIntent, completion: @escaping (INCreateNoteIntentResponse) -> Void)
    /// The form of `confirm(intent:completion:)` that Swift imports as `async`.
    func confirm(intent: INCreateNoteIntent) async -> INCreateNoteIntentResponse
    /// Performs the intent.
    func handle(intent: INCreateNoteIntent, completion: @escaping (INCreateNoteIntentResponse) -> Void)
    /// The form of `handle(intent:completion:)` that Swift imports as `async`.
    func handle(intent: INCreateNoteIntent) async -> INCreateNoteIntentResponse
}

extension INCreateNoteIntentHandling {
    public func resolveTitle(
        for intent: INCreateNoteIntent, with completion: @escaping (INSpeakableStringResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveTitle(for:with:)")
    }

    public func resolveTitle(for intent: INCreateNoteIntent) async -> INSpeakableStringResolutionResult {
        _intentMethodNotWritten("resolveTitle(for:)")
        return .notRequired()
    }

    public func resolveContent(
        for intent: INCreateNoteIntent, with completion: @escaping (INNoteContentResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveContent(for:with:)")
    }

    public func resolveContent(for intent: INCreateNoteIntent) async -> INNoteContentResolutionResult {
        _intentMethodNotWritten("resolveContent(for:)")
        return .notRequired()
    }

    public func resolveGroupName(
        for intent: INCreateNoteIntent, with completion: @escaping (INSpeakableStringResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveGroupName(for:with:)")
    }

    public func resolveGroupName(for intent: INCreateNoteIntent) async -> INSpeakableStringResolutionResult {
        _intentMethodNotWritten("resolveGroupName(for:)")
        return .notRequired()
    }

    public func confirm(intent: INCreateNoteIntent, completion: @escaping (INCreateNoteIntentResponse) -> Void) {
        _intentMethodNotWritten("confirm(intent:completion:)")
    }

    public func confirm(intent: INCreateNoteIntent) async -> INCreateNoteIntentResponse {
        _intentMethodNotWritten("confirm(intent:)")
        return INCreateNoteIntentResponse()
    }

    public func handle(intent: INCreateNoteIntent, completion: @escaping (INCreateNoteIntentResponse) -> Void) {
        _intentMethodNotWritten("handle(intent:completion:)")
    }

    public func handle(intent: INCreateNoteIntent) async -> INCreateNoteIntentResponse {
        _intentMethodNotWritten("handle(intent:)")
        return INCreateNoteIntentResponse()
    }
}
