// TestResult: the result of one test: of a scenario, or of a cell of the matrix.

public struct TestResult: Sendable, Hashable {
    public enum Verdict: Sendable, Hashable {
        case passed
        case failed(TestFailure)
        /// The test was not or cannot be run; the text says why.
        case skipped(String)
    }

    public let name: String
    /// The file of the test, as it was named; for the matrix, the extension.
    public let group: String
    /// The line, counted from 1. Nil if there is no file.
    public let line: Int?
    /// Wall time, including that of the test's daemon.
    public let seconds: Double
    public let verdict: Verdict

    public init(name: String, group: String, line: Int?, seconds: Double, verdict: Verdict) {
        self.name = name
        self.group = group
        self.line = line
        self.seconds = seconds
        self.verdict = verdict
    }

    public var failure: TestFailure? { if case .failed(let failure) = verdict { failure } else { nil } }
}

/// The failure of a test.
///
/// The texts may come from untrusted sources: a report must escape them for its format.
public struct TestFailure: Error, Sendable, Hashable {
    /// The place as `FILE:LINE`. Nil if there is no file.
    public var place: String?
    /// The line that failed, as it was written; in the matrix, the trial.
    public var step: String
    public var expected: String
    public var found: String
    /// The known part of the reason.
    public var why: String?
    public var remedy: String?
    /// All events, one per line.
    public var timeline: [String] = []
    /// The last lines that the extension printed.
    public var output: [String] = []

    public init(
        place: String? = nil, step: String = "", expected: String, found: String, why: String? = nil,
        remedy: String? = nil
    ) {
        self.place = place
        self.step = step
        self.expected = expected
        self.found = found
        self.why = why
        self.remedy = remedy
    }

    /// The texts of the failure, with the names under which every report shows them.
    public var parts: [(name: String, text: String)] {
        let all: [(String, String?)] = [
            ("at", place), ("step", step.isEmpty ? nil : step), ("expected", expected), ("found", found), ("why", why),
            ("remedy", remedy),
        ]
        return all.compactMap { name, text in text.map { (name, $0) } }
    }
}
