// OldStyleReader: the reader of the text form of property lists, which Xcode uses for its projects.

import PropertyListCoding

/// The reader of "Old-Style ASCII Property Lists": `{ key = value; }`, `( value, )`, `<hex>`, words and comments.
///
/// Words are quoted or bare. Every value is a dictionary, an array, data or a string. Input is hostile until read: its
/// size, nesting and count are bounded.
struct OldStyleReader {
    /// A fault with its line, from 1.
    struct Fault: Error, Hashable {
        let line: Int
        let message: String
    }

    /// The limits of a project file: its bytes, the containers around a value, and all values.
    static let (sizeLimit, depthLimit, valuesLimit) = (64 << 20, 64, 2_000_000)

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var count = 0

    /// Returns the only value of a text.
    static func read(_ bytes: [UInt8]) throws(Fault) -> PropertyList {
        guard bytes.count <= sizeLimit else {
            throw Fault(line: 1, message: "it has \(bytes.count) bytes, and at most \(sizeLimit) are read")
        }
        var reader = OldStyleReader(bytes: bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
        let value = try reader.value(depth: 0)
        try reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.fault("there is more after the end of the value") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func fault(_ message: String) -> Fault { Fault(line: line, message: message) }

    private func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private mutating func next() -> UInt8? {
        guard let byte = peek() else { return nil }
        position += 1
        if byte == 0x0A { line += 1 }
        return byte
    }

    /// Skips blanks and comments of both kinds.
    private mutating func skipSpace() throws(Fault) {
        while let byte = peek() {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: _ = next()
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
                while let byte = peek(), byte != 0x0A { position += 1 }
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
                let start = line
                position += 2
                while !(peek() == UInt8(ascii: "*") && peek(1) == UInt8(ascii: "/")) {
                    guard next() != nil else { throw Fault(line: start, message: "a comment has no end") }
                }
                position += 2
            default: return
            }
        }
    }

    private mutating func value(depth: Int) throws(Fault) -> PropertyList {
        try skipSpace()
        count += 1
        guard count <= Self.valuesLimit else { throw fault("it has more than \(Self.valuesLimit) values") }
        guard depth < Self.depthLimit else { throw fault("values are nested more than \(Self.depthLimit) deep") }
        guard let byte = peek() else { throw fault("a value is missing at the end") }
        switch byte {
        case UInt8(ascii: "{"): return try dictionary(depth)
        case UInt8(ascii: "("): return try array(depth)
        case UInt8(ascii: "<"): return try data()
        default: return .string(try word())
        }
    }

    private mutating func dictionary(_ depth: Int) throws(Fault) -> PropertyList {
        let start = line
        _ = next()
        var result = PropertyListDictionary()
        while true {
            try skipSpace()
            guard let byte = peek() else { throw Fault(line: start, message: "a dictionary has no end") }
            if byte == UInt8(ascii: "}") {
                _ = next()
                return .dictionary(result)
            }
            let key = try word()
            try expect("=", "after the key \(key.prefix(64))")
            result[key] = try value(depth: depth + 1)
            try skipSpace()
            // The last semicolon before a closing brace is optional.
            if peek() != UInt8(ascii: "}") { try expect(";", "after the value of \(key.prefix(64))") }
        }
    }

    private mutating func array(_ depth: Int) throws(Fault) -> PropertyList {
        let start = line
        _ = next()
        var result: [PropertyList] = []
        while true {
            try skipSpace()
            guard let byte = peek() else { throw Fault(line: start, message: "an array has no end") }
            if byte == UInt8(ascii: ")") {
                _ = next()
                return .array(result)
            }
            result.append(try value(depth: depth + 1))
            try skipSpace()
            if peek() != UInt8(ascii: ")") { try expect(",", "after an array's value") }
        }
    }

    private mutating func data() throws(Fault) -> PropertyList {
        _ = next()
        var digits: [UInt8] = []
        while let byte = next(), byte != UInt8(ascii: ">") {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            default:
                guard let digit = Self.digit(byte) else {
                    throw fault("data has a character that is not a hexadecimal digit")
                }
                digits.append(digit)
            }
        }
        guard position > 0, bytes[position - 1] == UInt8(ascii: ">") else { throw fault("data has no end") }
        guard digits.count.isMultiple(of: 2) else { throw fault("data has half a byte") }
        return .data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    private mutating func expect(_ mark: Unicode.Scalar, _ place: String) throws(Fault) {
        try skipSpace()
        guard peek() == UInt8(ascii: mark) else { throw fault("there is no “\(mark)” \(place)") }
        _ = next()
    }

    private mutating func word() throws(Fault) -> String {
        guard let byte = peek() else { throw fault("a word is missing at the end") }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return try quoted(byte) }
        let start = position
        while let byte = peek(), Self.isBare(byte) { position += 1 }
        guard position > start else {
            throw fault("“\(String(decoding: bytes[start...].prefix(8), as: UTF8.self))” is not a value")
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func quoted(_ quote: UInt8) throws(Fault) -> String {
        let start = line
        _ = next()
        var result: [UInt8] = []
        while let byte = next() {
            if byte == quote { return String(decoding: result, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            guard let escaped = next() else { break }
            switch escaped {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "U"), UInt8(ascii: "u"): result += try scalar()
            case UInt8(ascii: "0")...UInt8(ascii: "7"):
                var number = Int(escaped - 0x30)
                for _ in 0..<2 {
                    guard let digit = peek(), (0x30...0x37).contains(digit) else { break }
                    number = number << 3 | Int(digit - 0x30)
                    position += 1
                }
                result += Array(String(Unicode.Scalar(UInt8(truncatingIfNeeded: number))).utf8)
            default: result.append(escaped)
            }
        }
        throw Fault(line: start, message: "a quoted word has no end")
    }

    /// Reads the four digits of a UTF-16 unit. Half a pair becomes the replacement character.
    private mutating func scalar() throws(Fault) -> [UInt8] {
        var number: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek().flatMap(Self.digit) else { throw fault("\\U has no four hexadecimal digits") }
            number = number << 4 | UInt32(digit)
            position += 1
        }
        return Array(String(Character(Unicode.Scalar(number) ?? "\u{FFFD}")).utf8)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
        case UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "."),
            UInt8(ascii: "-"),
            UInt8(ascii: "+"), UInt8(ascii: "@"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
