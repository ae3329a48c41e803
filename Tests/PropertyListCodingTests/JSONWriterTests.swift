// JSONWriterTests: what the writer writes is JSON, and means what it was given.

import Foundation
import PropertyListCoding
import Testing

@Suite struct JSONWriterTests {
    @Test func `a value has this text in one line and these lines indented`() {
        let value = Value.object([
            ("a", .array([.integer(1), .real(2), .array([]), .object([])])), ("b", .object([("c", .null)])),
            ("d", .boolean(true)),
        ])
        #expect(text(value) == #"{"a": [1, 2.0, [], {}], "b": {"c": null}, "d": true}"#)
        #expect(
            text(value, isIndented: true) == """
                {
                  "a": [
                    1,
                    2.0,
                    [],
                    {}
                  ],
                  "b": {
                    "c": null
                  },
                  "d": true
                }
                """)
    }

    @Test(arguments: [
        ("", #""""#), ("\"\\/", #""\"\\/""#), ("\n\r\t", #""\n\r\t""#),
        ("\0\u{8}\u{c}\u{f}\u{10}\u{1f}\u{7f}", #""\u0000\u0008\u000c\u000f\u0010\u001f\u007f""#),
        ("\u{80}\u{2028}\u{2029}\u{feff}😀", "\"\u{80}\u{2028}\u{2029}\u{feff}😀\""), ("\r\n", #""\r\n""#),
        ("e\u{301}", "\"e\u{301}\""),
    ]) func `a string has these escapes`(string: String, escaped: String) {
        #expect(Array(text(.string(string)).utf8) == Array(escaped.utf8))
    }

    @Test(arguments: [
        (0.0, "0.0"), (-0.0, "-0.0"), (5, "5.0"), (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"),
        (.infinity, "null"),
        (.nan, "null"),
    ]) func `a real has this text`(value: Double, expected: String) {
        #expect(text(.real(value)) == expected)
    }

    @Test func `integers of any width are exact`() {
        var writer = JSONWriter()
        writer.array([Int64.min, 0, Int64.max]) { $1.integer($0) }
        #expect(writer.text == "[-9223372036854775808, 0, 9223372036854775807]")
    }

    /// Foundation's parser is the judge: it was written by others.
    @Test(arguments: 0..<200) func `any value comes back from both forms`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let value = Value.any(depth: 4, &numbers)
        for isIndented in [false, true] {
            let bytes = text(value, isIndented: isIndented).utf8
            #expect(bytes.allSatisfy { ($0 >= 0x20 || isIndented && $0 == 0x0a) && $0 != 0x7f })
            let read = try JSONDecoder().decode(Value.self, from: Data(bytes))
            #expect(value.isSame(as: read), "\(text(value))")
        }
    }

    private func text(_ value: Value, isIndented: Bool = false) -> String {
        var writer = JSONWriter(isIndented: isIndented)
        value.write(to: &writer)
        return writer.text
    }
}

private enum Value: Sendable {
    case null, boolean(Bool), integer(Int), real(Double), string(String), array([Value]), object([(String, Value)])

    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .integer(let value): writer.integer(value)
        case .real(let value): writer.real(value)
        case .string(let value): writer.string(value)
        case .array(let values): writer.array(values) { $0.write(to: &$1) }
        case .object(let members): writer.object(members) { $0.write(to: &$1) }
        }
    }

    static func any(depth: Int, _ numbers: inout SeededGenerator) -> Value {
        switch below(depth == 0 ? 5 : 8, &numbers) {
        case 0: return .null
        case 1: return .boolean(below(2, &numbers) == 0)
        case 2: return .integer(Int(truncatingIfNeeded: numbers.next()))
        case 3: return .real(Double(Int64(bitPattern: numbers.next())) / 1024)
        case 4: return .string(anyString(&numbers))
        case 5, 6: return .array((0..<below(5, &numbers)).map { _ in any(depth: depth - 1, &numbers) })
        default:
            return .object(
                (0..<below(5, &numbers)).map { ("\($0)" + anyString(&numbers), any(depth: depth - 1, &numbers)) })
        }
    }

    /// Half of the characters are of those that could need an escape.
    private static func anyString(_ numbers: inout SeededGenerator) -> String {
        let special = Array(
            "\"\\/\n\r\t\0\u{1}\u{8}\u{c}\u{1f}\u{7f}\u{85}\u{2028}\u{2029}\u{feff}\u{ffff}\u{10ffff}".unicodeScalars)
        var string = String.UnicodeScalarView()
        for _ in 0..<below(12, &numbers) {
            let scalar =
                below(2, &numbers) == 0
                ? special[below(special.count, &numbers)] : Unicode.Scalar(UInt32(below(0x11_0000, &numbers)))
            if let scalar { string.append(scalar) }
        }
        return String(string)
    }

    private static func below(_ limit: Int, _ numbers: inout SeededGenerator) -> Int {
        Int.random(in: 0..<limit, using: &numbers)
    }

    /// Strings are compared by their bytes, because equal ones may have others. A real without a fraction is read as an
    /// integer.
    func isSame(as read: Value) -> Bool {
        switch (self, read) {
        case (.null, .null): true
        case (.boolean(let value), .boolean(let read)): value == read
        case (.integer(let value), .integer(let read)): value == read
        case (.real(let value), .real(let read)): value == read
        case (.real(let value), .integer(let read)): value == Double(read)
        case (.string(let value), .string(let read)): Array(value.utf8) == Array(read.utf8)
        case (.array(let values), .array(let read)):
            values.count == read.count && zip(values, read).allSatisfy { $0.isSame(as: $1) }
        case (.object(let members), .object(let read)):
            members.count == read.count
                && members.allSatisfy { name, value in
                    read.contains { Array($0.0.utf8) == Array(name.utf8) && value.isSame(as: $0.1) }
                }
        default: false
        }
    }
}

extension Value: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let values = try? container.decode([Value].self) {
            self = .array(values)
        } else {
            self = .object(try container.decode([String: Value].self).map { ($0, $1) })
        }
    }
}
