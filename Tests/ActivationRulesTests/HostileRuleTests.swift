// HostileRuleTests: texts and trees made to crash, to hang or to take the stack.

import ActivationRules
import Foundation
import PropertyListCoding
import Testing

@Suite struct HostileRuleTests {
    private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private func nested(_ open: String, _ close: String, _ levels: Int) -> String {
        repeated(open, levels) + "1 == 1" + repeated(close, levels)
    }

    // spec: P-335
    @Test func twoHundredLevelsWorkAndOneMoreIsAnErrorThatNamesTheBound() throws {
        let (open, close) = ("SUBQUERY({1}, $x, ", ").@count == 1")
        #expect(try holds(nested(open, close, 200)))
        #expect(fault(nested(open, close, 201))?.message.contains("200 levels") == true)
        let list = repeated("{", 200) + repeated("}", 200)
        #expect(try holds("\(list) == \(list)"))
        #expect(fault("{\(list)} == 1")?.message.contains("200 levels") == true)
        let printed = try #require(ActivationRule(predicate: nested("NOT (1 == 2 OR ", ")", 100)).predicateText)
        #expect(try holds(printed))
    }

    // spec: P-335
    @Test func parenthesesAndNegationsAreBoundedByTheTextAlone() throws {
        // None of them is work, nor makes the tree deeper.
        for (open, close, count) in [
            ("(", ")", 32_000), ("!(", ")", 21_000), ("NOT (", ")", 10_000), ("NOT ", "", 16_000), ("!", "", 65_000),
            ("! NOT ", "", 10_000),
        ] {
            #expect(try holds(nested(open, close, count)), "\(open)")
        }
        #expect(try !holds(nested("NOT (", ")", 10_001)))
    }

    /// On whatever thread they are asked about.
    // spec: P-335
    @Test func conditionsWithinEachOtherFitOnTheSmallestStack() async throws {
        // Each level is a NOT, an OR and an AND.
        let levels = (PredicateBounds.conditions - 1) / 3
        let open = "NOT (1 == 2 OR 1 == 1 AND "
        let (most, tooMany) = (nested(open, ")", levels), nested(open, ")", levels + 1))
        #expect(fault(tooMany)?.message.contains("\(PredicateBounds.conditions) nested conditions") == true)
        let subject = try RuleSubject(PropertyList.dictionary([:]))
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            let thread = Thread {
                done.resume(
                    with: Result {
                        let rule = try ActivationRule(predicate: most)
                        _ = rule.warnings()
                        let printed = try #require(rule.predicateText)
                        let again = try ActivationRule(predicate: printed)
                        #expect(try rule.matches(subject) == again.matches(subject))
                        _ = try rule.explain(subject)
                    })
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    // spec: P-335
    @Test func sixtyFourKibibytesWorkAndOneByteMoreIsAnError() throws {
        let text = "1 == 1" + repeated(" AND 1 == 1", 5957)
        let full = text + repeated(" ", 65_536 - text.utf8.count)
        #expect(full.utf8.count == 65_536)
        #expect(try holds(full))
        #expect(fault(full + " ")?.message.contains("the limit is 65536") == true)
        #expect(try holds("'" + repeated("a", 32_000) + "' == '" + repeated("a", 32_000) + "'"))
    }

    @Test func longRunsOfAnythingAreRefusedAtOnce() {
        for text in [
            repeated("(", 65_000), repeated("NOT ", 16_000), repeated("!", 65_000), repeated("{", 65_000),
            repeated("[", 65_000),
            repeated("SUBQUERY(", 7000), repeated("a.", 32_000), repeated("$a", 32_000), repeated("=", 65_000),
            repeated("'", 65_001), repeated("\\", 65_000), repeated("a ", 32_000), repeated("1 == 1 ", 9000),
            repeated(",", 65_000),
            repeated("ANY ", 16_000), repeated("\u{0}", 65_000), repeated("🏳️‍🌈", 4000), repeated("-", 65_000),
            repeated("SUBQUERY({1}, $x, ", 3000), repeated("@count", 10_000), repeated("(", 100_000),
        ] { #expect(fault(text) != nil, "\(text.prefix(20))…") }
    }

    @Test func aHugeListIsSearchedAndAHugeTreeCompared() throws {
        let list = "{" + (0..<9000).map(String.init).joined(separator: ", ") + "}"
        #expect(try holds("8999 IN \(list)"))
        #expect(try !holds("9000 IN \(list)"))
        let values = PropertyList.array((0..<9000).map { .integer(Int64($0)) })
        #expect(try holds("v == v AND v CONTAINS 8999 AND v.@count == 9000", ["v": values]))
    }

    // spec: P-335
    @Test func aPredicateThatWouldRunForAgesIsStoppedByItsWork() throws {
        let twice =
            "SUBQUERY(v, $a, SUBQUERY(v, $b, SUBQUERY(v, $c, SUBQUERY(v, $d, $a == $b).@count == 1).@count == 1).@count == 1)"
        let value: PropertyList = ["v": .array(Array(repeating: "a", count: 500))]
        for text in [
            "\(twice).@count == 1", "NOT \(twice).@count == 1", "ALL v == nil OR \(twice) == v",
            "SUBQUERY(v, $a, SUBQUERY(v, $b, v == v).@count == 500).@count == 1",
            "SUBQUERY(v, $a, SUBQUERY(v, $b, SUBQUERY(v, $c, $c ==[cd] 'ö').@count > 0).@count > 0).@count > 0",
            "SUBQUERY(v, $a, ANY v MATCHES $a).@count == 1",
        ] {
            let rule = try ActivationRule(predicate: text)
            let subject = try RuleSubject(value)
            do {
                _ = try rule.matches(subject, work: 50_000)
                Issue.record("\(text) came to an end")
            } catch {
                #expect(error.message.contains("more than 50000 steps"))
            }
            #expect(throws: RuleError.self) { try rule.explain(subject, work: 50_000) }
            #expect(throws: RuleError.self) { try rule.matches(subject, work: 0) }
        }
    }

    @Test func whatARuleIsAskedAboutIsBoundedByName() throws {
        var deep: PropertyList = 1
        for _ in 0..<65 { deep = [deep] }
        #expect(throws: RuleError.self) { try RuleSubject(deep) }
        #expect(throws: RuleError.self) { try RuleSubject(.array(Array(repeating: 1, count: 65_536))) }
        #expect(throws: RuleError.self) { try RuleSubject(["a": .string(repeated("x", 1 << 20))]) }
        #expect(throws: RuleError.self) { try RuleSubject(["a": .data(Array(repeating: 0, count: 1 << 20))]) }
        #expect(throws: RuleError.self) { try RuleSubject(["a": 1], limits: .init(values: 1, depth: 9, bytes: 9)) }
        #expect(throws: RuleError.self) { try RuleSubject(["abc": 1], limits: .init(values: 9, depth: 9, bytes: 2)) }
        let odd = try RuleSubject([
            "extensionItems": ["x", ["attachments": [1, ["registeredTypeIdentifiers": "public.png"]]]]
        ])
        #expect(odd.attachments == [[], [[], []]])
        let rule = try ActivationRule(predicate: "SUBQUERY(extensionItems, $i, $i.attachments.@count == 2).@count == 1")
        #expect(try rule.matches(odd))
        #expect(try RuleSubject(1).attachments.isEmpty)
        #expect(try ActivationRule(["NSExtensionActivationSupportsText": true] as PropertyList).matches(odd) == false)
    }

    @Test func aRuleFileIsReadInEveryForm() throws {
        let subject = try item(["public.url"])
        func xml(_ inner: String) -> [UInt8] {
            Array("<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\(inner)</plist>".utf8)
        }
        let counts = "<dict><key>NSExtensionActivationSupportsWebURLWithMaxCount</key><integer>1</integer></dict>"
        let held = "<dict><key>NSExtensionActivationRule</key>\(counts)</dict>"
        for bytes in [
            Array("1 == 1".utf8), [0xEF, 0xBB, 0xBF] + Array(" 1 == 1\n".utf8), xml(counts), xml(held),
            xml("<string>1 &lt; 2 &amp;&amp; 'a' == \"a\"</string>"),
            xml("<dict><key>NSExtensionAttributes</key>\(held)</dict>"),
            xml("<dict><key>NSExtension</key><dict><key>NSExtensionAttributes</key>\(held)</dict></dict>"),
            try PropertyList.string("1 == 1").encodeBinary(),
        ] { #expect(try ActivationRule(file: bytes).matches(subject)) }
        for bytes in [
            [], [0xFF, 0xFE, 0x31], xml("<dict>"), xml("<true/>"), Array("bplist00".utf8),
            Array(repeating: 0x20, count: 70_000),
            xml("<string>a ==</string>"),
        ] { #expect(throws: RuleError.self) { try ActivationRule(file: bytes) } }
        do {
            _ = try ActivationRule(file: xml("\n<dict>\n<oops/></dict>"))
            Issue.record("that was accepted")
        } catch {
            #expect(error.line == 4)
        }
    }
}
