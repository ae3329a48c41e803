// ServiceNotification: the daemon's messages to the service manager that started it (sd_notify(3)).

internal import CSystemd

/// Messages to the service manager. They are sent at once, and do nothing where no manager listens (`$NOTIFY_SOCKET`).
public enum ServiceNotification: Sendable, Hashable {
    /// The start is over: clients are served.
    case ready
    /// One line for `systemctl status`.
    case status(String)
    /// The configuration is being read again; `ready` reports the end of that.
    case reloading
    case stopping
    /// The loop runs; `EventLoop.feedWatchdog` sends these by itself.
    case watchdog

    private var assignment: String {
        switch self {
        case .ready: "READY=1"
        // A line break would begin an assignment of its own.
        case .status(let text): "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
        case .reloading: "RELOADING=1"
        case .stopping: "STOPPING=1"
        case .watchdog: "WATCHDOG=1"
        }
    }

    /// Sends the notifications in one message.
    /// - Returns: whether a service manager received them; false without one.
    @discardableResult
    public static func send(_ notifications: ServiceNotification...) throws(LoopError) -> Bool {
        let text = notifications.map(\.assignment).joined(separator: "\n")
        return try LoopError.check("sd_notify", sd_notify(0, text)) > 0
    }
}
