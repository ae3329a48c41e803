// PageValueText: property lists as the harness of scripts writes and reads them.

package import PropertyListCoding

/// Property lists as tagged JSON: texts, numbers and booleans as themselves, `["a", …]` for an array,
/// `["o", key, value, …]` for a dictionary, and `["d", milliseconds]` for a date.
package enum PageValueText {
    /// A text that is not of this form, or a value that has none. The text says which.
    package struct Malformed: Error, Equatable, CustomStringConvertible {
        package let description: String
        package init(_ description: String) { self.description = description }
    }

    // MARK: Writing

    /// Writes a property list.
    ///
    /// - Throws: `Malformed` with the path of a value that JavaScript lacks (data), or if it exceeds a bound of
    ///   `PageBounds`.
    package static func write(_ value: PropertyList) throws(Malformed) -> String {
        var text = ""
        try write(value, "arguments", 0, &text)
        return text
    }

    private static func write(
        _ value: PropertyList, _ path: String, _ depth: Int, _ text: inout String
    ) throws(Malformed) {
        guard depth <= PageBounds.depth else { throw Malformed("\(path) is deeper than \(PageBounds.depth) levels") }
        guard text.utf8.count <= PageBounds.value else {
            throw Malformed("the arguments have more than \(PageBounds.written(PageBounds.value))")
        }
        switch value {
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        case .real(let value):
            guard value.isFinite else { throw Malformed("\(path) is \(value), which is no finite number") }
            text += "\(value)"
        case .date(let value): text += "[\"d\",\(((value + secondsTo2001) * 1000).rounded())]"
        case .string(let value): text += quoted(value)
        case .data: throw Malformed("\(path) is data, which JavaScript does not have")
        case .array(let values):
            text += "[\"a\""
            for (index, value) in values.enumerated() {
                text += ","
                try write(value, "\(path)[\(index)]", depth + 1, &text)
            }
            text += "]"
        case .dictionary(let members):
            text += "[\"o\""
            for (key, value) in members {
                text += ",\(quoted(key)),"
                try write(value, "\(path).\(key)", depth + 1, &text)
            }
            text += "]"
        }
    }

    /// Returns a text as a literal of JSON, which is one of JavaScript too.
    package static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        // These two end a line in old JavaScript.
        return writer.text.split(separator: "\u{2028}", omittingEmptySubsequences: false).joined(separator: "\\u2028")
            .split(separator: "\u{2029}", omittingEmptySubsequences: false).joined(separator: "\\u2029")
    }

    /// The seconds from 1970 to 2001, where dates of property lists begin.
    private static let secondsTo2001 = 978_307_200.0

    // MARK: Reading

    /// Reads a text.
    ///
    /// - Throws: `Malformed` for a text that the harness does not write. A hostile script can pass any text, so each
    ///   bound of `PageBounds` is checked.
    package static func read(_ text: String) throws(Malformed) -> PropertyList {
        var reader = Reader(bytes: Array(text.utf8))
        guard reader.bytes.count <= PageBounds.text else {
            throw Malformed("the results have more than \(PageBounds.written(PageBounds.value))")
        }
        let value = try reader.value(depth: 0)
        guard reader.place == reader.bytes.count else { throw reader.malformed }
        return value
    }

    private struct Reader {
        let bytes: [UInt8]
        var place = 0
        private var nodes = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var malformed: Malformed { Malformed("the results are damaged at byte \(place)") }
        private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

        private mutating func take(_ literal: String) -> Bool {
            guard bytes[place...].starts(with: literal.utf8) else { return false }
            place += literal.utf8.count
            return true
        }

        mutating func value(depth: Int) throws(Malformed) -> PropertyList {
            guard depth <= PageBounds.depth else {
                throw Malformed("the results are deeper than \(PageBounds.depth) levels")
            }
            nodes += 1
            guard nodes <= PageBounds.nodes else {
                throw Malformed("the results have more than \(PageBounds.nodes) values")
            }
            switch next {
            case UInt8(ascii: "\""): return .string(try string())
            case UInt8(ascii: "t") where take("true"): return .boolean(true)
            case UInt8(ascii: "f") where take("false"): return .boolean(false)
            case UInt8(ascii: "["): return try tagged(depth)
            default: return try number()
            }
        }

        private mutating func tagged(_ depth: Int) throws(Malformed) -> PropertyList {
            if take("[\"a\"") {
                var values: [PropertyList] = []
                while take(",") { values.append(try value(depth: depth + 1)) }
                guard take("]") else { throw malformed }
                return .array(values)
            }
            if take("[\"o\"") {
                var members: [String: PropertyList] = [:]
                var keys: [String] = []
                while take(",") {
                    guard next == UInt8(ascii: "\"") else { throw malformed }
                    let key = try string()
                    guard take(",") else { throw malformed }
                    if members.updateValue(try value(depth: depth + 1), forKey: key) == nil { keys.append(key) }
                }
                guard take("]") else { throw malformed }
                return .dictionary(PropertyListDictionary(keys.compactMap { key in members[key].map { (key, $0) } }))
            }
            guard take("[\"d\","), let milliseconds = try number().number, take("]") else { throw malformed }
            return .date(milliseconds / 1000 - secondsTo2001)
        }

        /// Reads a number: an integer up to 2^53 as such.
        private mutating func number() throws(Malformed) -> PropertyList {
            let start = place
            while let byte = next, "+-.0123456789Ee".utf8.contains(byte) { place += 1 }
            let text = String(decoding: bytes[start..<place], as: UTF8.self)
            if let whole = Int64(text), whole.magnitude <= 1 << 53 { return .integer(whole) }
            guard let value = Double(text), value.isFinite else {
                place = start
                throw malformed
            }
            return .real(value)
        }

        /// Reads a text. A half of a surrogate pair is refused.
        private mutating func string() throws(Malformed) -> String {
            place += 1
            var out: [UInt8] = []
            while let byte = next {
                place += 1
                switch byte {
                case UInt8(ascii: "\""):
                    guard let text = String(validating: out, as: UTF8.self) else { throw malformed }
                    return text
                case UInt8(ascii: "\\"): try escape(into: &out)
                default: out.append(byte)
                }
            }
            throw malformed
        }

        private mutating func escape(into out: inout [UInt8]) throws(Malformed) {
            guard let byte = next else { throw malformed }
            place += 1
            switch byte {
            case UInt8(ascii: "n"): out.append(0x0a)
            case UInt8(ascii: "t"): out.append(0x09)
            case UInt8(ascii: "r"): out.append(0x0d)
            case UInt8(ascii: "b"): out.append(0x08)
            case UInt8(ascii: "f"): out.append(0x0c)
            case UInt8(ascii: "u"):
                var unit = try hexadecimal()
                if unit & 0xfc00 == 0xd800 {
                    guard take("\\u") else { throw malformed }
                    let low = try hexadecimal()
                    guard low & 0xfc00 == 0xdc00 else { throw malformed }
                    unit = 0x10000 + (unit & 0x3ff) << 10 + low & 0x3ff
                }
                guard let scalar = Unicode.Scalar(unit) else { throw malformed }
                out += Array(String(Character(scalar)).utf8)
            default: out.append(byte)
            }
        }

        private mutating func hexadecimal() throws(Malformed) -> UInt32 {
            guard place + 4 <= bytes.count,
                let unit = UInt32(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
            else { throw malformed }
            place += 4
            return unit
        }
    }
}

extension PropertyList {
    fileprivate var number: Double? { real ?? integer.map(Double.init) }
}
