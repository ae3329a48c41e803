// RestrictedActivity: what an app can do and an extension cannot, asked before it is done.

import ExtensionConnection
public import ExtensionWire

/// What the model keeps from extensions (the guide, “Some APIs Are Unavailable to App Extensions”; its note on background tasks in “Handling
/// Common Scenarios”).
///
/// On Apple's systems the compiler refuses the calls concerned. Here code that an app shares with its extensions asks `check()` before it does
/// such a thing; so will the modules that bring those calls. In an app, as in every program that is no extension, nothing is refused. Any
/// thread may call.
public enum RestrictedActivity: String, Sendable, Hashable, CaseIterable {
    /// Using a shared application object (`UIApplication.shared`).
    case sharedApplication
    /// Using the camera. A message app that has `NSCameraUsageDescription` in its `Info.plist` may.
    case camera
    /// Using the microphone. A message app that has `NSMicrophoneUsageDescription` in its `Info.plist` may.
    case microphone
    /// Receiving by AirDrop. Sending, through the host's activity view, is open to extensions.
    case airDropReception
    /// Playing audio in the background.
    case backgroundAudio
    /// Keeping a VoIP call alive in the background.
    case voiceOverIP
    /// Work that goes on long after the request. What runs after `completeRequest` has some seconds (`postComplete`).
    case longBackgroundWork

    /// - Throws: `ExtensionHostError` `notAvailableToExtensions`, with the reason as its cause, where this process is an extension that may
    ///   not do this. Of a message app that declares the use, as of an app, nothing: no camera or microphone is simulated, and what becomes of
    ///   the call is the system's affair.
    public func check() throws(ExtensionHostError) {
        if let refusal { throw refusal }
    }

    /// What `check()` throws; nil where this may be done.
    public var refusal: ExtensionHostError? {
        guard ProcessRole.isExtension, !isDeclared else { return nil }
        return .notAvailableToExtensions(subject, reason: reason, remedy: remedy)
    }

    // MARK: Message apps

    /// The extension point of message apps (spec 4.1).
    private static let messages = "com.apple.message-payload-provider"

    /// The key by which a message app says what it needs this for; nil where none is known.
    private var usageKey: String? {
        switch self {
        case .camera: "NSCameraUsageDescription"
        case .microphone: "NSMicrophoneUsageDescription"
        default: nil
        }
    }

    private var isDeclared: Bool {
        guard let usageKey, let running = ProcessRole.runningExtension, running.point == Self.messages else { return false }
        return OwnInformation.text(usageKey)?.isEmpty == false
    }

    // MARK: Words

    private var subject: String {
        switch self {
        case .sharedApplication: "the shared application object"
        case .camera: "the camera"
        case .microphone: "the microphone"
        case .airDropReception: "receiving by AirDrop"
        case .backgroundAudio: "audio in the background"
        case .voiceOverIP: "a VoIP call in the background"
        case .longBackgroundWork: "long work in the background"
        }
    }

    private var reason: String {
        switch self {
        case .sharedApplication: "an extension runs for its host, and an application object is the host's or the app's"
        case .camera, .microphone: "only a message app that has \(usageKey ?? "") in its Info.plist has access to it"
        case .airDropReception: "what arrives by AirDrop is opened by an app; an extension gets its items from its host alone"
        case .backgroundAudio, .voiceOverIP: "an extension lives for its request, and is suspended or ended once its host goes"
        case .longBackgroundWork: "an extension may be ended from complete on, and its completion handler some seconds later"
        }
    }

    private var remedy: String {
        switch self {
        case .sharedApplication: "Use the NSExtensionContext, and let the containing app do what needs the object"
        case .camera, .microphone: "Let the containing app record, and share the file through an app group"
        case .airDropReception: "Let the containing app receive, and share the file through an app group"
        case .backgroundAudio: "Let the containing app play"
        case .voiceOverIP: "Let the containing app hold the call"
        case .longBackgroundWork: "Leave the work in an app group's container, for the containing app to do"
        }
    }
}

/// Marks an API of a library that an app shares with its extensions as unavailable to these; to be the first statement of its body.
///
/// The counterpart at run time of `NS_EXTENSION_UNAVAILABLE`: the API throws in an extension and runs on in an app.
///
/// ```swift
/// public func openSettings() throws {
///     try notAvailableToExtensions(instead: "Tell people where the setting is")
///     …
/// }
/// ```
///
/// - Parameters:
///   - api: its name, for people.
///   - reason: why not.
///   - instead: what to do instead.
/// - Throws: `ExtensionHostError` `notAvailableToExtensions` where this process is an extension.
public func notAvailableToExtensions(
    _ api: String = #function, reason: String = "its author has marked it as unavailable to extensions", instead: String? = nil
) throws(ExtensionHostError) {
    guard ProcessRole.isExtension else { return }
    throw .notAvailableToExtensions(api, reason: reason, remedy: instead)
}
