// CutTextTests: text within a bound of bytes, and names that a newer daemon may send.

import ExtensionProtocol
import PropertyListCoding
import Testing

@Suite struct CutTextTests {
    @Test(arguments: [
        ("short", 5, "short"), ("longer", 5, "longe"), ("äöü", 3, "ä"), ("äöü", 4, "äö"),
        ("e\u{301}\u{301}", 3, "e\u{301}"),
        ("x", 0, ""), ("", 0, ""), ("👩‍👩‍👧", 10, "👩\u{200D}"),
    ])
    func aTextIsCutBetweenScalars(text: String, limit: Int, cut: String) {
        #expect(text.cut(toBytes: limit).unicodeScalars.elementsEqual(cut.unicodeScalars))
    }

    @Test func aRuleOfANewerDaemonIsReadAsUnrecognized() {
        for rule in ReductionRule.allCases where rule != .unrecognized {
            #expect(ReductionRule(wire: .string(rule.rawValue)) == rule)
        }
        #expect(ReductionRule(wire: .string("ofLater")) == .unrecognized && ReductionRule(wire: .integer(1)) == nil)
        #expect(Set(ReductionRule.allCases.filter(\.isWinning)) == [.onlyCopy, .highestVersion, .lastRegistered])
    }
}
