// PropertyListComparisonTests: the first difference of two property lists, by a table of paths.

import PropertyListCoding
import Testing

@testable import Transcripts

@Suite struct PropertyListComparisonTests {
    private static let one = "6BA7B810-9DAD-41D1-80B4-00C04FD430C8"
    private static let other = "00000000-0000-4000-8000-000000000001"
    private static let third = "00000000-0000-4000-8000-000000000003"

    static let same: [(PropertyList, PropertyList)] = [
        (1, 1), ([], []), (["a": 1, "b": [2]], ["b": [2], "a": 1]), (.date(1), .date(2)), (.real(.nan), .real(.nan)),
        (.string(one), .string(other)), (.string("file:///x/\(one)/y"), .string("file:///x/\(other.lowercased())/y")),
        ([.string(one), .string(one)], [.string(other), .string(other)]), (.string(one), .string(one)),
    ]

    @Test(arguments: same) func `what is the same but for dates and identifiers has no difference`(
        expected: PropertyList, found: PropertyList
    ) {
        var comparison = PropertyListComparison()
        #expect(comparison.firstDifference(expected, found) == nil)
    }

    static let different: [(PropertyList, PropertyList, path: String, expected: PropertyList?, found: PropertyList?)] =
        [
            (1, 2, "", 1, 2), (1, 1.0, "", 1, 1.0), (1, true, "", 1, true), ("a", "b", "", "a", "b"),
            (["a": 1], [1], "", ["a": 1], [1]),
            ([["userInfo": ["shared": "x"]]], [["userInfo": ["shared": "y"]]], "[0].userInfo.shared", "x", "y"),
            (["b": 1, "a": 1], ["a": 2, "b": 2], "a", 1, 2), (["a": 1], [:], "a", 1, nil), ([:], ["a": 1], "a", nil, 1),
            ([1, 2], [1], "[1]", 2, nil), ([1], [1, 2], "[1]", nil, 2), ([1, 2], [3, 2, 1], "[0]", 1, 3),
            (["a b": ["c.d": 1]], ["a b": ["c.d": 2]], "[\"a b\"][\"c.d\"]", 1, 2), (["": 1], ["": 2], "[\"\"]", 1, 2),
            (["$kind": "url"], ["$kind": "data"], "$kind", "url", "data"),
            (.data([1]), .data([2]), "", .data([1]), .data([2])),
            // One identifier stands for one other, both ways.
            ([.string(one), .string(one)], [.string(other), .string(third)], "[1]", .string(one), .string(third)),
            ([.string(one), .string(other)], [.string(third), .string(third)], "[1]", .string(other), .string(third)),
            (.string(one), .string("no identifier"), "", .string(one), .string("no identifier")),
            (.string("a \(one)"), .string("b \(other)"), "", .string("a \(one)"), .string("b \(other)")),
        ]

    @Test(arguments: different)
    func `the first difference has its path`(
        expected: PropertyList, found: PropertyList, path: String, one: PropertyList?, other: PropertyList?
    ) {
        var comparison = PropertyListComparison()
        #expect(
            comparison.firstDifference(expected, found)
                == PropertyListDifference(path: path, expected: one, found: other))
    }

    static let ignored: [(pattern: String, isSame: Bool)] = [
        ("payload[0].a", true), ("payload[0]", true), ("payload", true), ("payload[*].a", true), ("*[0].a", true),
        ("payload[1].a", false),
        ("payload[0].a.b", false), ("a", false), ("", false), ("payload[0][\"a\"]", true),
    ]

    @Test(arguments: ignored) func `what is ignored has its path or stands below it`(pattern: String, isSame: Bool) {
        var comparison = PropertyListComparison(ignoring: [pattern])
        let difference = comparison.firstDifference([["a": 1]], [["a": 2]], at: "payload")
        #expect((difference == nil) == isSame)
    }

    @Test func `a difference is told as lines of a diff`() {
        let difference = PropertyListDifference(path: "payload[0].userInfo.shared", expected: "x", found: nil)
        #expect(difference.description == "payload[0].userInfo.shared\n- \"x\"\n+ nothing")
    }
}
