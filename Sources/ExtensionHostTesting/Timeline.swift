// Timeline: the event log as lines for people.

public import ExtensionProtocol

/// One line an event: when, what, and what matters of it.
public enum Timeline {
    /// `start` is the time that counts as zero, in microseconds.
    public static func line(_ record: EventRecord, since start: Int) -> String {
        let milliseconds = Double(record.time - start) / 1000
        var line = "+\(milliseconds) ms  \(record.event)"
        if let identifier = record.extensionIdentifier { line += " \(identifier)" }
        if let host = record.host { line += " host \(host)" }
        if let pid = record.pid { line += " pid \(pid)" }
        if let from = record.from, let to = record.to { line += " \(from) → \(to)" }
        if let cause = record.cause { line += " (\(cause.rawValue))" }
        if let detail = record.detail { line += ": \(detail)" }
        return line
    }
}
