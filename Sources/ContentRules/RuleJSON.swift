// RuleJSON: the JSON of rule lists, as WebKit reads it.

/// A value of a rule list.
struct RuleValue {
    enum Content {
        case string(String)
        case boolean(Bool)
        case array([RuleValue])
        case object([(key: String, value: RuleValue)])
        /// Null, a number, or a value that is nested too deeply to have a meaning in a rule.
        case other
    }

    /// The offset of its first byte.
    let place: Int
    let content: Content

    /// Returns the last member with a key, which is the one that counts.
    func member(_ key: String) -> RuleValue? {
        guard case .object(let members) = content else { return nil }
        return members.last { $0.key == key }?.value
    }

    var string: String? { if case .string(let text) = content { text } else { nil } }
    var boolean: Bool? { if case .boolean(let value) = content { value } else { nil } }
    var array: [RuleValue]? { if case .array(let values) = content { values } else { nil } }
    var isObject: Bool { if case .object = content { true } else { false } }
}

/// A reader of JSON that never recurses further than rules are nested.
///
/// It takes the same texts as WebKit's reader (observed): beside JSON proper, control characters in strings, the
/// escapes `\v` and `\x41`, vertical tabs and form feeds between values, and at most 1,000 levels.
struct RuleJSONReader {
    static let greatestDepth = 1000
    /// The levels of a rule that have a meaning: rule, trigger, list, name.
    private static let meaningfulDepth = 4

    /// The keys with a meaning in a rule. The values of others are passed over.
    private static let keys = RuleReader.triggerKeys.union(["trigger", "action", "type", "selector", "notification"])
    /// The number of members of an object above which those without a meaning are not kept.
    private static let greatestMembers = 32

    let bytes: [UInt8]
    /// The number of elements of an array that are kept, without the one that exceeds it.
    private let greatestElements: Int
    private(set) var place = 0

    init(_ bytes: [UInt8], at place: Int = 0, greatestElements: Int = 0) {
        (self.bytes, self.place, self.greatestElements) = (bytes, place, greatestElements)
    }

    var isAtEnd: Bool { place == bytes.count }

    func fault(_ detail: String, at place: Int? = nil) -> PlacedFault {
        PlacedFault(
            .invalidJSON, at: place ?? self.place, detail, remedy: "Correct the JSON; python3 -m json.tool checks it")
    }

    private var current: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func skipSpace() {
        while place < bytes.count, bytes[place] == 0x20 || (0x09...0x0D).contains(bytes[place]) { place += 1 }
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        place += 1
        return true
    }

    private func described(_ byte: UInt8?) -> String {
        guard let byte else { return "the text ends" }
        return "there is " + (byte < 0x80 ? quoted(String(Unicode.Scalar(byte))) : "the byte \(byte)")
    }

    // MARK: - Checking

    /// Checks and passes over one value.
    mutating func skipValue() throws(PlacedFault) {
        var open: [UInt8] = []
        while true {
            skipSpace()
            switch current {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let opening = bytes[place]
                guard open.count < Self.greatestDepth else {
                    throw fault("values are nested more than \(Self.greatestDepth) deep")
                }
                place += 1
                skipSpace()
                if !take(opening + 2) {
                    open.append(opening)
                    if opening == UInt8(ascii: "{") { try skipKey() }
                    continue
                }
            case UInt8(ascii: "\""): try skipString()
            default: try skipScalar()
            }
            if try !skipEnds(&open) { return }
        }
    }

    /// Passes over what follows a value. Returns whether another value follows.
    private mutating func skipEnds(_ open: inout [UInt8]) throws(PlacedFault) -> Bool {
        while let last = open.last {
            skipSpace()
            if take(UInt8(ascii: ",")) {
                skipSpace()
                if last == UInt8(ascii: "{") { try skipKey() }
                return true
            }
            guard take(last + 2) else {
                let closing = last == UInt8(ascii: "{") ? "}" : "]"
                throw fault("a “,” or “\(closing)” is missing, and \(described(current))")
            }
            open.removeLast()
        }
        return false
    }

    private mutating func skipKey() throws(PlacedFault) {
        guard current == UInt8(ascii: "\"") else { throw fault("a key is missing, and \(described(current))") }
        try skipString()
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw fault("a “:” is missing, and \(described(current))") }
    }

    private mutating func skipScalar() throws(PlacedFault) {
        for word in ["null", "true", "false"] where bytes[place...].starts(with: word.utf8) {
            place += word.utf8.count
            return
        }
        let start = place
        _ = take(UInt8(ascii: "-"))
        let first = place
        skipDigits()
        guard place > first else {
            throw fault("a value is missing, and \(described(start < bytes.count ? bytes[start] : nil))", at: start)
        }
        if bytes[first] == UInt8(ascii: "0"), place > first + 1 { throw fault("a number begins with 0", at: start) }
        if take(UInt8(ascii: ".")) {
            guard let digit = current, isDigit(digit) else { throw fault("a number has no digit after its point") }
            skipDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            place += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { place += 1 }
            guard let digit = current, isDigit(digit) else { throw fault("a number has no digit in its exponent") }
            skipDigits()
        }
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private mutating func skipDigits() {
        while let digit = current, isDigit(digit) { place += 1 }
    }

    private mutating func skipString() throws(PlacedFault) {
        let start = place
        place += 1
        while let byte = current {
            if byte == UInt8(ascii: "\"") {
                place += 1
                return
            }
            if byte == UInt8(ascii: "\\") {
                try skipEscape()
            } else if byte < 0x80 {
                place += 1
            } else {
                guard let length = utf8Length() else { throw fault("the text is not UTF-8") }
                place += length
            }
        }
        throw fault("a string is not closed", at: start)
    }

    private mutating func skipEscape() throws(PlacedFault) {
        let start = place
        place += 1
        let digits: Int
        switch current {
        case UInt8(ascii: "u"): digits = 4
        case UInt8(ascii: "x"): digits = 2
        case let byte? where "\"\\/bfnrtv".utf8.contains(byte): digits = 0
        default: throw fault("a backslash is not followed by \" \\ / b f n r t v u or x", at: start)
        }
        place += 1
        for _ in 0..<digits {
            guard let byte = current, hexValue(byte) != nil else {
                throw fault("an escape has fewer than \(digits) hexadecimal digits", at: start)
            }
            place += 1
        }
    }

    /// Returns the length of the sequence at this place, from 2 to 4; nil if it is none of UTF-8.
    private func utf8Length() -> Int? {
        func follows(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
            place + offset < bytes.count && range.contains(bytes[place + offset])
        }
        switch bytes[place] {
        case 0xC2...0xDF: return follows(1) ? 2 : nil
        case 0xE0: return follows(1, 0xA0...0xBF) && follows(2) ? 3 : nil
        case 0xED: return follows(1, 0x80...0x9F) && follows(2) ? 3 : nil
        case 0xE1...0xEF: return follows(1) && follows(2) ? 3 : nil
        case 0xF0: return follows(1, 0x90...0xBF) && follows(2) && follows(3) ? 4 : nil
        case 0xF4: return follows(1, 0x80...0x8F) && follows(2) && follows(3) ? 4 : nil
        case 0xF1...0xF3: return follows(1) && follows(2) && follows(3) ? 4 : nil
        default: return nil
        }
    }

    // MARK: - Reading

    /// Reads one value.
    mutating func value() throws(PlacedFault) -> RuleValue { try value(depth: 0) }

    private mutating func value(depth: Int) throws(PlacedFault) -> RuleValue {
        skipSpace()
        let start = place
        switch current {
        case UInt8(ascii: "\""): return RuleValue(place: start, content: .string(try string()))
        case UInt8(ascii: "{") where depth < Self.meaningfulDepth:
            return RuleValue(place: start, content: .object(try members(depth)))
        case UInt8(ascii: "[") where depth < Self.meaningfulDepth:
            return RuleValue(place: start, content: .array(try elements(depth)))
        default:
            try skipValue()
            switch bytes[start] {
            case UInt8(ascii: "t"): return RuleValue(place: start, content: .boolean(true))
            case UInt8(ascii: "f"): return RuleValue(place: start, content: .boolean(false))
            default: return RuleValue(place: start, content: .other)
            }
        }
    }

    private mutating func members(_ depth: Int) throws(PlacedFault) -> [(key: String, value: RuleValue)] {
        place += 1
        skipSpace()
        var members: [(key: String, value: RuleValue)] = []
        if take(UInt8(ascii: "}")) { return members }
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw fault("a key is missing, and \(described(current))") }
            let key = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw fault("a “:” is missing, and \(described(current))") }
            if Self.keys.contains(key) {
                let value = try value(depth: depth + 1)
                if let known = members.lastIndex(where: { $0.key == key }) { members.remove(at: known) }
                members.append((key, value))
            } else {
                let start = place
                try skipValue()
                if members.count < Self.greatestMembers {
                    members.append((key, RuleValue(place: start, content: .other)))
                }
            }
            skipSpace()
            if take(UInt8(ascii: "}")) { return members }
            guard take(UInt8(ascii: ",")) else { throw fault("a “,” or “}” is missing, and \(described(current))") }
        }
    }

    private mutating func elements(_ depth: Int) throws(PlacedFault) -> [RuleValue] {
        place += 1
        skipSpace()
        var elements: [RuleValue] = []
        if take(UInt8(ascii: "]")) { return elements }
        while true {
            if elements.count <= greatestElements {
                elements.append(try value(depth: depth + 1))
            } else {
                try skipValue()
            }
            skipSpace()
            if take(UInt8(ascii: "]")) { return elements }
            guard take(UInt8(ascii: ",")) else { throw fault("a “,” or “]” is missing, and \(described(current))") }
        }
    }

    private mutating func string() throws(PlacedFault) -> String {
        let start = place
        try skipString()
        let raw = bytes[(start + 1)..<(place - 1)]
        guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
        if let text = asciiString(raw) { return text }
        // A surrogate without its other half becomes U+FFFD; the byte form of one is none of UTF-8.
        var units: [UInt16] = []
        units.reserveCapacity(raw.count)
        var text = RuleStringReader(bytes: bytes, place: start + 1)
        while let unit = text.next() { units.append(contentsOf: unit.units) }
        return String(decoding: units, as: UTF16.self)
    }

    /// Decodes a string of ASCII whose escapes are of one character, as those of patterns are; nil for another.
    private func asciiString(_ raw: ArraySlice<UInt8>) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(raw.count)
        var isEscaped = false
        for byte in raw {
            guard byte < 0x80 else { return nil }
            if isEscaped {
                guard byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\"") else {
                    return nil
                }
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
                continue
            }
            decoded.append(byte)
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}

/// The characters of a string that was checked, each with its place.
struct RuleStringReader {
    let bytes: [UInt8]
    var place: Int

    /// Returns the next character and its place; nil at the quotation mark.
    mutating func next() -> (place: Int, units: [UInt16])? {
        let start = place
        let byte = bytes[place]
        if byte == UInt8(ascii: "\"") { return nil }
        place += 1
        guard byte == UInt8(ascii: "\\") else {
            while bytes[place] & 0xC0 == 0x80 { place += 1 }
            return (start, Array(String(decoding: bytes[start..<place], as: UTF8.self).utf16))
        }
        let escape = bytes[place]
        place += 1
        switch escape {
        case UInt8(ascii: "u"): return (start, [hex(4)])
        case UInt8(ascii: "x"): return (start, [hex(2)])
        case UInt8(ascii: "b"): return (start, [0x08])
        case UInt8(ascii: "f"): return (start, [0x0C])
        case UInt8(ascii: "n"): return (start, [0x0A])
        case UInt8(ascii: "r"): return (start, [0x0D])
        case UInt8(ascii: "t"): return (start, [0x09])
        case UInt8(ascii: "v"): return (start, [0x0B])
        default: return (start, [UInt16(escape)])
        }
    }

    private mutating func hex(_ digits: Int) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<digits {
            value = value << 4 | UInt16(hexValue(bytes[place]) ?? 0)
            place += 1
        }
        return value
    }
}

/// Returns the value of a hexadecimal digit.
func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
