// RestrictedActivity: the actions that an app may perform and an extension may not, as a check before the action.

import ExtensionConnection
public import ExtensionWire

/// An action that the model forbids extensions.
///
/// Source: the guide, “Some APIs Are Unavailable to App Extensions”; its note on background tasks in “Handling Common
/// Scenarios”.
///
/// On Apple's systems the compiler refuses the calls concerned. Here code that an app shares with its extensions calls
/// `check()` before such an action; so will the modules that bring those calls. An app, and every other program that is
/// no extension, may perform all of them. Any thread may call.
public enum RestrictedActivity: String, Sendable, Hashable, CaseIterable {
    /// The use of a shared application object (`UIApplication.shared`).
    case sharedApplication
    /// The use of the camera. A message app that has `NSCameraUsageDescription` in its `Info.plist` may use it.
    case camera
    /// The use of the microphone. A message app that has `NSMicrophoneUsageDescription` in its `Info.plist` may use it.
    case microphone
    /// The reception by AirDrop. Extensions may send through the host's activity view.
    case airDropReception
    /// The playback of audio in the background.
    case backgroundAudio
    /// The continuation of a VoIP call in the background.
    case voiceOverIP
    /// Work that continues long after the request. Work after `completeRequest` has some seconds (`postComplete`).
    case longBackgroundWork

    /// Throws if this process is an extension that may not perform the action.
    ///
    /// A message app that declares the use passes the check, as an app does. No camera or microphone is simulated, and
    /// the system decides about the call.
    ///
    /// - Throws: `ExtensionHostError` `notAvailableToExtensions`, with the reason as its cause.
    public func check() throws(ExtensionHostError) {
        if let refusal { throw refusal }
    }

    /// The error that `check()` throws; nil if the action is allowed.
    public var refusal: ExtensionHostError? {
        guard ProcessRole.isExtension, !isDeclared else { return nil }
        return .notAvailableToExtensions(subject, reason: reason, remedy: remedy)
    }

    // MARK: Message apps

    /// The extension point of message apps (spec 4.1).
    private static let messages = "com.apple.message-payload-provider"

    /// The key by which a message app declares its use; nil if none is known.
    private var usageKey: String? {
        switch self {
        case .camera: "NSCameraUsageDescription"
        case .microphone: "NSMicrophoneUsageDescription"
        default: nil
        }
    }

    private var isDeclared: Bool {
        guard let usageKey, let running = ProcessRole.runningExtension, running.point == Self.messages else {
            return false
        }
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
        case .sharedApplication:
            "an extension runs for its host, and only the host or the app has an application object"
        case .camera, .microphone: "only a message app that has \(usageKey ?? "") in its Info.plist has access to it"
        case .airDropReception: "an app opens files received by AirDrop; an extension gets its items only from its host"
        case .backgroundAudio, .voiceOverIP:
            "an extension lives for its request, and is suspended or ended after its host leaves"
        case .longBackgroundWork:
            "the daemon may end an extension after complete, and its completion handler some seconds later"
        }
    }

    private var remedy: String {
        switch self {
        case .sharedApplication: "Use the NSExtensionContext, and do work that needs the object in the containing app"
        case .camera, .microphone: "Record in the containing app, and share the file through an app group"
        case .airDropReception: "Receive in the containing app, and share the file through an app group"
        case .backgroundAudio: "Play in the containing app"
        case .voiceOverIP: "Make the call in the containing app"
        case .longBackgroundWork: "Leave the work to the containing app, in an app group's container"
        }
    }
}

/// Marks an API of a library that an app shares with its extensions as unavailable to these; it is the first statement
/// of its body.
///
/// It is the counterpart at run time of `NS_EXTENSION_UNAVAILABLE`: the API throws in an extension and continues in an
/// app.
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
/// - Throws: `ExtensionHostError` `notAvailableToExtensions` if this process is an extension.
public func notAvailableToExtensions(
    _ api: String = #function, reason: String = "its author has marked it as unavailable to extensions",
    instead: String? = nil
) throws(ExtensionHostError) {
    guard ProcessRole.isExtension else { return }
    throw .notAvailableToExtensions(api, reason: reason, remedy: instead)
}
