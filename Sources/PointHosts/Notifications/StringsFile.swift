// StringsFile: a reader of .strings files, for the localized alerts of an app.

import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding

/// The strings of one table, by their keys.
///
/// An app's file is anybody's: the reader refuses what is larger than 1 MiB, and uses memory in proportion to its
/// size. It reads the text form, in UTF-8 or UTF-16, and property lists.
struct StringsFile: Equatable {
    /// The largest file, in bytes.
    static let largest = 1 << 20

    let strings: [String: String]

    /// The reason why a file cannot be read.
    struct Fault: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// Reads a file of an app; nil if there is none. Links are not followed, because they could lead to any file.
    init?(of app: String, _ name: String) throws(Fault) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try readFile(try ViewFile(app).file(name).read(), maximumSize: Self.largest)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return nil }
            throw Fault(description: "\(error)")
        }
        try self.init(bytes)
    }

    init(_ bytes: [UInt8]) throws(Fault) {
        let first = bytes.first { !" \t\r\n".utf8.contains($0) }
        if bytes.starts(with: "bplist".utf8) || first == UInt8(ascii: "<") {
            guard let plist = try? PropertyList(file: bytes, limits: .file, form: .authored),
                case .dictionary(let members) = plist
            else {
                throw Fault(description: "it is no property list of strings")
            }
            strings = Dictionary(
                members.compactMap { key, value in value.string.map { (key, $0) } }, uniquingKeysWith: { $1 })
            return
        }
        var reader = Reader(Self.text(bytes))
        strings = try reader.read()
    }

    /// Decodes UTF-16 with a byte-order mark, or UTF-8.
    private static func text(_ bytes: [UInt8]) -> String {
        guard bytes.count >= 2, [[0xff, 0xfe], [0xfe, 0xff]].contains(Array(bytes[..<2])) else {
            return String(
                decoding: bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...], as: UTF8.self)
        }
        let isLittle = bytes[0] == 0xff
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { place in
            isLittle
                ? UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
                : UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// Inserts arguments into a format: `%@` takes the next one, `%2$@` the second, and `%%` is a percent sign.
    ///
    /// Anything else stays as it is, since all arguments of a payload are texts. A missing argument is an empty text.
    static func filled(_ format: String, _ arguments: [String]) -> String {
        var text = ""
        var next = 0
        var rest = format[...]
        // The app and the payload are strangers', and together could fill the memory.
        while let sign = rest.firstIndex(of: "%"), text.utf8.count < Self.largestText {
            text += rest[..<sign]
            rest = rest[rest.index(after: sign)...]
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let behind = rest[digits.endIndex...]
            if rest.first == "%" {
                text += "%"
                rest = rest.dropFirst()
            } else if rest.first == "@" {
                text += next < arguments.count ? arguments[next] : ""
                next += 1
                rest = rest.dropFirst()
            } else if behind.hasPrefix("$@"), let number = Int(digits), number > 0 {
                text += number <= arguments.count ? arguments[number - 1] : ""
                rest = behind.dropFirst(2)
            } else {
                text += "%"
            }
        }
        return (text + rest).cut(toBytes: Self.largestText)
    }

    /// The maximum size of a filled text in bytes.
    private static let largestText = 64 * 1024
}

/// A reader of `"key" = "value";` with comments.
private struct Reader {
    private let characters: [UInt8]
    private var place = 0

    init(_ text: String) { characters = Array(text.utf8) }

    mutating func read() throws(StringsFile.Fault) -> [String: String] {
        var strings: [String: String] = [:]
        try skipSpace()
        while place < characters.count {
            let key = try word()
            try skipSpace()
            var value = key
            if take("=") {
                try skipSpace()
                value = try word()
                try skipSpace()
            }
            guard take(";") else { throw fault("a semicolon is missing") }
            strings[key] = value
            try skipSpace()
        }
        return strings
    }

    private func fault(_ what: String) -> StringsFile.Fault {
        let line = 1 + characters[..<min(place, characters.count)].count { $0 == UInt8(ascii: "\n") }
        return StringsFile.Fault(description: "line \(line): \(what)")
    }

    private func starts(_ text: String) -> Bool { characters[place...].starts(with: text.utf8) }

    private mutating func take(_ text: String) -> Bool {
        guard starts(text) else { return false }
        place += text.utf8.count
        return true
    }

    private mutating func skipSpace() throws(StringsFile.Fault) {
        while place < characters.count {
            if " \t\r\n".utf8.contains(characters[place]) {
                place += 1
            } else if starts("//") {
                while place < characters.count, characters[place] != UInt8(ascii: "\n") { place += 1 }
            } else if take("/*") {
                while !starts("*/") {
                    guard place < characters.count else { throw fault("a comment is not closed") }
                    place += 1
                }
                place += 2
            } else {
                return
            }
        }
    }

    private mutating func word() throws(StringsFile.Fault) -> String {
        guard place < characters.count else { throw fault("a text is missing") }
        guard take("\"") else {
            let start = place
            while place < characters.count, Self.isBare(characters[place]) { place += 1 }
            guard place > start else { throw fault("a text in quotes is missing") }
            return String(decoding: characters[start..<place], as: UTF8.self)
        }
        var bytes: [UInt8] = []
        while place < characters.count {
            let byte = characters[place]
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"): try bytes += escape()
            default: bytes.append(byte)
            }
        }
        throw fault("a quote is not closed")
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || (48...57).contains(byte)
            || "_.$-/:".utf8.contains(byte)
    }

    /// Reads what follows a backslash.
    private mutating func escape() throws(StringsFile.Fault) -> [UInt8] {
        guard place < characters.count else { throw fault("a quote is not closed") }
        let byte = characters[place]
        place += 1
        switch byte {
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "U"), UInt8(ascii: "u"):
            var units: [UInt16] = []
            // A character beyond the first 65,536 has two of them.
            repeat {
                let digits = characters[place...].prefix(4)
                guard digits.count == 4, let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16) else {
                    throw fault("\\U needs four hexadecimal digits")
                }
                place += 4
                units.append(unit)
            } while units.count == 1 && UTF16.isLeadSurrogate(units[0]) && take("\\U")
            return Array(String(decoding: units, as: UTF16.self).utf8)
        default: return [byte]
        }
    }
}
