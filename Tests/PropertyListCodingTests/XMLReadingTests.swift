// XMLReadingTests: what XML may contain, and where errors say they are.

import PropertyListCoding
import Testing

@Suite struct XMLReadingTests {
    private func read(_ body: String, _ form: XMLForm = .strict) throws -> PropertyList {
        try PropertyList(xml: Array("<plist version=\"1.0\">\(body)</plist>".utf8), limits: .file, form: form)
    }

    // spec: P-366
    @Test(arguments: [
        ("<string/>", ""), ("<string></string>", ""), ("<string> a b </string>", " a b "),
        ("<string>&lt;&gt;&amp;&quot;&apos;</string>", "<>&\"'"), ("<string>&#65;&#x1F600;&#10;</string>", "A😀\n"),
        ("<string><![CDATA[<&]]]]><![CDATA[>]]></string>", "<&]]>"), ("<string>a<!-- not this -->b</string>", "ab"),
        ("<string>one\r\ntwo\rthree</string>", "one\ntwo\nthree"), ("<string>a&#13;b</string>", "a\rb"),
        ("<string>日本 é</string >", "日本 é"),
    ]) func `text is read as XML has it`(body: String, text: String) throws {
        #expect(try read(body) == .string(text))
    }

    /// Core Foundation reads them so, and editors and authors leave them behind.
    @Test(
        arguments: [
            (
                "<dict><key>a</key><true/><key>b</key><true/><key>a</key><string>x</string></dict>",
                ["a": "x", "b": true]
            ),
            ("<dict><key x='1'>a</key><string octype=\"i>18n\" b = ''>x</string></dict>", ["a": "x"]),
            ("<dict a=\"1\"><key>a</key><true b=\"/>\"/></dict>", ["a": true]),
        ] as [(String, PropertyList)]) func `attributes have no effect, and the last of equal keys counts`(
            body: String, value: PropertyList
        ) throws
    {
        #expect(try read(body, .authored) == value)
        #expect(throws: PropertyListError.self) { try read(body) }
    }

    /// The reader compares what it reads, and not how that is written.
    @Test func `the repeated keys of a file have paths and lines`() {
        let text =
            "<plist version=\"1.0\"><dict>\n<key>A</key><array><true/><dict><key>b&amp;</key><true/>\n"
            + "<key>b&#38;</key><true/></dict></array>\n<key><![CDATA[A]]></key><true/>\n"
            + "<key><![CDATA[B]]></key><true/></dict></plist>"
        let found = PropertyList.repeatedKeys(inFile: Array(text.utf8), limits: .file)
        #expect(found.map(\.path) == ["A[1].b&", "A"] && found.map(\.line) == [3, 4])
    }

    @Test func `of many keys, too, the last of equal ones counts`() throws {
        let keys = (0..<100).map { "<key>k\($0 % 40)</key><integer>\($0)</integer>" }.joined()
        let read = try #require(try read("<dict>\(keys)</dict>", .authored).dictionary)
        #expect(read.count == 40 && read["k0"] == 80 && read["k19"] == 99 && read["k20"] == 60)
    }

    /// Text is looked at eight bytes at a time: what ends it or may not stand in it is found at every place among them.
    @Test func `every character is found at every place of a text`() throws {
        for count in 0..<20 {
            for character: Unicode.Scalar in (0..<0xA0).compactMap(Unicode.Scalar.init) + ["é", "日", "😀"] {
                let (before, after) = (String(repeating: "a", count: count), String(repeating: "b", count: 19 - count))
                let body = "<string>\(before)\(character)\(after)</string>"
                switch character.value {
                case 0x26, 0x3C:
                    #expect(throws: PropertyListError.self, "\(character.value) at \(count)") { try read(body) }
                case 0x0D: #expect(try read(body) == .string(before + "\n" + after))
                case 9, 10, 0x20...: #expect(try read(body) == .string(before + String(character) + after))
                default:
                    #expect(
                        throws: PropertyListError.invalidCharacter(character.value, at: .line(1, column: 30 + count))
                    ) {
                        try read(body)
                    }
                }
            }
        }
    }

    @Test(arguments: [
        ("0", 0), (" -12 ", -12), ("+7", 7), ("0x1F", 31), ("-0XfF", -255), ("9223372036854775807", Int64.max),
        ("-9223372036854775808", .min), ("-0x8000000000000000", .min), ("007", 7),
    ]) func `integers are decimal or hexadecimal`(text: String, value: Int64) throws {
        #expect(try read("<integer>\(text)</integer>") == .integer(value))
    }

    @Test(arguments: [
        ("1", 1.0), ("-2.5e-3", -0.0025), ("+.5", 0.5), ("inf", .infinity), ("-Infinity", -.infinity),
        (" 1E400 ", .infinity),
    ]) func `reals may be infinite`(text: String, value: Double) throws {
        #expect(try read("<real>\(text)</real>") == .real(value))
    }

    @Test func `a real may be no number`() throws { #expect(try read("<real>NaN</real>").real?.isNaN == true) }

    @Test(arguments: [
        ("2001-01-01T00:00:00Z", 0.0), ("2000-12-31T23:59:59Z", -1), ("2024-02-29T12:00:00Z", 730_900_800),
        ("1970-01-01T00:00:00Z", -978_307_200), ("0001-01-01T00:00:00Z", -63_113_904_000),
        ("9999-12-31T23:59:59Z", 252_423_993_599),
    ]) func `dates count seconds from 2001`(text: String, seconds: Double) throws {
        #expect(try read("<date>\(text)</date>") == .date(seconds))
    }

    @Test(arguments: [
        ("", []), ("AQ==", [1]), ("AQI=", [1, 2]), ("AQID", [1, 2, 3]), ("\n\tAQ ID\r\n+/8=\n", [1, 2, 3, 0xFB, 0xFF]),
    ]) func `data may be broken into lines`(text: String, bytes: [UInt8]) throws {
        #expect(try read("<data>\(text)</data>") == .data(bytes))
    }

    @Test func `containers and booleans may be empty elements or not`() throws {
        #expect(
            try read("<array><true/><false></false><array/><dict/><dict></dict></array>") == [
                true, false, [], [:], [:],
            ])
        #expect(
            try read("<dict> <key/> <true/> <!-- c --> <key>k</key> <array> </array> </dict>") == ["": true, "k": []])
    }

    @Test(arguments: [
        "\u{FEFF}<plist><true/></plist>", "<?xml version='1.0'?><plist><true/></plist>\n<!-- end -->\n",
        "<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"no\"?><!-- c --><!DOCTYPE plist SYSTEM \"file://x\"><plist version='1.0'><true/></plist>",
        "\n <!DOCTYPE plist><?tool words?><plist ><true /></plist >",
        "<!DOCTYPE plist PUBLIC '-//A > B//' 'u'><plist><true/></plist>",
    ]) func `documents may have a mark, a declaration, a type and comments`(text: String) throws {
        #expect(try PropertyList(file: Array(text.utf8), limits: .file) == true)
    }

    @Test(arguments: [
        ("<plist>\n  <dict>\n    <kye>a</kye>", 3, 5), ("<plist>\r\n<string>äö\u{1}", 2, 11),
        ("<plist><array>\r<true/></dict>", 2, 8),
        ("<plist><string>😀&bad;", 1, 17), ("\u{FEFF}<plst>", 1, 2),
    ]) func `errors carry line and column`(text: String, line: Int, column: Int) throws {
        let error = try #require(throws: PropertyListError.self) {
            try PropertyList(xml: Array(text.utf8), limits: .file)
        }
        #expect(error.description.contains("(line \(line), column \(column))"), "\(error)")
    }

    @Test func `each budget holds for XML`() throws {
        let bytes = Array("<plist><dict><key>k</key><array><string>abc</string></array></dict></plist>".utf8)
        let exact = PropertyListLimits(bytes: bytes.count, objects: 4, depth: 2, expandedNodes: 4, expandedBytes: 4)
        #expect(throws: Never.self) { try PropertyList(xml: bytes, limits: exact) }
        for (field, name) in [
            (\PropertyListLimits.bytes, "tooManyBytes"), (\.objects, "tooManyObjects"), (\.depth, "tooDeep"),
            (\.expandedNodes, "tooManyExpandedNodes"), (\.expandedBytes, "tooManyExpandedBytes"),
        ] {
            var limits = exact
            limits[keyPath: field] -= 1
            #expect(HostileInput(name: name, bytes: bytes, error: name).refusal(limits) == name)
        }
    }
}
