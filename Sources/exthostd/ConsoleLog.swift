// ConsoleLog: log lines on standard error, with the priority prefix of sd-daemon(3) where systemd reads them.

import ExtensionHostDaemon
import Glibc
import LinuxSystem
import Logging

/// One line a record. The level is the process's one threshold, so that it can be changed while running.
struct ConsoleLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level {
        get { LogThreshold.shared.level }
        set { LogThreshold.shared.level = newValue }
    }
    /// Whether systemd connected standard error to the journal.
    private static let isJournal = getenv("JOURNAL_STREAM") != nil

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let prefix = Self.isJournal ? "<\(priority(event.level))>" : "exthostd: \(event.level): "
        // One write a line, so that lines of several threads do not mix.
        let line = "\(prefix)\(event.message)".replacing("\n", with: "\\n") + "\n"
        LogWriter.shared.write(line)
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
