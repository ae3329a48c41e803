// PredicateBounds: the maximum size of a predicate.

/// The bounds of a predicate and of its evaluation. An error names the bound that was exceeded (spec 3.3).
public enum PredicateBounds {
    /// The maximum size of a predicate's text in bytes.
    public static let bytes = 64 << 10
    /// The maximum number of nested `SUBQUERY`s, and of nested braces.
    public static let depth = 200
    /// The maximum number of nested conditions, which `AND`, `OR`, `NOT` and `SUBQUERY` make; parentheses make none.
    ///
    /// Code that recurses through the tree makes a call for each, on a stack with room for these (`DeepStack`).
    public static let conditions = 1_500
    /// The maximum number of steps of one evaluation, some milliseconds: each clause, value, element and byte counts.
    public static let work = 1_000_000
}
