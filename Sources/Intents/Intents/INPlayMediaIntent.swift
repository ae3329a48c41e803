// INPlayMediaIntent: media that is played.

public import ExtensionFoundation
public import Foundation

/// Media that a person plays.
open class INPlayMediaIntent: INIntent {
    public internal(set) var mediaItems: [INMediaItem]?
    public internal(set) var mediaContainer: INMediaItem?
    public internal(set) var playShuffled: Bool?
    public internal(set) var playbackRepeatMode = INPlaybackRepeatMode.unknown
    public internal(set) var resumePlayback: Bool?
    public internal(set) var playbackQueueLocation = INPlaybackQueueLocation.unknown
    public internal(set) var playbackSpeed: Double?
    public internal(set) var mediaSearch: INMediaSearch?

    /// Makes an intent without values.
    public required init() {}

    public init(
        mediaItems: [INMediaItem]? = nil, mediaContainer: INMediaItem? = nil, playShuffled: Bool? = nil,
        playbackRepeatMode: INPlaybackRepeatMode = .unknown, resumePlayback: Bool? = nil,
        playbackQueueLocation: INPlaybackQueueLocation = .unknown, playbackSpeed: Double? = nil,
        mediaSearch: INMediaSearch? = nil
    ) {
        super.init()
        self.mediaItems = mediaItems
        self.mediaContainer = mediaContainer
        self.playShuffled = playShuffled
        self.playbackRepeatMode = playbackRepeatMode
        self.resumePlayback = resumePlayback
        self.playbackQueueLocation = playbackQueueLocation
        self.playbackSpeed = playbackSpeed
        self.mediaSearch = mediaSearch
    }

    public override class var _parameters: [_IntentParameter] {
        [
            _IntentParameter(
                "mediaItems", \INPlayMediaIntent.mediaItems,
                resolve: {
                    (
                        handler: any INPlayMediaIntentHandling, intent,
                        answer: @escaping ([INPlayMediaMediaItemResolutionResult]) -> Void
                    ) in
                    handler.resolveMediaItems(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveMediaItems(for: intent) }),
            _IntentParameter("mediaContainer", \INPlayMediaIntent.mediaContainer),
            _IntentParameter(
                "playShuffled", \INPlayMediaIntent.playShuffled,
                resolve: {
                    (
                        handler: any INPlayMediaIntentHandling, intent,
                        answer: @escaping (INBooleanResolutionResult) -> Void
                    ) in
                    handler.resolvePlayShuffled(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolvePlayShuffled(for: intent) }),
            _IntentParameter(
                "playbackRepeatMode", \INPlayMediaIntent.playbackRepeatMode,
                resolve: {
                    (
                        handler: any INPlayMediaIntentHandling, intent,
                        answer: @escaping (INPlaybackRepeatModeResolutionResult) -> Void
                    ) in
                    handler.resolvePlaybackRepeatMode(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolvePlaybackRepeatMode(for: intent) }),
            _IntentParameter(
                "resumePlayback", \INPlayMediaIntent.resumePlayback,
                resolve: {
                    (
                        handler: any INPlayMediaIntentHandling, intent,
                        answer: @escaping (INBooleanResolutionResult) -> Void
                    ) in
                    handler.resolveResumePlayback(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolveResumePlayback(for: intent) }),
            _IntentParameter(
                "playbackQueueLocation", \INPlayMediaIntent.playbackQueueLocation,
                resolve: {
                    (
                        handler: any INPlayMediaIntentHandling, intent,
                        answer: @escaping (INPlaybackQueueLocationResolutionResult) -> Void
                    ) in
                    handler.resolvePlaybackQueueLocation(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolvePlaybackQueueLocation(for: intent) }),
            _IntentParameter(
                "playbackSpeed", \INPlayMediaIntent.playbackSpeed,
                resolve: {
                    (
                        handler: any INPlayMediaIntentHandling, intent,
                        answer: @escaping (INPlayMediaPlaybackSpeedResolutionResult) -> Void
                    ) in
                    handler.resolvePlaybackSpeed(for: intent, with: answer)
                },
                async: { handler, intent in await handler.resolvePlaybackSpeed(for: intent) }),
            _IntentParameter("mediaSearch", \INPlayMediaIntent.mediaSearch),
        ]
    }

    public override class var _handling: _IntentHandling? {
        _IntentHandling(
            "INPlayMediaIntentHandling",
            confirm: { (handler: any INPlayMediaIntentHandling, intent: INPlayMediaIntent, answer) in
                handler.confirm(intent: intent, completion: answer)
            },
            confirmAsync: { handler, intent in await handler.confirm(intent: intent) },
            handle: { handler, intent, answer in handler.handle(intent: intent, completion: answer) },
            handleAsync: { handler, intent in await handler.handle(intent: intent) })
    }
}

/// The codes of a response to `INPlayMediaIntent`. The numbers are from memory.
public enum INPlayMediaIntentResponseCode: Int, Sendable, CaseIterable {
    case unspecified, ready, continueInApp, inProgress, success, handleInApp, failure, failureRequiringAppLaunch
    case failureUnknownMediaType, failureNoUnplayedContent, failureRestrictedContent, failureMaxStreamLimitReached
}

/// The response to `INPlayMediaIntent`.
open class INPlayMediaIntentResponse: INIntentResponse {
    /// The code.
    public internal(set) var code = INPlayMediaIntentResponseCode.unspecified
    open var nowPlayingInfo: [String: Any]?

    /// Makes a response without values.
    public required init() {}

    /// - Parameters:
    ///   - code: the code.
    ///   - userActivity: the activity with which the app continues.
    public init(code: INPlayMediaIntentResponseCode, userActivity: NSUserActivity?) {
        super.init()
        self.code = code
        self.userActivity = userActivity
    }

    public override var _code: _IntentCode { _IntentCode(code) }
    public override func _setCode(_ number: Int) { code = .init(rawValue: number) ?? code }
}

/// The object that handles `INPlayMediaIntent`.
///
/// An author writes one form of each method. Only `handle` is required.
public protocol INPlayMediaIntentHandling: NSObjectProtocol {
    /// Resolves `mediaItems`.
    func resolveMediaItems(
        for intent: INPlayMediaIntent, with completion: @escaping ([INPlayMediaMediaItemResolutionResult]) -> Void
    )
    /// The form of `resolveMediaItems(for:with:)` that Swift imports as `async`.
    func resolveMediaItems(for intent: INPlayMediaIntent) async -> [INPlayMediaMediaItemResolutionResult]
    /// Resolves `playShuffled`.
    func resolvePlayShuffled(
        for intent: INPlayMediaIntent, with completion: @escaping (INBooleanResolutionResult) -> Void
    )
    /// The form of `resolvePlayShuffled(for:with:)` that Swift imports as `async`.
    func resolvePlayShuffled(for intent: INPlayMediaIntent) async -> INBooleanResolutionResult
    /// Resolves `playbackRepeatMode`.
    func resolvePlaybackRepeatMode(
        for intent: INPlayMediaIntent, with completion: @escaping (INPlaybackRepeatModeResolutionResult) -> Void
    )
    /// The form of `resolvePlaybackRepeatMode(for:with:)` that Swift imports as `async`.
    func resolvePlaybackRepeatMode(for intent: INPlayMediaIntent) async -> INPlaybackRepeatModeResolutionResult
    /// Resolves `resumePlayback`.
    func resolveResumePlayback(
        for intent: INPlayMediaIntent, with completion: @escaping (INBooleanResolutionResult) -> Void
    )
    /// The form of `resolveResumePlayback(for:with:)` that Swift imports as `async`.
    func resolveResumePlayback(for intent: INPlayMediaIntent) async -> INBooleanResolutionResult
    /// Resolves `playbackQueueLocation`.
    func resolvePlaybackQueueLocation(
        for intent: INPlayMediaIntent, with completion: @escaping (INPlaybackQueueLocationResolutionResult) -> Void
    )
    /// The form of `resolvePlaybackQueueLocation(for:with:)` that Swift imports as `async`.
    func resolvePlaybackQueueLocation(for intent: INPlayMediaIntent) async -> INPlaybackQueueLocationResolutionResult
    /// Resolves `playbackSpeed`.
    func resolvePlaybackSpeed(
        for intent: INPlayMediaIntent, with completion: @escaping (INPlayMediaPlaybackSpeedResolutionResult) -> Void
    )
    /// The form of `resolvePlaybackSpeed(for:with:)` that Swift imports as `async`.
    func resolvePlaybackSpeed(for intent: INPlayMediaIntent) async -> INPlayMediaPlaybackSpeedResolutionResult
    /// Checks whether the app can perform the intent.
    func confirm(intent: INPlayMediaIntent, completion: @escaping (INPlayMediaIntentResponse) -> Void)
    /// The form of `confirm(intent:completion:)` that Swift imports as `async`.
    func confirm(intent: INPlayMediaIntent) async -> INPlayMediaIntentResponse
    /// Performs the intent.
    func handle(intent: INPlayMediaIntent, completion: @escaping (INPlayMediaIntentResponse) -> Void)
    /// The form of `handle(intent:completion:)` that Swift imports as `async`.
    func handle(intent: INPlayMediaIntent) async -> INPlayMediaIntentResponse
}

extension INPlayMediaIntentHandling {
    public func resolveMediaItems(
        for intent: INPlayMediaIntent, with completion: @escaping ([INPlayMediaMediaItemResolutionResult]) -> Void
    ) {
        _intentMethodNotWritten("resolveMediaItems(for:with:)")
    }

    public func resolveMediaItems(for intent: INPlayMediaIntent) async -> [INPlayMediaMediaItemResolutionResult] {
        _intentMethodNotWritten("resolveMediaItems(for:)")
        return []
    }

    public func resolvePlayShuffled(
        for intent: INPlayMediaIntent, with completion: @escaping (INBooleanResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolvePlayShuffled(for:with:)")
    }

    public func resolvePlayShuffled(for intent: INPlayMediaIntent) async -> INBooleanResolutionResult {
        _intentMethodNotWritten("resolvePlayShuffled(for:)")
        return .notRequired()
    }

    public func resolvePlaybackRepeatMode(
        for intent: INPlayMediaIntent, with completion: @escaping (INPlaybackRepeatModeResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolvePlaybackRepeatMode(for:with:)")
    }

    public func resolvePlaybackRepeatMode(for intent: INPlayMediaIntent) async -> INPlaybackRepeatModeResolutionResult {
        _intentMethodNotWritten("resolvePlaybackRepeatMode(for:)")
        return .notRequired()
    }

    public func resolveResumePlayback(
        for intent: INPlayMediaIntent, with completion: @escaping (INBooleanResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolveResumePlayback(for:with:)")
    }

    public func resolveResumePlayback(for intent: INPlayMediaIntent) async -> INBooleanResolutionResult {
        _intentMethodNotWritten("resolveResumePlayback(for:)")
        return .notRequired()
    }

    public func resolvePlaybackQueueLocation(
        for intent: INPlayMediaIntent, with completion: @escaping (INPlaybackQueueLocationResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolvePlaybackQueueLocation(for:with:)")
    }

    public func resolvePlaybackQueueLocation(for intent: INPlayMediaIntent) async
        -> INPlaybackQueueLocationResolutionResult
    {
        _intentMethodNotWritten("resolvePlaybackQueueLocation(for:)")
        return .notRequired()
    }

    public func resolvePlaybackSpeed(
        for intent: INPlayMediaIntent, with completion: @escaping (INPlayMediaPlaybackSpeedResolutionResult) -> Void
    ) {
        _intentMethodNotWritten("resolvePlaybackSpeed(for:with:)")
    }

    public func resolvePlaybackSpeed(for intent: INPlayMediaIntent) async -> INPlayMediaPlaybackSpeedResolutionResult {
        _intentMethodNotWritten("resolvePlaybackSpeed(for:)")
        return .notRequired()
    }

    public func confirm(intent: INPlayMediaIntent, completion: @escaping (INPlayMediaIntentResponse) -> Void) {
        _intentMethodNotWritten("confirm(intent:completion:)")
    }

    public func confirm(intent: INPlayMediaIntent) async -> INPlayMediaIntentResponse {
        _intentMethodNotWritten("confirm(intent:)")
        return INPlayMediaIntentResponse()
    }

    public func handle(intent: INPlayMediaIntent, completion: @escaping (INPlayMediaIntentResponse) -> Void) {
        _intentMethodNotWritten("handle(intent:completion:)")
    }

    public func handle(intent: INPlayMediaIntent) async -> INPlayMediaIntentResponse {
        _intentMethodNotWritten("handle(intent:)")
        return INPlayMediaIntentResponse()
    }
}
