// UnexpectedOutcome: a request that did not end as a test expects, in words that say why.

public import ExtensionHost
import ExtensionProtocol

/// What `FakeHost.expect` throws. Its description has the place, what was expected, what came, why, what helps, and the
/// timeline.
public struct UnexpectedOutcome: Error, Sendable, CustomStringConvertible {
    /// What the test wanted.
    public let expected: OutcomeKind
    /// Where it said so.
    public let expectedCause: Cause?
    /// What came; nil where nothing did in time.
    public let outcome: RequestOutcome?
    /// Why, where the daemon, the system or the host decided.
    public let explanation: ExtensionHostError?
    /// All that happened, a line an event.
    public let timeline: String
    let extensionIdentifier: String
    let limit: Duration
    /// The line of the test that expected it.
    public let site: CallSite

    public var description: String {
        var lines = ["\(site.prefix)\(extensionIdentifier): expected \(Self.summary(expected, expectedCause)), and came \(came)"]
        if let explanation {
            lines.append("why: \(explanation.message)" + (explanation.cause.map { " (\($0))" } ?? ""))
            if let remedy = explanation.remedy, !remedy.isEmpty { lines.append("remedy: \(remedy)") }
        } else if case .cancelled(_, let error)? = outcome {
            lines.append("why: \(printable("\(error)"))")
        }
        return lines.joined(separator: "\n") + "\ntimeline:" + (timeline.isEmpty ? " nothing" : timeline)
    }

    /// The file and the line in a text that holds the description. XCTest passes on only the text of an error.
    package static func place(inDescription text: String) -> (file: String, line: Int)? {
        guard let found = text.prefix(while: { !$0.isNewline }).firstMatch(of: #/(/[^:"]*):([0-9]+): [^:]*: expected /#),
            let line = Int(found.2)
        else { return nil }
        return (String(found.1), line)
    }

    private var came: String {
        guard let outcome else { return "nothing within \(limit)" }
        return Self.summary(outcome.kind, outcome.cause)
    }

    private static func summary(_ kind: OutcomeKind, _ cause: Cause?) -> String {
        guard let cause, cause.rawValue != kind.rawValue else { return kind.rawValue }
        return "\(kind.rawValue) (\(cause.rawValue))"
    }
}
