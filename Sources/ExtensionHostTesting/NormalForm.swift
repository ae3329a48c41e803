// NormalForm: an event log without the values that differ from run to run, for comparing two runs.

public import ExtensionProtocol

/// A log in which the number of its first appearance replaces each pid, request identifier and path.
///
/// Everything else is unchanged: the order of all events, their times since the first one, their causes and details.
///
/// Two runs of one scenario under a virtual clock have equal normal forms, at any speed.
public struct NormalForm: Sendable, Hashable, CustomStringConvertible {
    /// The lines, one for each event.
    public let lines: [String]

    /// - Parameters:
    ///   - events: in the order of the log, from its beginning.
    ///   - isExact: false omits what the kernel decides when processes are killed. That is the pieces of their output,
    ///     and the ending of one that may have exited before the daemon ended it.
    public init(_ events: [EventRecord], isExact: Bool = true) {
        var names = Names()
        let start = events.first?.time ?? 0
        lines = events.filter { isExact || $0.event != EventName.processOutput.rawValue }.map { event in
            var words = ["+\(event.time - start) µs", event.event]
            if let request = event.request { words.append(names.number(of: request.description, among: "request")) }
            if let identifier = event.extensionIdentifier { words.append(identifier) }
            if let host = event.host { words.append("host \(host)") }
            if let pid = event.pid { words.append(names.number(of: "\(pid)", among: "process")) }
            if let from = event.from, let to = event.to { words.append("\(from) → \(to)") }
            if let cause = event.cause { words.append(cause.rawValue) }
            if let detail = event.detail { words.append("(\(names.normal(isExact ? detail : Self.certain(detail))))") }
            return words.joined(separator: " ")
        }
    }

    public var description: String { lines.joined(separator: "\n") }

    /// Returns the first line that differs, in both forms; nil if the forms are the same.
    public func firstDifference(from other: NormalForm) -> String? {
        guard lines != other.lines else { return nil }
        let index =
            zip(lines, other.lines).enumerated().first { $1.0 != $1.1 }?.offset ?? min(lines.count, other.lines.count)
        func line(_ form: NormalForm) -> String { index < form.lines.count ? form.lines[index] : "the end" }
        return "event \(index + 1): “\(line(self))” here, “\(line(other))” there"
    }

    private static func certain(_ detail: String) -> String {
        detail.firstRange(of: "decided by daemon").map { String(detail[$0.lowerBound...]) } ?? detail
    }

    /// The numbers of the names. They are not stored in the form, because the names differ.
    private struct Names {
        private var known: [String: [String: Int]] = [:]

        mutating func number(of name: String, among kind: String) -> String {
            let number = known[kind]?[name] ?? (known[kind]?.count ?? 0) + 1
            known[kind, default: [:]][name] = number
            return "\(kind) \(number)"
        }

        mutating func normal(_ text: String) -> String {
            var result = text
            for match in text.matches(of: #/[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/#).reversed() {
                result.replaceSubrange(match.range, with: number(of: String(match.0), among: "request"))
            }
            for match in result.matches(of: #/\bpid ([0-9]+)/#).reversed() {
                result.replaceSubrange(match.range, with: number(of: String(match.1), among: "process"))
            }
            for match in result.matches(of: #/(?:/[^\s/,;:“”"']+){2,}/#).reversed() {
                result.replaceSubrange(match.range, with: number(of: String(match.0), among: "path"))
            }
            return result
        }
    }
}
