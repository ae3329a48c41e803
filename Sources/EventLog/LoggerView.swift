// LoggerView: the event log as lines of swift-log.

import EventLoop
public import ExtensionProtocol
public import Logging

extension EventLog {
    /// Writes each event to `logger`: ends that need attention as warnings, the daemon's own life as notices.
    ///
    /// The metadata have the event's fields under the names of `LogField`.
    ///
    /// - Parameters:
    ///   - limit: the limit on the lines; nil: none.
    ///   - source: returns the party that causes an event; nil: the daemon itself, whose lines are not limited.
    ///   - requests: returns the requests to which an event without a request of its own belongs, such as those of its
    ///     process.
    public func follow(
        with logger: Logger, limit: LineLimit? = nil,
        source: @escaping @HostActor (EventRecord) -> String? = { _ in nil },
        requests: @escaping @HostActor (EventRecord) -> [RequestIdentifier] = { _ in [] }
    ) {
        limit?.report = { kind, count in
            let event = EventName(rawValue: kind.event)
            let cause = kind.cause.map { " cause=\($0.rawValue)" } ?? ""
            logger.log(
                level: .warning,
                "\(count) lines were dropped: \(kind.event) of \(kind.source ?? "others")\(cause). exthostctl watch --since 0 shows the stored events",
                metadata: [
                    LogField.message: "\(event?.messageIdentifier ?? "")", LogField.leftOut: "\(count)",
                    LogField.cause: "\(kind.cause?.rawValue ?? "")",
                ].filter { "\($0.value)" != "" })
        }
        follow { record in
            let level = Self.level(of: record)
            guard logger.logLevel <= level else { return }
            if let limit, let source = source(record), !limit.admits(record, from: source) { return }
            logger.log(
                level: level, "\(Self.line(record))",
                metadata: Self.metadata(record, record.request.map { [$0] } ?? requests(record)))
        }
    }

    private static func metadata(_ record: EventRecord, _ requests: [RequestIdentifier]) -> Logger.Metadata {
        var metadata: Logger.Metadata = [LogField.event: "\(record.event)", LogField.sequence: "\(record.sequence)"]
        metadata[LogField.message] = EventName(rawValue: record.event).map { "\($0.messageIdentifier)" }
        metadata[LogField.extension] = record.extensionIdentifier.map { "\($0)" }
        metadata[LogField.host] = record.host.map { "\($0)" }
        metadata[LogField.pid] = record.pid.map { "\($0)" }
        metadata[LogField.from] = record.from.map { "\($0)" }
        metadata[LogField.to] = record.to.map { "\($0)" }
        metadata[LogField.cause] = record.cause.map { "\($0.rawValue)" }
        if !requests.isEmpty { metadata[LogField.request] = .array(requests.map { "\($0)" }) }
        return metadata
    }

    static func level(of record: EventRecord) -> Logger.Level {
        switch EventName(rawValue: record.event) {
        case .daemonStarted, .daemonStopping, .busJoined: .notice
        case .requestInterrupted, .requestTimedOut, .requestRefused, .limitReached, .accessRefused, .peerRefused,
            .busLost,
            .faultInjected:
            .warning
        case .processOutput, .itemLoadStarted, .itemLoadFinished, .callStarted, .callFinished: .debug
        default: .info
        }
    }

    /// Returns one line for people, without fields that do not apply.
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
