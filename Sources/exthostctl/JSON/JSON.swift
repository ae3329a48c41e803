// JSON: a value to be printed, its members in the order that they were given.

/// A JSON value. Members that do not apply are `null`, or left out by the caller.
enum JSON: Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    case string(String)
    case array([JSON])
    case object([(name: String, value: JSON)])

    static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
    static func optional(_ number: Int?) -> JSON { number.map(JSON.integer) ?? .null }
    static func optional(_ number: Double?) -> JSON { number.map(JSON.real) ?? .null }

    /// A moment, from microseconds since 1970: seconds since 1970, as every duration is in seconds.
    static func time(_ microseconds: Int) -> JSON { .real(Double(microseconds) / 1e6) }

    /// In one line.
    var line: String {
        var text = ""
        write(to: &text, indent: nil)
        return text
    }

    /// In one line for programs, indented for people.
    var document: String {
        guard StandardOutput.isTerminal else { return line + "\n" }
        var text = ""
        write(to: &text, indent: 0)
        return text + "\n"
    }

    private func write(to text: inout String, indent: Int?) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        // There is no word for infinity in JSON (RFC 8259, 6).
        case .real(let value): text += value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.write(value, to: &text)
        case .array(let values):
            Self.writeList(values, "[", "]", to: &text, indent) { value, text, indent in value.write(to: &text, indent: indent) }
        case .object(let members):
            Self.writeList(members, "{", "}", to: &text, indent) { member, text, indent in
                Self.write(member.name, to: &text)
                text += ": "
                member.value.write(to: &text, indent: indent)
            }
        }
    }

    private static func writeList<Element>(
        _ elements: [Element], _ opening: String, _ closing: String, to text: inout String, _ indent: Int?,
        _ write: (Element, inout String, Int?) -> Void
    ) {
        text += opening
        let inner = elements.isEmpty ? nil : indent.map { $0 + 2 }
        for (index, element) in elements.enumerated() {
            if index > 0 { text += inner == nil ? ", " : "," }
            if let inner { text += "\n" + String(repeating: " ", count: inner) }
            write(element, &text, inner)
        }
        if inner != nil, let indent { text += "\n" + String(repeating: " ", count: indent) }
        text += closing
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1f}", "\u{7f}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral {
    init(dictionaryLiteral members: (String, JSON)...) { self = .object(members.map { (name: $0.0, value: $0.1) }) }
    init(stringLiteral value: String) { self = .string(value) }
}
