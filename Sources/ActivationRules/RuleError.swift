// RuleError: the reason why a rule cannot be read or evaluated.

/// A fault in a rule's text or value, or a bound that its evaluation exceeded.
public struct RuleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault, without a full stop.
    public let message: String
    /// The line in the text of the predicate, from 1. `column` counts Unicode scalars, from 1.
    ///
    /// Both are 1 if the fault has no place.
    public let line: Int
    public let column: Int
    /// The remedy.
    public let hint: String

    public init(_ message: String, line: Int = 1, column: Int = 1, hint: String) {
        self.message = message
        self.line = line
        self.column = column
        self.hint = hint
    }

    public var description: String { "line \(line), column \(column): \(message). \(hint)" }
}
