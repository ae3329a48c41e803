// TestResult: what became of one test: of a scenario, or of a cell of the matrix.

public struct TestResult: Sendable, Hashable {
    public enum Verdict: Sendable, Hashable {
        case passed
        case failed(TestFailure)
        /// Not run, or it cannot be: why.
        case skipped(String)
    }

    public let name: String
    /// The file that it stands in, as it was named; for the matrix the extension.
    public let group: String
    /// From 1; nil where there is no file.
    public let line: Int?
    /// Wall time, with that of its daemon.
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

/// Why a test failed. Texts may hold a stranger's words: whoever writes them escapes what they could do there.
public struct TestFailure: Error, Sendable, Hashable {
    /// `FILE:LINE`; nil where there is no file.
    public var place: String?
    /// The line that failed, as it was written; in the matrix what was tried.
    public var step: String
    public var expected: String
    public var found: String
    /// What is known of the reason.
    public var why: String?
    public var remedy: String?
    /// Everything that happened, a line each.
    public var timeline: [String] = []
    /// The end of what the extension printed, a line each.
    public var output: [String] = []

    public init(
        place: String? = nil, step: String = "", expected: String, found: String, why: String? = nil, remedy: String? = nil
    ) {
        self.place = place
        self.step = step
        self.expected = expected
        self.found = found
        self.why = why
        self.remedy = remedy
    }

    /// What it says, with the names under which every report shows it.
    public var parts: [(name: String, text: String)] {
        let all: [(String, String?)] = [
            ("at", place), ("step", step.isEmpty ? nil : step), ("expected", expected), ("found", found), ("why", why),
            ("remedy", remedy),
        ]
        return all.compactMap { name, text in text.map { (name, $0) } }
    }
}
