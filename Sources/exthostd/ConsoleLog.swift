// ConsoleLog: log lines on standard error, or records with fields if that is the journal.

import EventLoop
import ExtensionHostDaemon
import Glibc
import LinuxSystem
import Logging

/// A log handler that writes one line per record.
///
/// The level is the process's one threshold, so that it can be changed at run time.
struct ConsoleLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level {
        get { LogThreshold.shared.level }
        set { LogThreshold.shared.level = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        // One write per line, so that lines of several threads do not mix.
        let text = "\(event.message)".replacing("\n", with: "\\n")
        guard Journal.isThere else { return LogWriter.shared.write(.line("exthostd: \(event.level): \(text)\n")) }
        var fields = [
            (name: "MESSAGE", value: text), (name: "PRIORITY", value: "\(priority(event.level))"),
            (name: "SYSLOG_IDENTIFIER", value: "exthostd"),
        ]
        for (name, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) {
            switch value {
            // A field may occur several times.
            case .array(let values): fields += values.map { (name, "\($0)") }
            default: fields.append((name, "\(value)"))
            }
        }
        LogWriter.shared.write(.record(fields))
    }

    private func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
