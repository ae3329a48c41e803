// JSONWriter: a property list as one line of JSON from which the same property list can be read again.

import PropertyListCoding

/// Booleans, integers, strings, arrays and dictionaries stand for themselves; a real always has a point or an exponent. What JSON has no
/// form for is an object with one member whose name begins with `$` (`JSONForm`).
struct JSONWriter {
    private(set) var text: [UInt8] = []

    mutating func write(_ value: PropertyList) {
        switch value {
        case .boolean(let value): raw(value ? "true" : "false")
        case .integer(let value): raw("\(value)")
        case .real(let value):
            if value.isFinite { raw("\(value)") } else { object(.real) { $0.string("\(value)") } }
        case .date(let value): object(.date) { $0.write(.real(value)) }
        case .data(let bytes): object(.data) { $0.string(Base64Text.encode(bytes)) }
        case .string(let value): string(value)
        case .array(let values):
            text.append(UInt8(ascii: "["))
            for (index, element) in values.enumerated() {
                if index > 0 { raw(", ") }
                write(element)
            }
            text.append(UInt8(ascii: "]"))
        case .dictionary(let entries):
            // One that could be taken for a form of ours is wrapped in one.
            if entries.count == 1, let key = entries.keys.first, JSONForm(rawValue: key) != nil {
                object(.dictionary) { $0.dictionary(entries) }
            } else {
                dictionary(entries)
            }
        }
    }

    private mutating func dictionary(_ entries: PropertyListDictionary) {
        text.append(UInt8(ascii: "{"))
        for (index, (key, value)) in entries.enumerated() {
            if index > 0 { raw(", ") }
            string(key)
            raw(": ")
            write(value)
        }
        text.append(UInt8(ascii: "}"))
    }

    private mutating func object(_ form: JSONForm, _ body: (inout JSONWriter) -> Void) {
        text.append(UInt8(ascii: "{"))
        string(form.rawValue)
        raw(": ")
        body(&self)
        text.append(UInt8(ascii: "}"))
    }

    private mutating func raw(_ string: String) { text.append(contentsOf: string.utf8) }

    private mutating func string(_ string: String) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): raw("\\\"")
            case UInt8(ascii: "\\"): raw("\\\\")
            case UInt8(ascii: "\n"): raw("\\n")
            case UInt8(ascii: "\r"): raw("\\r")
            case UInt8(ascii: "\t"): raw("\\t")
            case 0..<0x20, 0x7f:
                raw("\\u00")
                for digit in [byte >> 4, byte & 15] { text.append(Array("0123456789abcdef".utf8)[Int(digit)]) }
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}

/// The names of members by which values are written that JSON has no form for.
enum JSONForm: String {
    /// Not a number, or infinite, as text.
    case real = "$real"
    /// Seconds since 2001-01-01 00:00:00 UTC.
    case date = "$date"
    /// Base64 (RFC 4648, section 4).
    case data = "$data"
    /// A dictionary that looks like one of these.
    case dictionary = "$dictionary"
}

/// Base64 of RFC 4648, section 4, with padding.
enum Base64Text {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let group =
                UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
                | (left > 2 ? UInt32(bytes[index + 2]) : 0)
            for place in 0..<4 {
                text.append(place <= left ? alphabet[Int(group >> UInt32(18 - 6 * place)) & 63] : UInt8(ascii: "="))
            }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for what is no base64, or has no padding.
    static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count % 4 == 0 else { return nil }
        let padding = characters.suffix(2).count { $0 == UInt8(ascii: "=") }
        guard characters.dropLast(padding).allSatisfy({ $0 != UInt8(ascii: "=") }) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 4 * 3)
        var group: UInt32 = 0
        for (index, character) in characters.enumerated() {
            let value: UInt32
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(character - UInt8(ascii: "A"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(character - UInt8(ascii: "a")) + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(character - UInt8(ascii: "0")) + 52
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            case UInt8(ascii: "="): value = 0
            default: return nil
            }
            group = group << 6 | value
            guard index % 4 == 3 else { continue }
            bytes += [UInt8(group >> 16 & 0xff), UInt8(group >> 8 & 0xff), UInt8(group & 0xff)]
            group = 0
        }
        bytes.removeLast(padding)
        return bytes
    }
}
