// LogThreshold: the level below which nothing is logged, changeable while the daemon runs.

import Locks
public import Logging

/// The daemon's one log level, which an option, the configuration or `org.freedesktop.LogControl1` sets.
public final class LogThreshold: Sendable {
    public static let shared = LogThreshold()

    private let current = Mutex(Logger.Level.info)

    public var level: Logger.Level {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// The names of syslog(3) for the levels of swift-log.
    private static let names: [(syslog: String, level: Logger.Level)] = [
        ("debug", .debug), ("info", .info), ("notice", .notice), ("warning", .warning), ("err", .error),
        ("crit", .critical),
    ]

    var syslogName: String { Self.names.first { $0.level == level }?.syslog ?? "debug" }

    func set(syslogName: String) -> Bool {
        guard let found = Self.names.first(where: { $0.syslog == syslogName }) else { return false }
        level = found.level
        return true
    }
}
