// JSONForm: a property list as one line of JSON, from which the same property list can be read again.

import PropertyListCoding

extension JSONWriter {
    /// Writes a property list.
    ///
    /// Booleans, integers, strings, arrays and dictionaries stand for themselves. A value that JSON has no form for
    /// becomes an object with one member whose name begins with `$` (`JSONForm`).
    mutating func write(_ value: PropertyList) {
        switch value {
        case .boolean(let value): boolean(value)
        case .integer(let value): integer(value)
        case .real(let value): if value.isFinite { real(value) } else { form(.real, .string("\(value)")) }
        case .date(let value): form(.date, .real(value))
        case .data(let bytes): form(.data, .string(Base64Text.encode(bytes)))
        case .string(let value): string(value)
        case .array(let values): array(values) { $1.write($0) }
        case .dictionary(let entries):
            // A dictionary that looks like one of our forms is wrapped in one.
            if entries.count == 1, let key = entries.keys.first, JSONForm(rawValue: key) != nil {
                object([(JSONForm.dictionary.rawValue, entries)]) { $1.dictionary($0) }
            } else {
                dictionary(entries)
            }
        }
    }

    private mutating func dictionary(_ entries: PropertyListDictionary) { object(entries) { $1.write($0) } }

    private mutating func form(_ form: JSONForm, _ value: PropertyList) {
        object([(form.rawValue, value)]) { $1.write($0) }
    }
}

/// The member names of the objects that stand for values without a JSON form.
enum JSONForm: String {
    /// NaN or an infinity, as text.
    case real = "$real"
    /// Seconds since 2001-01-01 00:00:00 UTC.
    case date = "$date"
    /// Base64 (RFC 4648, section 4).
    case data = "$data"
    /// A dictionary that looks like one of these forms.
    case dictionary = "$dictionary"
}

/// The codec for Base64 of RFC 4648, section 4, with padding.
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

    /// Decodes base64. Nil for text that is not base64, or has no padding.
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
