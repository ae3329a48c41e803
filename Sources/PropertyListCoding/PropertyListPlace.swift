// PropertyListPlace: the place in an input at which an error was found.

public enum PropertyListPlace: Sendable, Hashable, CustomStringConvertible {
    /// The offset from the first byte of a binary property list.
    case byte(Int)
    /// The line and column, both from 1; the column counts characters (Unicode scalars).
    case line(Int, column: Int)
    /// The value handed to a writer.
    case value

    public var description: String {
        switch self {
        case .byte(let offset): "byte \(offset)"
        case .line(let line, let column): "line \(line), column \(column)"
        case .value: "the value to write"
        }
    }
}

/// Returns a readable piece of hostile input for an error message: bounded, without control characters.
func excerpt(_ bytes: some Sequence<UInt8>, limit: Int = 32) -> String {
    var result = ""
    let kept = Array(bytes.prefix(limit + 1))
    for scalar in String(decoding: kept.prefix(limit), as: UTF8.self).unicodeScalars {
        let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        result.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
    }
    return kept.count > limit ? result + "…" : result
}
