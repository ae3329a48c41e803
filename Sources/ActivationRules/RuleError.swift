// RuleError: why a rule cannot be read, or not be evaluated.

/// A fault of a rule's text or value, or a bound that evaluating it met.
public struct RuleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, without a full stop.
    public let message: String
    /// Both from 1, in the text of the predicate; columns count Unicode scalars. 1 and 1 where the fault has no place.
    public let line: Int
    public let column: Int
    /// What to do about it.
    public let hint: String

    public init(_ message: String, line: Int = 1, column: Int = 1, hint: String) {
        self.message = message
        self.line = line
        self.column = column
        self.hint = hint
    }

    public var description: String { "line \(line), column \(column): \(message). \(hint)" }
}
