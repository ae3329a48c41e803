// OldStyleReaderTests: the text form of property lists, and what is none.

import PropertyListCoding
import Testing

@testable import Bundling

@Suite struct OldStyleReaderTests {
    @Test(
        arguments: [
            ("{}", PropertyList.dictionary([:])), ("()", []), ("a", "a"), ("\"a b\"", "a b"), ("'a'", "a"),
            ("// !$*UTF8*$!\n{ a = b; }", ["a": "b"]), ("{ a = b; c = (d, e, ); }", ["a": "b", "c": ["d", "e"]]),
            ("{ a = b }", ["a": "b"]), ("( a, b )", ["a", "b"]),
            ("{ /* c */ a /* d */ = /* e */ b; // f\n }", ["a": "b"]),
            ("<0A ff>", PropertyList.data([10, 255])), ("\"\\n\\t\\\"\\\\\\U00e9\\101\"", "\n\t\"\\é\u{41}"),
            ("a/b.c-d_$e:f+g@2x", "a/b.c-d_$e:f+g@2x"),
            ("\u{FEFF}{ a = \"é\"; }", ["a": "é"]), ("{ \"a[sdk=iphoneos*]\" = \"\"; }", ["a[sdk=iphoneos*]": ""]),
            ("{ a = b; a = c; }", ["a": "c"]),
        ] as [(String, PropertyList)])
    func aTextIsRead(text: String, expected: PropertyList) throws {
        #expect(try OldStyleReader.read(Array(text.utf8)) == expected)
    }

    @Test(arguments: [
        ("", 1), ("{", 1), ("{\na\n}", 3), ("{\na = ;\n}", 2), ("(\na\nb\n)", 3), ("{ a = b; } c", 1), ("\n\"a", 2),
        ("<0>", 1),
        ("<0g>", 1), ("<00", 1), ("\n/* a", 2), ("{ a = (b; }", 1), ("\"\\U12\"", 1), ("}", 1), ("=", 1),
    ])
    func aFaultHasItsLine(text: String, line: Int) throws {
        let fault = try #require(throws: OldStyleReader.Fault.self) { try OldStyleReader.read(Array(text.utf8)) }
        #expect(fault.line == line, "\(fault)")
    }

    @Test func depthAndCountAreBounded() throws {
        let deep = String(repeating: "(", count: 10_000)
        let fault = try #require(throws: OldStyleReader.Fault.self) { try OldStyleReader.read(Array(deep.utf8)) }
        #expect(fault.message.contains("nested"))
        let many = "(" + String(repeating: "a,", count: OldStyleReader.valuesLimit) + ")"
        #expect(throws: OldStyleReader.Fault.self) { try OldStyleReader.read(Array(many.utf8)) }
    }

    /// Whatever is cut off or changed is refused or read, and does not end the process.
    @Test func noInputEndsTheProcess() throws {
        let text = Array("// !$*UTF8*$!\n{ a = (\"b\\n\", <0A>, { c = 'd'; }, ); /* e */ f = g; }".utf8)
        for length in 0..<text.count { _ = try? OldStyleReader.read(Array(text.prefix(length))) }
        for index in text.indices {
            for byte in "{}()<>;=,\"'\\/*\0\u{1F}".utf8 {
                var changed = text
                changed[index] = byte
                _ = try? OldStyleReader.read(changed)
            }
        }
    }
}
