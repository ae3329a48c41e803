// JSONReader: a reader, within bounds, of the property list that a line of JSON stands for (JSONForm).

import PropertyListCoding

/// The reason why a line is not JSON, or not of our form. Columns count bytes from 1.
struct JSONError: Error, Hashable, CustomStringConvertible {
    let column: Int
    let message: String

    var description: String { "\(message) (column \(column))" }
}

/// A reader of RFC 8259's form.
///
/// Hostile input is refused in time and memory proportional to its length. Nesting is bounded, a name that occurs twice
/// in an object is an error, and null is refused.
struct JSONReader {
    /// The limit of nested arrays and objects around a value: a packet's budget and the entry's own.
    static let depth = 300

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    static func read(_ bytes: ArraySlice<UInt8>) throws(JSONError) -> PropertyList {
        var reader = JSONReader(bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == bytes.endIndex else { throw reader.error("there is more after the value") }
        return try reader.interpreted(value)
    }

    private func error(_ message: String) -> JSONError {
        JSONError(column: position - bytes.startIndex + 1, message: message)
    }

    private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0d { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> PropertyList {
        guard depth < Self.depth else { throw error("the nesting is deeper than \(Self.depth)") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .dictionary(try members(depth))
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case let byte? where byte == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte:
            return try number()
        case nil: throw error("a value is missing at the end of the line")
        default: throw error("this is not the start of a value")
        }
    }

    private mutating func word(_ word: StaticString, _ value: PropertyList) throws(JSONError) -> PropertyList {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.endIndex,
            bytes[position..<end].elementsEqual(
                UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        else { throw error("this is not the start of a value") }
        position = end
        return value
    }

    private mutating func array(_ depth: Int) throws(JSONError) -> PropertyList {
        position += 1
        var values: [PropertyList] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(values) }
        while true {
            values.append(try value(depth: depth + 1))
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(values) }
            guard take(UInt8(ascii: ",")) else { throw error("an array continues with a comma or ends with ]") }
        }
    }

    /// Returns the value with each of our one-member objects replaced by what it stands for, from the outermost in.
    ///
    /// The content of `$dictionary` is not such an object itself.
    private func interpreted(_ value: PropertyList) throws(JSONError) -> PropertyList {
        switch value {
        case .array(let values):
            var result: [PropertyList] = []
            result.reserveCapacity(values.count)
            for value in values { result.append(try interpreted(value)) }
            return .array(result)
        case .dictionary(let members):
            guard members.count == 1, let key = members.keys.first, let form = JSONForm(rawValue: key),
                let inner = members[key]
            else {
                return try interpretedMembers(members)
            }
            switch (form, inner) {
            case (.real, .string("nan")), (.real, .string("-nan")): return .real(.nan)
            case (.real, .string("inf")): return .real(.infinity)
            case (.real, .string("-inf")): return .real(-.infinity)
            case (.date, .real(let seconds)): return .date(seconds)
            case (.date, .integer(let seconds)): return .date(Double(seconds))
            case (.data, .string(let text)):
                guard let bytes = Base64Text.decode(text) else { throw error("\(key) is not base64") }
                return .data(bytes)
            case (.dictionary, .dictionary(let members)): return try interpretedMembers(members)
            default: throw error("\(key) has a value of another kind")
            }
        default: return value
        }
    }

    private func interpretedMembers(_ members: PropertyListDictionary) throws(JSONError) -> PropertyList {
        var result = PropertyListDictionary(minimumCapacity: members.count)
        for (key, value) in members { result[key] = try interpreted(value) }
        return .dictionary(result)
    }

    private mutating func members(_ depth: Int) throws(JSONError) -> PropertyListDictionary {
        position += 1
        var members = PropertyListDictionary()
        skipSpace()
        if take(UInt8(ascii: "}")) { return members }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("a member's name is missing") }
            let name = try string()
            guard members[name] == nil else { throw error("a member is repeated") }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw error("a colon is missing") }
            members[name] = try value(depth: depth + 1)
            skipSpace()
            if take(UInt8(ascii: "}")) { return members }
            guard take(UInt8(ascii: ",")) else { throw error("an object continues with a comma or ends with }") }
        }
    }

    private mutating func number() throws(JSONError) -> PropertyList {
        let start = position
        var isReal = false
        while let byte = next {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"): break
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isReal = true
            default:
                return try number(bytes[start..<position], isReal, start)
            }
            position += 1
        }
        return try number(bytes[start..<position], isReal, start)
    }

    private func number(_ digits: ArraySlice<UInt8>, _ isReal: Bool, _ start: Int) throws(JSONError) -> PropertyList {
        let text = String(decoding: digits, as: UTF8.self)
        let column = start - bytes.startIndex + 1
        guard digits.count <= 64, digits.first != UInt8(ascii: "+") else {
            throw JSONError(column: column, message: "not a number")
        }
        if isReal, let value = Double(text), value.isFinite { return .real(value) }
        if !isReal, let value = Int64(text) { return .integer(value) }
        throw JSONError(column: column, message: "not a number, or a number out of range")
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let string = String(validating: text, as: UTF8.self) else { throw error("text is not UTF-8") }
                return string
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &text)
            case 0..<0x20: throw error("a control character in text")
            default:
                text.append(byte)
                position += 1
            }
        }
        throw error("the line ends within text")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard let byte = next else { throw error("the line ends within text") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "u"):
            var code = try unit()
            if 0xd800..<0xdc00 ~= code {
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw error("half a character") }
                let low = try unit()
                guard 0xdc00..<0xe000 ~= low else { throw error("half a character") }
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw error("half a character") }
            text.append(contentsOf: UTF8.encode(scalar)!)  // every scalar has a form
        default: throw error("this is not an escape")
        }
    }

    private mutating func unit() throws(JSONError) -> UInt32 {
        guard position + 4 <= bytes.endIndex,
            let code = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16),
            bytes[position] != UInt8(ascii: "+"),
            bytes[position] != UInt8(ascii: "-")
        else { throw error("an escape needs four digits") }
        position += 4
        return code
    }
}
