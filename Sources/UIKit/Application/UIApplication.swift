// UIApplication: an app's process from its launch to its end, without a screen.

import AppGroups
import ExtensionConnection
import ExtensionFoundation
import ExtensionWire
public import Foundation
import Glibc
import LinuxDescriptors
import Locks
import PropertyListCoding

/// The app, without a screen.
///
/// The daemon launches it for a reason; a launch by hand counts as one by its user. It becomes active unless it was
/// woken for background work, and serves the main run loop. SIGTERM or SIGINT stands for the user who quits it: the app
/// resigns active, enters the background, hears that it will terminate, and exits with 0 (ours).
@MainActor @preconcurrency open class UIApplication: UIResponder {
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var url: LaunchOptionsKey { LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsURLKey") }
        public static var sourceApplication: LaunchOptionsKey {
            LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsSourceApplicationKey")
        }
        /// A dictionary with the activity that the app continues, and its type.
        public static var userActivityDictionary: LaunchOptionsKey {
            LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsUserActivityDictionaryKey")
        }
        /// The key of the activity's type in that dictionary.
        public static var userActivityType: LaunchOptionsKey {
            LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsUserActivityTypeKey")
        }
    }

    public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The identifier of the extension that opens the URL; absent if the user opens it.
        public static var sourceApplication: OpenURLOptionsKey {
            OpenURLOptionsKey(rawValue: "UIApplicationOpenURLOptionsSourceApplicationKey")
        }
    }

    public struct ExtensionPointIdentifier: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var keyboard: ExtensionPointIdentifier {
            ExtensionPointIdentifier(rawValue: "com.apple.keyboard-service")
        }
    }

    public enum State: Int, Sendable { case active, inactive, background }

    public nonisolated static var didFinishLaunchingNotification: NSNotification.Name {

        NSNotification.Name("UIApplicationDidFinishLaunchingNotification")

    }
    public nonisolated static var didBecomeActiveNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidBecomeActiveNotification")
    }
    public nonisolated static var willResignActiveNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillResignActiveNotification")
    }
    public nonisolated static var didEnterBackgroundNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
    }
    public nonisolated static var willEnterForegroundNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillEnterForegroundNotification")
    }
    public nonisolated static var willTerminateNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillTerminateNotification")
    }

    /// The application of this process.
    ///
    /// In an extension it ends the process with the reason (`notAvailableToExtensions`): a property cannot throw, and
    /// on Apple's systems the compiler refuses it there. Code that an app shares with its extensions should check
    /// `RestrictedActivity.sharedApplication` first.
    public static var shared: UIApplication {
        if let refusal = RestrictedActivity.sharedApplication.refusal { fatalError("\(refusal)") }
        return own
    }
    /// The application at the end of the responder chain. An extension reaches it, too, and may open URLs with it.
    static let own = UIApplication()

    open override var next: UIResponder? { delegate as? UIResponder }

    /// The delegate. The application retains it, as nothing else does here.
    open var delegate: (any UIApplicationDelegate)?
    public private(set) var applicationState = State.inactive
    private var signals: CaughtSignals?
    private var isLaunched = false
    private var link: AppLink?

    static func run(delegate: any UIApplicationDelegate) -> Never {
        shared.delegate = delegate
        shared.begin()
        while true { RunLoop.main.run() }
    }

    private func begin() {
        StandardStreams.lineBufferOutput()
        do {
            signals = try CaughtSignals([SIGTERM, SIGINT], queue: .main) {
                MainActor.assumeIsolated { UIApplication.shared.terminate() }
            }
        } catch {
            StandardStreams.writeError("exthost: signals will end this app without notice to its delegate: \(error)\n")
        }
        guard let link = AppLink.open() else { return _ = take(Activate(reason: .opened)) }
        self.link = link
        do {
            // The first message gives the reason for the launch.
            try link.start { UIApplication.shared.take($0, $1) }
        } catch {
            StandardStreams.writeError("exthost: the app receives no messages of the daemon: \(error)\n")
            _ = take(Activate(reason: .opened))
        }
    }

    /// Handles an activation from the daemon, of which the first is the launch.
    private func take(_ message: Activate, _ answer: @escaping AppLink.Answer) {
        guard message.reason == .session else { return answer(take(message)) }
        if !isLaunched { _ = launch(message, nil, nil) }
        let done = OnceAnswer(answer)
        guard let delegate else { return done.give() }
        delegate.application(
            self, handleEventsForBackgroundURLSession: message.detail ?? "", completionHandler: { done.give() })
    }

    /// Performs an activation. Returns an error if it fails.
    private func take(_ message: Activate) -> ExtensionHostError? {
        if message.reason != .woken, message.reason != .session { ProcessChannel.appIsOpened() }
        let url = message.url.flatMap { URL(string: $0) }
        if let text = message.url, url == nil {
            // The daemon launched the app all the same, so the app must get its launch.
            if !isLaunched { _ = take(Activate(reason: .opened, source: message.source)) }
            return ExtensionHostError(
                .invalidArgument, "Foundation makes no URL from these \(text.utf8.count) bytes",
                remedy: "Escape the characters that a URL must not have")
        }
        let activity = Self.activity(message)
        var opensURL = true
        if isLaunched {
            if message.reason == .woken { return nil }
            if applicationState == .background {
                delegate?.applicationWillEnterForeground(self)
                post(Self.willEnterForegroundNotification)
                applicationState = .inactive
            }
        } else {
            opensURL = launch(message, url, activity)
            if message.reason == .woken { return nil }
        }
        if let url, opensURL {
            var options: [OpenURLOptionsKey: Any] = [:]
            options[.sourceApplication] = message.source
            _ = delegate?.application(self, open: url, options: options)
        }
        if let activity, opensURL {
            _ = delegate?.application(self, willContinueUserActivityWithType: activity.activityType)
            _ = delegate?.application(self, continue: activity) { objects in
                for object in objects ?? [] { object.restoreUserActivityState(activity) }
            }
        }
        guard applicationState != .active else { return nil }
        applicationState = .active
        delegate?.applicationDidBecomeActive(self)
        post(Self.didBecomeActiveNotification)
        return nil
    }

    /// Makes the activity of a message; nil for a message without one.
    private static func activity(_ message: Activate) -> NSUserActivity? {
        guard let type = message.activity, !type.isEmpty else { return nil }
        let activity = NSUserActivity(activityType: type)
        let plist = message.values.flatMap { try? PropertyList(binary: $0, limits: .packet) }
        let values = plist?.dictionary.map { foundationValues($0) } ?? [:]
        activity.userInfo = Dictionary(uniqueKeysWithValues: values.map { (AnyHashable($0.key), $0.value) })
        return activity
    }

    /// Launches the app. False if the delegate refuses the URL or the activity of the launch.
    private func launch(_ message: Activate, _ url: URL?, _ activity: NSUserActivity?) -> Bool {
        isLaunched = true
        if message.reason == .woken || message.reason == .session { applicationState = .background }
        var options: [LaunchOptionsKey: Any]?
        if let url {
            options = [.url: url]
            options?[.sourceApplication] = message.source
        }
        if let activity {
            options = [
                .userActivityDictionary: [
                    LaunchOptionsKey.userActivityType: activity.activityType,
                    LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsUserActivityKey"): activity,
                ] as [LaunchOptionsKey: Any]
            ]
        }
        let willOpen = delegate?.application(self, willFinishLaunchingWithOptions: options) ?? true
        let didOpen = delegate?.application(self, didFinishLaunchingWithOptions: options) ?? true
        post(Self.didFinishLaunchingNotification)
        return willOpen && didOpen
    }

    private func terminate() {
        guard isLaunched else { exit(EXIT_SUCCESS) }
        if applicationState == .active {
            applicationState = .inactive
            delegate?.applicationWillResignActive(self)
            post(Self.willResignActiveNotification)
        }
        if applicationState != .background {
            applicationState = .background
            delegate?.applicationDidEnterBackground(self)
            post(Self.didEnterBackgroundNotification)
        }
        delegate?.applicationWillTerminate(self)
        post(Self.willTerminateNotification)
        exit(EXIT_SUCCESS)
    }

    private func post(_ name: NSNotification.Name) { NotificationCenter.default.post(name: name, object: self) }
}

/// An answer that is given once, whatever the app's author does with a completion handler.
private final class OnceAnswer: Sendable {
    private let answer: Mutex<AppLink.Answer?>

    init(_ answer: @escaping AppLink.Answer) { self.answer = Mutex(answer) }

    func give() {
        let answer = answer.withLock { answer in
            defer { answer = nil }
            return answer
        }
        answer?(nil)
    }
}
