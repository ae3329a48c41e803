// JSON: a value to be printed, its members in the order that they were given.

import PropertyListCoding

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
    var line: String { text(isIndented: false) }

    /// In one line for programs, indented for people.
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
