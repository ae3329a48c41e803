// TranscriptTimeline: a recorded session as lines for people.

public import ExtensionProtocol
import PropertyListCoding
public import Transcripts

/// A writer of one line for each entry: when, who to whom, what.
///
/// Text of strangers in it cannot move a terminal's cursor.
public struct TranscriptTimeline: Sendable {
    /// The limit of shown characters of a packet's body and payload.
    private static let longest = 240

    private var events: Timeline

    /// - Parameter isColoured: whether names get a colour by their kind, as ANSI sequences.
    public init(isColoured: Bool = false) { events = Timeline(isColoured: isColoured) }

    /// Returns the first line, which describes the recording.
    public static func heading(_ header: TranscriptHeader) -> String {
        let recording = header.recording
        let timers = recording.timers.map { ", \($0.name) \($0.delay) s" }.joined()
        return printable(
            "exthostd \(recording.version), clock \(recording.clock)\(timers), \(recording.contents ? "with" : "without") contents"
        )
    }

    /// Returns the line of `entry`.
    public mutating func line(_ entry: TranscriptEntry) -> String {
        let time = Self.offset(entry.time)
        switch entry.content {
        case .event(let event):
            // The text is that of the event log, without its time.
            return "\(time)  ·  " + events.line(event).dropFirst(14).trimmingPrefix(while: { $0 == " " })
        case .packet(let packet): return "\(time)  \(Self.summary(packet))"
        case .timer(let timer):
            var line = "\(time)  ◷  \(timer.name) \(timer.change.rawValue)"
            if let delay = timer.delay { line += ", \(delay) s" }
            return printable(
                line
                    + "  \(timer.extensionIdentifier)\(timer.pid.map { " pid \($0)" } ?? "")\(Self.hash(timer.request))"
            )
        case .ended(let end):
            return printable(
                "\(time)  ×  \(end.role.rawValue) \(end.name ?? "\(end.connection)") is gone\(end.detail.map { ": \($0)" } ?? "")"
            )
        case .gap(let count): return "\(time)  …  \(count) entries are missing: the recorder was too slow"
        }
    }

    private static func summary(_ packet: RecordedPacket) -> String {
        let name = packet.name ?? "\(packet.connection)"
        let way = packet.isFromDaemon ? "→ \(packet.role.rawValue) \(name)" : "← \(packet.role.rawValue) \(name)"
        var line = "\(way)  \(packet.kind) \(packet.serial)"
        if packet.answers != 0 { line += " answers \(packet.answers)" }
        var contents = packet.body.isEmpty ? "" : text(.dictionary(packet.body))
        if let payload = packet.payload { contents += " payload " + text(payload) }
        if let sealed = packet.sealed { contents += " (\(sealed) bytes sealed)" }
        for descriptor in packet.descriptors {
            contents += " + \(descriptor.kind.rawValue)\(descriptor.size.map { " of \($0) bytes" } ?? "")"
        }
        if contents.count > longest { contents = contents.prefix(longest) + "…" }
        return printable(contents.isEmpty ? line : line + "  " + contents)
    }

    /// Returns the value in one line, with the names of strings and without their quotes if that is clear.
    private static func text(_ value: PropertyList) -> String {
        switch value {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .date(let value): "<date \(value)>"
        case .string(let value): value.hasPrefix("<") ? value : "“\(value)”"
        case .data(let bytes): "<\(bytes.count) bytes>"
        case .array(let values):
            "[" + values.prefix(16).map(text).joined(separator: ", ") + (values.count > 16 ? ", …]" : "]")
        case .dictionary(let entries):
            "{" + entries.prefix(16).map { "\($0): \(text($1))" }.joined(separator: ", ") + "}"
        }
    }

    private static func hash(_ request: RequestIdentifier?) -> String {
        request.map { "  #\($0.description.prefix(8))" } ?? ""
    }

    /// Returns the time in the form `+   12.345 ms`.
    private static func offset(_ microseconds: Int) -> String {
        let fraction = String(abs(microseconds % 1000))
        let number = "\(microseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
        return "+" + String(repeating: " ", count: max(0, 9 - number.count)) + number + " ms"
    }
}
