// UnexpectedOutcome: the error for a request that did not end as a test expects, with its reason.

public import ExtensionHost
import ExtensionProtocol

/// The error of `FakeHost.expect`.
///
/// The description has the place, the expected and the actual outcome, the reason, a remedy, and the timeline.
public struct UnexpectedOutcome: Error, Sendable, CustomStringConvertible {
    /// The expected outcome.
    public let expected: OutcomeKind
    /// The expected cause; nil for any.
    public let expectedCause: Cause?
    /// The actual outcome; nil if there was none within the limit.
    public let outcome: RequestOutcome?
    /// The reason, if the daemon, the system or the host decided.
    public let explanation: ExtensionHostError?
    /// The events, one line for each.
    public let timeline: String
    let extensionIdentifier: String
    let limit: Duration
    /// The line of the test that expected it.
    public let site: CallSite

    public var description: String {
        var lines = [
            "\(site.prefix)\(extensionIdentifier): expected \(Self.summary(expected, expectedCause)), and found \(came)"
        ]
        if let explanation {
            lines.append("why: \(explanation.message)" + (explanation.cause.map { " (\($0))" } ?? ""))
            if let remedy = explanation.remedy, !remedy.isEmpty { lines.append("remedy: \(remedy)") }
        } else if case .cancelled(_, let error)? = outcome {
            lines.append("why: \(printable("\(error)"))")
        }
        return lines.joined(separator: "\n") + "\ntimeline:" + (timeline.isEmpty ? " nothing" : timeline)
    }

    /// Finds the file and the line in a text that holds the description. XCTest passes on only the text of an error.
    package static func place(inDescription text: String) -> (file: String, line: Int)? {
        guard
            let found = text.prefix(while: { !$0.isNewline }).firstMatch(of: #/(/[^:"]*):([0-9]+): [^:]*: expected /#),
            let line = Int(found.2)
        else { return nil }
        return (String(found.1), line)
    }

    private var came: String {
        guard let outcome else { return "no outcome within \(limit)" }
        return Self.summary(outcome.kind, outcome.cause)
    }

    private static func summary(_ kind: OutcomeKind, _ cause: Cause?) -> String {
        guard let cause, cause.rawValue != kind.rawValue else { return kind.rawValue }
        return "\(kind.rawValue) (\(cause.rawValue))"
    }
}
