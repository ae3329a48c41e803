// JSONFormTests: every property list comes back from its line of JSON, and what is no such line is refused.

import PropertyListCoding
import Testing

@testable import Transcripts

@Suite struct JSONFormTests {
    static let values: [PropertyList] = [
        true, false, 0, -1, .integer(.max), .integer(.min), 1.5, 1e300, -0.0, .real(5), .real(.infinity),
        .real(-.infinity),
        .date(700_000_000.25),
        "", "a \"quoted\" \\ line\n\r\t\u{1}\u{7f} ü 😀", .data([]), .data([0]), .data([0, 255]), .data([1, 2, 3]),
        .data(Array(0...255)), [], [:],
        [1, [2.5, ["a": []]]], ["$data": "no base64"], ["$real": "nan"], ["$dictionary": ["$data": 1]],
        ["$dictionary": [:]],
        ["$kind": "url", "string": "x:y"], ["$data": "x", "other": 1],
        ["$dictionary": .data([1]), "other": 1], ["$dictionary": ["$dictionary": ["$data": "x"]]],
        ["a": ["$date": .date(1)]],
    ]

    @Test(arguments: values) func `a value comes back from its line`(value: PropertyList) throws {
        #expect(try JSONReader.read(line(value)[...]) == value)
        // Within others, too.
        #expect(try JSONReader.read(line(["a": [value]])[...]) == ["a": [value]])
    }

    @Test func `what is not a number stays so`() throws {
        let read = try JSONReader.read(line(.real(.nan))[...])
        #expect(read.real?.isNaN == true)
    }

    @Test(arguments: [
        "", " ", "nul", "null", "tru", "{", "[", "[1", "[1,", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
        "{\"a\":1,\"a\":2}", "\"a", "\"\\x\"",
        "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\u12\"", "1 2", "+1", "--1", "1e", "99999999999999999999", "1e999",
        "{\"$data\":\"a\"}", "{\"$data\":\"a===\"}",
        "{\"$data\":1}", "{\"$date\":\"x\"}", "{\"$real\":\"1\"}", "{\"$dictionary\":1}", "\"\u{1}\"",
    ]) func `what is no line is refused`(text: String) {
        #expect(throws: JSONError.self) { try JSONReader.read(Array(text.utf8)[...]) }
    }

    @Test func `text that is no UTF-8 is refused`() {
        #expect(throws: JSONError.self) { try JSONReader.read([0x22, 0xff, 0x22]) }
    }

    @Test(arguments: ["[", "{\"a\":", "{\"$dictionary\":"]) func `a hundred thousand brackets are refused`(
        opening: String
    ) {
        #expect(throws: JSONError.self) {
            try JSONReader.read(Array(String(repeating: opening, count: 100_000).utf8)[...])
        }
    }

    private func line(_ value: PropertyList) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(value)
        return writer.bytes
    }
}
