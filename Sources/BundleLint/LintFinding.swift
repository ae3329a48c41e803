// LintFinding: one fault of a bundle, where it is, and what to do about it.

public struct LintFinding: Sendable, Hashable {
    public enum Severity: String, Sendable, Hashable {
        /// The bundle is refused, or does not do what it says.
        case error
        /// It works, and that is seldom what was meant.
        case warning
    }

    public let severity: Severity
    public let code: LintCode
    /// The file or folder, by the path that was asked about.
    public let file: String
    /// The way to the key from the top of the property list, with dots between; nil where no key is concerned.
    public let key: String?
    /// From 1, of the key in an XML property list, or of the place in a predicate; nil for binary ones and other files.
    public let line: Int?
    /// Without a full stop.
    public let message: String
    public let remedy: String
}

/// Findings as they come.
struct LintReport {
    private let isRelease: Bool
    private(set) var findings: [LintFinding] = []

    /// A bundle with more faults than this has been told enough.
    static let limit = 10_000

    init(isRelease: Bool) { self.isRelease = isRelease }

    mutating func add(
        _ code: LintCode, _ file: String, key: String? = nil, line: Int? = nil, _ message: String, remedy: String,
        severity: LintFinding.Severity? = nil
    ) {
        guard findings.count < Self.limit else { return }
        let severity = isRelease && code.isErrorInRelease ? .error : severity ?? code.severity
        findings.append(
            LintFinding(
                severity: severity, code: code, file: file, key: key, line: line, message: message, remedy: remedy))
    }
}
