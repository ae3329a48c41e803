// JSONWriter: the text of one JSON value (RFC 8259), in one line or indented.

/// A writer of JSON as UTF-8. The caller writes one value; the writer adds the punctuation and the escapes.
///
/// Members of an object keep their order. Their names are not compared: the caller makes them unique.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    /// The blanks before the next line. Nil for output in one line.
    private var indent: Int?

    /// - Parameter isIndented: Whether each element and each member has a line of its own, for people.
    public init(isIndented: Bool = false) { indent = isIndented ? 0 : nil }

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public mutating func null() { raw("null") }
    public mutating func boolean(_ value: Bool) { raw(value ? "true" : "false") }
    public mutating func integer(_ value: some BinaryInteger) { raw("\(value)") }

    /// Writes a number with a point or an exponent.
    ///
    /// JSON has no word for infinity (RFC 8259, 6): what is not finite is `null`.
    public mutating func real(_ value: Double) { raw(value.isFinite ? "\(value)" : "null") }

    /// Writes text; escapes quotation marks, backslashes and the control characters of ASCII, DEL among them.
    ///
    /// Nothing else needs an escape.
    public mutating func string(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""): raw("\\\"")
            case UInt8(ascii: "\\"): raw("\\\\")
            case UInt8(ascii: "\n"): raw("\\n")
            case UInt8(ascii: "\r"): raw("\\r")
            case UInt8(ascii: "\t"): raw("\\t")
            case 0..<0x20, 0x7f: raw(byte < 16 ? "\\u000" : "\\u00", String(byte, radix: 16))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    public mutating func string(orNull value: String?) { if let value { string(value) } else { null() } }

    /// - Parameter write: Writes an element: exactly one value.
    public mutating func array<Element>(
        _ elements: some Sequence<Element>, _ write: (Element, inout JSONWriter) -> Void
    ) {
        list(elements, "[", "]", write)
    }

    /// - Parameter write: Writes the value of a member: exactly one.
    public mutating func object<Value>(
        _ members: some Sequence<(String, Value)>, _ write: (Value, inout JSONWriter) -> Void
    ) {
        list(members, "{", "}") { member, writer in
            writer.string(member.0)
            writer.raw(": ")
            write(member.1, &writer)
        }
    }

    private mutating func list<Element>(
        _ elements: some Sequence<Element>, _ opening: String, _ closing: String,
        _ write: (Element, inout JSONWriter) -> Void
    ) {
        let outer = indent
        var isEmpty = true
        indent = outer.map { $0 + 2 }
        raw(opening)
        for element in elements {
            if !isEmpty { raw(indent == nil ? ", " : ",") }
            isEmpty = false
            newLine()
            write(element, &self)
        }
        indent = outer
        if !isEmpty { newLine() }
        raw(closing)
    }

    private mutating func newLine() {
        guard let indent else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent))
    }

    private mutating func raw(_ texts: String...) { for text in texts { bytes.append(contentsOf: text.utf8) } }
}
