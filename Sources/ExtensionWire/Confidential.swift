// Confidential: the mark of a value that no recording has.

/// The mark of values such as passwords. A dictionary with this key alone stands for its value.
public enum Confidential {
    /// The key of the mark.
    public static let key = "$confidential"
    /// The text that recordings have in place of the value.
    public static let placeholder = "<confidential>"
}
