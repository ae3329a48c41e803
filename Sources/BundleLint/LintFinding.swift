// LintFinding: one fault of a bundle, with its place and its remedy.

import PropertyListCoding

public struct LintFinding: Sendable, Hashable {
    public enum Severity: String, Sendable, Hashable {
        /// The bundle is refused, or does not do what it says.
        case error
        /// The bundle works, but this is rarely what was meant.
        case warning
    }

    public let severity: Severity
    public let code: LintCode
    /// The file or folder, below the path that was passed to lint.
    public let file: String
    /// The key path from the top of the property list, joined by dots; nil if no key is concerned.
    public let key: String?
    /// The line, from 1, of the key in an XML property list, or of the place in a predicate; nil for other files.
    public let line: Int?
    /// The message, without a full stop.
    public let message: String
    public let remedy: String
}

/// The findings collected so far.
struct LintReport {
    private let isRelease: Bool
    private(set) var findings: [LintFinding] = []

    /// The maximum number of findings for one bundle.
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

    mutating func addRepeated(in path: String, _ repeated: [RepeatedKey]) {
        for key in repeated {
            add(.keyRepeated, path, key: key.path, line: key.line, RepeatedKey.message, remedy: RepeatedKey.remedy)
        }
    }
}

extension RepeatedKey {
    package static let message = "the key is repeated in its dictionary: the last value counts, as on Apple's systems"
    package static let remedy = "Remove the others"
}
