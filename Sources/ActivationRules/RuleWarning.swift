// RuleWarning: what an author should know about a rule that can be read.

public struct RuleWarning: Sendable, Hashable {
    public enum Severity: String, Sendable, Hashable {
        /// The rule does not do what it says.
        case error
        /// It does, and that is seldom what was meant.
        case warning
    }

    /// Stable names; `docs/activation-rules.md` has a row for each.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case truePredicate, neverMatches, countsItemsNotAttachments, emptyItemMatches, urlMatchesFiles, missingModifier
        case unknownKeyPath, unknownType
        case lenientNumber, invalidCount, invalidVersion, unknownActivationKey, nothingSupported, strictWithoutVersion2
        case contradictoryCounts
    }

    public let severity: Severity
    public let code: Code
    /// Without a full stop.
    public let message: String
    public let remedy: String
    /// The key of the dictionary form; nil for a predicate.
    public let key: String?
    /// Both from 1, in the text of the predicate; nil for a dictionary.
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
