// PredicateBounds: how large a predicate may be.

/// The bounds of a predicate and of asking it; an error names the one that was met (spec 3.3).
public enum PredicateBounds {
    /// Bytes of a predicate's text.
    public static let bytes = 64 << 10
    /// `SUBQUERY`s around a place; and as many braces.
    public static let depth = 200
    /// Conditions within each other, as `AND`, `OR`, `NOT` and `SUBQUERY` make them; parentheses make none. Whoever walks
    /// the tree has a call for each, on a stack with room for these (`DeepStack`).
    public static let conditions = 1_500
    /// Steps of one evaluation: clauses, values, elements and bytes looked at. Some milliseconds.
    public static let work = 1_000_000
}
