// JSON: a value to print, with its members in the given order.

import PropertyListCoding

/// A JSON value. The caller sets a member that does not apply to `null`, or leaves it out.
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

    /// Returns a time, given in microseconds since 1970, in seconds since 1970, as every duration is in seconds.
    static func time(_ microseconds: Int) -> JSON { .real(Double(microseconds) / 1e6) }

    /// The value in one line.
    var line: String { text(isIndented: false) }

    /// The value in one line for programs, indented for people.
    var document: String { text(isIndented: StandardOutput.isTerminal) + "\n" }

    private func text(isIndented: Bool) -> String {
        var writer = JSONWriter(isIndented: isIndented)
        write(to: &writer)
        return writer.text
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .integer(let value): writer.integer(value)
        case .real(let value): writer.real(value)
        case .string(let value): writer.string(value)
        case .array(let values): writer.array(values) { $0.write(to: &$1) }
        case .object(let members): writer.object(members.lazy.map { ($0.name, $0.value) }) { $0.write(to: &$1) }
        }
    }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral {
    init(dictionaryLiteral members: (String, JSON)...) { self = .object(members.map { (name: $0.0, value: $0.1) }) }
    init(stringLiteral value: String) { self = .string(value) }
}
