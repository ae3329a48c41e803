// ProcessRole: whether this process is an extension, and so what is not for it.

public import ExtensionWire
import Glibc
import Locks

/// What the daemon runs in this process. An extension is one from its start to its end; any other program never becomes one.
public enum ProcessRole {
    private static let execution = Mutex<Execution?>(nil)
    private static let isApp = Mutex(false)

    /// What the daemon said it runs here; nil before the welcome, and in every program that is no extension. Any thread may ask.
    public static var runningExtension: Execution? { execution.withLock { $0 } }

    /// Whether this process is an extension. Before it has said hello its environment tells.
    public static var isExtension: Bool { runningExtension != nil || getenv("EXTHOST_EXTENSION_FD") != nil }

    /// Said once, by whoever got the daemon's welcome.
    public static func becomeExtension(_ welcomed: Execution) { execution.withLock { $0 = welcomed } }

    /// Whether the daemon launched this process as an app. Before it has said hello its environment tells.
    public static var isLaunchedApp: Bool { isApp.withLock { $0 } || getenv("EXTHOST_APP_FD") != nil }

    /// Said once, by whoever takes the app's socket out of the environment.
    public static func becomeApp() { isApp.withLock { $0 = true } }
}

extension ExtensionHostError {
    /// The answer of an API that extensions may not use (the guide, “Some APIs Are Unavailable to App Extensions”).
    ///
    /// - Parameters:
    ///   - what: for people, as the sentence's subject.
    ///   - reason: why; becomes the cause, which an `NSError` shows as its failure reason.
    ///   - remedy: what to do instead, where there is something better to say than the code's own.
    public static func notAvailableToExtensions(_ what: String, reason: String, remedy: String? = nil) -> ExtensionHostError {
        ExtensionHostError(.notAvailableToExtensions, "\(what) is not available to extensions", remedy: remedy, cause: reason)
    }
}
