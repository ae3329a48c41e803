// RuleWarning: a warning to an author about a rule that can be read.

public struct RuleWarning: Sendable, Hashable {
    public enum Severity: String, Sendable, Hashable {
        /// The rule does not do what it says.
        case error
        /// The rule does what it says, but that is rarely what was meant.
        case warning
    }

    /// The stable names of warnings; `docs/activation-rules.md` has a row for each.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case truePredicate, neverMatches, countsItemsNotAttachments, emptyItemMatches, urlMatchesFiles, missingModifier
        case unknownKeyPath, unknownType
        case lenientNumber, invalidCount, invalidVersion, unknownActivationKey, nothingSupported, strictWithoutVersion2
        case contradictoryCounts
    }

    public let severity: Severity
    public let code: Code
    /// The warning, without a full stop.
    public let message: String
    public let remedy: String
    /// The key of the dictionary form; nil for a predicate.
    public let key: String?
    /// The line in the text of the predicate, from 1; nil for a dictionary. `column` is the same for the column.
    public let line: Int?
    public let column: Int?

    init(
        _ code: Code, _ message: String, remedy: String, severity: Severity = .warning, key: String? = nil,
        at place: (line: Int, column: Int)? = nil
    ) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.severity = severity
        self.key = key
        line = place?.line
        column = place?.column
    }
}
