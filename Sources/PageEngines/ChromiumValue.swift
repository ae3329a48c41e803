// ChromiumValue: a value of JSON (RFC 8259), as the DevTools protocol of Chromium has it.

internal import PropertyListCoding

/// A value of JSON. Half a surrogate pair in a text becomes U+FFFD.
enum ChromiumValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([ChromiumValue])
    case object([String: ChromiumValue])

    /// Reads one value. Returns nil for anything else.
    init?(_ bytes: [UInt8]) {
        var reader = ChromiumValueReader(bytes: bytes)
        guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
        self = value
    }

    /// The member of an object; null if there is none.
    subscript(_ name: String) -> ChromiumValue {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    var text: String? { if case .string(let text) = self { text } else { nil } }
    var number: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }
    var elements: [ChromiumValue] { if case .array(let elements) = self { elements } else { [] } }

    func write(_ writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .number(let value):
            if let whole = Int(exactly: value) { writer.integer(whole) } else { writer.real(value) }
        case .string(let text): writer.string(text)
        case .array(let elements): writer.array(elements) { $0.write(&$1) }
        case .object(let members): writer.object(members.map { ($0.key, $0.value) }) { $0.write(&$1) }
        }
    }
}

extension ChromiumValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral text: String) { self = .string(text) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(integerLiteral number: Int) { self = .number(Double(number)) }
    init(arrayLiteral elements: ChromiumValue...) { self = .array(elements) }
    init(dictionaryLiteral members: (String, ChromiumValue)...) {
        self = .object(Dictionary(members) { _, last in last })
    }
}

/// The reader of one value. The browser shows pages of strangers, so depth has a limit.
private struct ChromiumValueReader {
    private static let deepest = 200

    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool {
        mutating get {
            skipBlanks()
            return place == bytes.count
        }
    }

    mutating func value(depth: Int) -> ChromiumValue? {
        skipBlanks()
        guard place < bytes.count, depth < Self.deepest else { return nil }
        switch bytes[place] {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return word("true", .boolean(true))
        case UInt8(ascii: "f"): return word("false", .boolean(false))
        case UInt8(ascii: "n"): return word("null", .null)
        default: return number()
        }
    }

    private mutating func skipBlanks() {
        while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func word(_ word: StaticString, _ value: ChromiumValue) -> ChromiumValue? {
        let end = place + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ $0.elementsEqual(bytes[place..<end]) }) else { return nil }
        place = end
        return value
    }

    private mutating func number() -> ChromiumValue? {
        let start = place
        while place < bytes.count, "+-.0123456789eE".utf8.contains(bytes[place]) { place += 1 }
        return Double(String(decoding: bytes[start..<place], as: UTF8.self)).map { .number($0) }
    }

    private mutating func array(depth: Int) -> ChromiumValue? {
        place += 1
        var elements: [ChromiumValue] = []
        if take("]") { return .array(elements) }
        repeat {
            guard let element = value(depth: depth + 1) else { return nil }
            elements.append(element)
        } while take(",")
        return take("]") ? .array(elements) : nil
    }

    private mutating func object(depth: Int) -> ChromiumValue? {
        place += 1
        var members: [String: ChromiumValue] = [:]
        if take("}") { return .object(members) }
        repeat {
            skipBlanks()
            guard let name = string(), take(":"), let member = value(depth: depth + 1) else { return nil }
            members[name] = member
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func string() -> String? {
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return nil }
        place += 1
        var text: [UInt8] = []
        while true {
            let start = place
            while place < bytes.count, bytes[place] != UInt8(ascii: "\""), bytes[place] != UInt8(ascii: "\\") {
                place += 1
            }
            text += bytes[start..<place]
            guard place < bytes.count else { return nil }
            place += 1
            if bytes[place - 1] == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            guard place < bytes.count else { return nil }
            place += 1
            switch bytes[place - 1] {
            case UInt8(ascii: "n"): text.append(0x0a)
            case UInt8(ascii: "r"): text.append(0x0d)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0c)
            case UInt8(ascii: "u"):
                guard let scalar = escapedScalar() else { return nil }
                text.append(contentsOf: String(Character(scalar)).utf8)
            case let other: text.append(other)
            }
        }
    }

    private mutating func unit() -> UInt16? {
        guard place + 4 <= bytes.count else { return nil }
        defer { place += 4 }
        return UInt16(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
    }

    private mutating func escapedScalar() -> Unicode.Scalar? {
        guard let first = unit() else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) ?? "\u{fffd}" }
        let before = place
        guard place + 2 <= bytes.count, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "u") else {
            return "\u{fffd}"
        }
        place += 2
        guard let second = unit() else { return nil }
        guard UTF16.isTrailSurrogate(second) else {
            place = before
            return "\u{fffd}"
        }
        return Unicode.Scalar(0x10000 + (UInt32(first - 0xd800) << 10) + UInt32(second - 0xdc00))
    }
}
