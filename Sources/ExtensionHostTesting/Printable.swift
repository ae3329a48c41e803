// Printable: text from strangers, made safe for a terminal.

/// Returns `text` in one line, with its control characters made visible.
///
/// Text of an extension or its bundle must not move the cursor of its reader's terminal.
public func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += " "
        case let scalar where isControl(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// Whether the character is one of C0, DEL and C1, or changes the direction of the text that follows.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x202a...0x202e, 0x2066...0x2069: true
    default: false
    }
}
