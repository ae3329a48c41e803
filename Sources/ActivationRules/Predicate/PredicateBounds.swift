// PredicateBounds: how large a predicate may be.

/// The bounds of a predicate and of asking it; an error names the one that was met (spec 3.3).
public enum PredicateBounds {
    /// Bytes of a predicate's text.
    public static let bytes = 64 << 10
    /// Parentheses, `NOT`s and `SUBQUERY`s around a place; and as many braces.
    public static let depth = 200
    /// Steps of one evaluation: clauses, values, elements and bytes looked at. Some milliseconds.
    public static let work = 1_000_000
}
