// LoggerView: the event log as lines of swift-log.

import EventLoop
import ExtensionProtocol
public import Logging

extension EventLog {
    /// Writes each event to `logger`: ends that somebody should look at as warnings, the daemon's own life as notices.
    public func follow(with logger: Logger) {
        follow { record in
            let level = Self.level(of: record)
            guard logger.logLevel <= level else { return }
            logger.log(level: level, "\(Self.line(record))")
        }
    }

    static func level(of record: EventRecord) -> Logger.Level {
        switch EventName(rawValue: record.event) {
        case .daemonStarted, .daemonStopping: .notice
        case .requestInterrupted, .requestTimedOut, .requestRefused, .limitReached, .accessRefused, .peerRefused, .busLost,
            .faultInjected:
            .warning
        case .processOutput, .itemLoadStarted, .itemLoadFinished: .debug
        default: .info
        }
    }

    /// One line for people; fields that do not apply are left out.
    static func line(_ record: EventRecord) -> String {
        var line = record.event
        if let identifier = record.extensionIdentifier { line += " \(identifier)" }
        if let host = record.host { line += " host=\(host)" }
        if let request = record.request { line += " request=\(request)" }
        if let pid = record.pid { line += " pid=\(pid)" }
        if let from = record.from, let to = record.to { line += " \(from)→\(to)" }
        if let cause = record.cause { line += " cause=\(cause.rawValue)" }
        if let detail = record.detail { line += ": \(detail)" }
        return line
    }
}
