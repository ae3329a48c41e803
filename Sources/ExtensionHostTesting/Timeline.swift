// Timeline: the event log as lines for people.

public import ExtensionProtocol

/// A writer of one line for each event: when, what, who, and the important details, in columns.
///
/// Time counts from the first event that is given. The column of names grows with the longest one so far. Lines have no
/// newline at their end; text from bundles and extensions in them cannot move a terminal's cursor.
public struct Timeline: Sendable {
    private let isColoured: Bool
    private var start: Int?
    private var subjectWidth = 26

    /// - Parameters:
    ///   - start: the time that counts as zero, in microseconds since 1970; nil for the first event's own.
    ///   - isColoured: whether names get a colour by their kind, as ANSI sequences.
    public init(start: Int? = nil, isColoured: Bool = false) {
        self.start = start
        self.isColoured = isColoured
    }

    /// Returns the line of `record`. Call it in the order of the log.
    public mutating func line(_ record: EventRecord) -> String {
        let zero = start ?? record.time
        start = zero
        let subject = printable(record.subject)
        subjectWidth = max(subjectWidth, subject.count)
        let name = record.event.padded(to: 19)
        var line = "\(faint(Self.offset(record.time - zero)))  \(isColoured ? record.tone.applied(to: name) : name)"
        line += "  \(subject.padded(to: subjectWidth))  \((record.pid.map { "pid \($0)" } ?? "").padded(to: 11))  "
        line += printable(record.summary)
        if let request = record.request { line += faint("  #\(request.description.prefix(8))") }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// Returns the line for the events between two sequences that a watcher has missed.
    public static func gap(after last: Int, before oldest: Int) -> String {
        "… \(oldest - last - 1) events are lost: the log no longer has the events \(last + 1) to \(oldest - 1)"
    }

    /// Returns the time in the form `+   12.345 ms`.
    private static func offset(_ microseconds: Int) -> String {
        let size = abs(microseconds)
        let fraction = String(size % 1000)
        let number = "\(size / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
        return (microseconds < 0 ? "-" : "+") + String(repeating: " ", count: max(0, 9 - number.count)) + number + " ms"
    }

    private func faint(_ text: String) -> String { isColoured ? Tone.faint.applied(to: text) : text }
}

/// The tone of an event's line.
private enum Tone: String {
    case good = "32"
    case bad = "31"
    case warning = "33"
    case host = "34"
    case request = "36"
    case plain = "0"
    case faint = "2"

    func applied(to text: String) -> String { self == .plain ? text : "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" }
}

extension EventRecord {
    /// The name of the event's subject.
    fileprivate var subject: String {
        if let extensionIdentifier { return extensionIdentifier }
        return host ?? (event.hasPrefix("daemon.") ? "exthostd" : "")
    }

    /// A description of the event, in words.
    fileprivate var summary: String {
        switch (kind, host, detail) {
        case (.itemLoadStarted, let host?, let detail?): return "asks \(host) for \(detail)"
        case (.itemLoadFinished, let host?, let detail?): return "\(host) answers: \(detail)"
        case (.callStarted, _, let detail?): return "calls \(detail)"
        case (.callFinished, _, let detail?): return "call \(detail)"
        default: break
        }
        var parts: [String] = []
        // The host is the subject if there is no extension.
        if let host, extensionIdentifier != nil { parts.append(connection.map { "\($0) \(host)" } ?? host) }
        if let from, let to { parts.append("\(from) → \(to)") }
        if let cause, cause != .completed || kind == .processExited { parts.append(cause.rawValue) }
        let sentence = parts.joined(separator: ", ")
        guard let detail else { return sentence }
        return sentence.isEmpty ? detail : "\(sentence): \(detail)"
    }

    private var kind: EventName? { EventName(rawValue: event) }

    /// The preposition that connects the event and its host.
    private var connection: String? {
        switch kind {
        case .requestCreated, .requestDelivered: "from"
        case .requestCompleted, .requestCancelled, .requestInterrupted, .requestTimedOut, .requestRefused: "to"
        case .requestDismissed: "by"
        default: nil
        }
    }

    fileprivate var tone: Tone {
        switch kind {
        case .requestCompleted: .good
        case .requestInterrupted, .requestTimedOut, .requestRefused, .peerRefused, .busLost: .bad
        case .requestCancelled, .requestExpiring, .limitReached, .accessRefused, .processSignalled, .contextFault,
            .faultInjected:
            .warning
        case .requestCreated, .requestDelivered, .requestDismissed: .request
        case .hostConnected, .hostStateChanged, .hostDisconnected: .host
        case .processExited: cause.map(\.isBenign) == true ? .plain : .bad
        default: .plain
        }
    }
}

extension Cause {
    /// Whether a process that ended for this cause behaved correctly.
    fileprivate var isBenign: Bool {
        switch self {
        case .completed, .idle, .noRequest, .expiredInTime, .daemonStopping: true
        default: false
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
