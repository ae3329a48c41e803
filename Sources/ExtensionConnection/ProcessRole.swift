// ProcessRole: the role of this process, extension or app, and the error for APIs that extensions may not use.

public import ExtensionWire
import Glibc
import Locks

/// The role of this process. An extension is one from its start to its end; any other program never becomes one.
public enum ProcessRole {
    private static let execution = Mutex<Execution?>(nil)
    private static let isApp = Mutex(false)

    /// The execution that the daemon named in its welcome; nil before the welcome, and in every program that is no
    /// extension.
    ///
    /// Any thread may call.
    public static var runningExtension: Execution? { execution.withLock { $0 } }

    /// Whether this process is an extension. Before hello its environment tells.
    public static var isExtension: Bool { runningExtension != nil || getenv("EXTHOST_EXTENSION_FD") != nil }

    /// Stores the execution. The receiver of the daemon's welcome calls this once.
    public static func becomeExtension(_ welcomed: Execution) { execution.withLock { $0 = welcomed } }

    /// Whether the daemon launched this process as an app. Before hello its environment tells.
    public static var isLaunchedApp: Bool { isApp.withLock { $0 } || getenv("EXTHOST_APP_FD") != nil }

    /// Marks this process as an app. The code that takes the app's socket out of the environment calls this once.
    public static func becomeApp() { isApp.withLock { $0 = true } }
}

extension ExtensionHostError {
    /// The answer of an API that extensions may not use (the guide, “Some APIs Are Unavailable to App Extensions”).
    ///
    /// - Parameters:
    ///   - what: for people, as the sentence's subject.
    ///   - reason: why; becomes the cause, which an `NSError` shows as its failure reason.
    ///   - remedy: what to do instead, if there is something better than the code's own.
    public static func notAvailableToExtensions(_ what: String, reason: String, remedy: String? = nil)
        -> ExtensionHostError
    {
        ExtensionHostError(
            .notAvailableToExtensions, "\(what) is not available to extensions", remedy: remedy, cause: reason)
    }
}
