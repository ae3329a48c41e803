// UIApplication: an app's process from its launch to its end, without a screen.

import ExtensionFoundation
public import Foundation
import Glibc
import LinuxSystem

/// The app. Headless: it is launched as if its user had opened it, becomes active, and serves the main run loop; SIGTERM or SIGINT is the user who
/// leaves it and ends it: it resigns active, enters the background, is told that it will terminate and exits with 0 (ours).
@MainActor @preconcurrency open class UIApplication: UIResponder {
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let url = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsURLKey")
    }

    public enum State: Int, Sendable { case active, inactive, background }

    public static let didFinishLaunchingNotification = NSNotification.Name("UIApplicationDidFinishLaunchingNotification")
    public static let didBecomeActiveNotification = NSNotification.Name("UIApplicationDidBecomeActiveNotification")
    public static let willResignActiveNotification = NSNotification.Name("UIApplicationWillResignActiveNotification")
    public static let didEnterBackgroundNotification = NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
    public static let willEnterForegroundNotification = NSNotification.Name("UIApplicationWillEnterForegroundNotification")
    public static let willTerminateNotification = NSNotification.Name("UIApplicationWillTerminateNotification")

    /// The process's own. Ends an extension with the reason (`notAvailableToExtensions`): a property cannot throw, and on Apple's systems
    /// the compiler refuses it there. Ask `RestrictedActivity.sharedApplication` first in code that an app shares with its extensions.
    public static var shared: UIApplication {
        if let refusal = RestrictedActivity.sharedApplication.refusal { fatalError("\(refusal)") }
        return application
    }
    private static let application = UIApplication()

    /// Kept alive, as nobody else holds it here.
    open var delegate: (any UIApplicationDelegate)?
    public private(set) var applicationState = State.inactive
    private var signals: [any DispatchSourceSignal] = []

    static func run(delegate: any UIApplicationDelegate) -> Never {
        shared.delegate = delegate
        shared.launch()
        while true { RunLoop.main.run() }
    }

    private func launch() {
        StandardStreams.lineBufferOutput()
        for number in [SIGTERM, SIGINT] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { UIApplication.shared.terminate() }
            source.resume()
            signals.append(source)
        }
        _ = delegate?.application(self, willFinishLaunchingWithOptions: nil)
        _ = delegate?.application(self, didFinishLaunchingWithOptions: nil)
        post(Self.didFinishLaunchingNotification)
        applicationState = .active
        delegate?.applicationDidBecomeActive(self)
        post(Self.didBecomeActiveNotification)
    }

    private func terminate() {
        applicationState = .inactive
        delegate?.applicationWillResignActive(self)
        post(Self.willResignActiveNotification)
        applicationState = .background
        delegate?.applicationDidEnterBackground(self)
        post(Self.didEnterBackgroundNotification)
        delegate?.applicationWillTerminate(self)
        post(Self.willTerminateNotification)
        exit(EXIT_SUCCESS)
    }

    private func post(_ name: NSNotification.Name) { NotificationCenter.default.post(name: name, object: self) }
}
