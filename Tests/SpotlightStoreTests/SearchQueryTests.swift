// SearchQueryTests: the language of queries, and its bounds.

import Foundation
import PropertyListCoding
import Testing

@testable import SpotlightStore

@Suite struct SearchQueryTests {
    /// An item that the queries of the table are about.
    private static let note: PropertyListDictionary = [
        "title": "Café Noir", "displayName": "myPhotoLibrary", "rating": 3, "duration": 1.5, "flag": true,
        "contentCreationDate": .date(1000), "keywords": ["Coffee", "black tea", "a*b"], "empty": "",
        "quoted": "say \"hi\" and 'ho'", "picture": .data([1, 2]),
    ]

    // spec: SI-11
    @Test(
        arguments: [
            (#"title == "Café Noir""#, true), (#"title == "café noir""#, false), (#"title == "café noir"c"#, true),
            (#"title == "Cafe Noir""#, false), (#"title == "Cafe Noir"d"#, true), (#"title == "cafe noir"cd"#, true),
            (#"title ==[cd] "cafe noir""#, true), (#"title = "cafe noir"cd"#, true),
            (#"title == "Cafe\u{301} Noir""#, true),
            (#"title == "Caf*""#, true), (#"title == "*Noir""#, true), (#"title == "*é N*""#, true),
            (#"title == "*noir""#, false), (#"title == "C*N*r""#, true), (#"title == "C*X*r""#, false),
            (#"title == "*""#, true), ("title == *", true), (#"missing == "*""#, false), (#"empty == "*""#, true),
            (#"empty == """#, true), (#"title == """#, false), (#"picture == "*""#, true), (#"picture == "a""#, false),
            (#"title != "x""#, true), (#"missing != "x""#, true), (#"title != "*é*""#, false),
            (#"displayName == "photo*"cw"#, true), (#"displayName == "Library"w"#, true),
            (#"displayName == "Lib"w"#, false), (#"displayName == "hoto*"cw"#, false),
            (#"title == "noir"cw"#, true), (#"title == "*noir"cw"#, true), (#"title == "oir"cw"#, false),
            (#"title == "noir cafe"cdt"#, true), (#"title == "noi*"ct"#, true), (#"title == "oir*"ct"#, false),
            (#"keywords == "coffee"c"#, true), (#"keywords == "tea""#, false), (#"keywords == "tea"w"#, true),
            (#"keywords == "a\*b""#, true), (#"keywords == "a\*c""#, false),
            (#"quoted == "say \"hi\"*""#, true), (#"quoted == '*\'ho\''"#, true),
            ("rating == 3", true), ("rating != 3", false), ("rating > 3", false), ("rating >= 3", true),
            ("rating < 4", true), ("rating <= 2", false), ("duration == 1.5", true), ("rating == -3", false),
            ("flag == true", true), ("flag == 0", false), ("title > 3", false), ("InRange(rating, 1, 3)", true),
            ("InRange(rating,4,9)", false), ("InRange(contentCreationDate, 999, 1000)", true),
            ("contentCreationDate == $time.iso(2001-01-01T00:16:40Z)", true),
            (#"contentCreationDate < $time.iso("2001-01-02")"#, true),
            (#"title == "x" || rating == 3"#, true), (#"title == "x" && rating == 3"#, false),
            (#"title == "x" && rating == 9 || rating == 3"#, true),
            (#"rating == 3 || title == "x" && rating == 9"#, true),
            (#"(rating == 3 || title == "x") && rating == 9"#, false), (#"!(rating == 9)"#, true),
            (#"!rating == 3"#, false), (#"**=="tea"w"#, true), (#"* == "nowhere*""#, false), ("* > 999", true),
            (#"kMDItemTitle == "café*"c"#, true), (#"kMDItemDisplayName == "my*""#, true),
        ])
    func aQueryMatchesAsItSays(_ text: String, _ isMatch: Bool) throws {
        let text = text.replacingOccurrences(of: "\\u{301}", with: "\u{301}")
        #expect(try SearchQuery(text).matches(Self.note) == isMatch, "\(text)")
    }

    // spec: SI-11
    @Test(
        arguments: [
            ("", "the name of an attribute is missing", 0), ("title", "a comparison is missing", 5),
            ("title == ", "a value is missing", 9), (#"title == "x"#, "has no end", 11),
            (#"title == "x"q"#, "there is no modifier", 12), (#"title < "x""#, "compares numbers", 6),
            ("title == word", "is no number", 9), ("rating ==[c] 3", "no modifiers", 7),
            ("(a == 1", "“)” is missing", 7),
            ("a == 1)", "is not expected", 6), ("a == 1 &&", "attribute is missing", 9),
            ("a == 1 & b == 2", "expected", 7),
            ("InRange(a, 1)", "“,” is missing", 12), (#"InRange(a, "x", 2)"#, "numbers and dates", 11),
            ("a == $time.never", "there is no $time.never", 5), ("a == $size", "only $time", 5),
            ("a == $time.now(x)", "is no distance", 5), ("a == $time.iso(2026-13-40)", "is no date", 5),
            ("a == $time.today(999999999)", "is no distance", 5), (#"a == "\"#, "missing after", 7),
            ("a == nan", "is no number", 5), ("a == 1e999", "is no number", 5),
        ])
    func aFaultHasItsPlace(_ text: String, _ message: String, _ place: Int) throws {
        let fault = #expect(throws: SearchQuery.Fault.self) { try SearchQuery(text) }
        #expect(fault?.message.contains(message) == true && fault?.place == place, "\(text): \(fault as Any)")
    }

    @Test func aQueryIsBounded() throws {
        var limits = SearchLimits()
        (limits.queryBytes, limits.queryDepth, limits.comparisons) = (4096, 8, 4)
        let nested = { (count: Int) in
            String(repeating: "(", count: count) + "a == 1" + String(repeating: ")", count: count)
        }
        #expect(throws: Never.self) { try SearchQuery(nested(7), limits: limits) }
        #expect(throws: SearchQuery.Fault.self) { try SearchQuery(nested(8), limits: limits) }
        #expect(throws: SearchQuery.Fault.self) { try SearchQuery(String(repeating: "!", count: 2000), limits: limits) }
        let long = { (count: Int) in [String](repeating: "a == 1", count: count).joined(separator: " || ") }
        #expect(throws: Never.self) { try SearchQuery(long(4), limits: limits) }
        #expect(throws: SearchQuery.Fault.self) { try SearchQuery(long(5), limits: limits) }
        #expect(throws: SearchQuery.Fault.self) {
            try SearchQuery("a == \"\(String(repeating: "x", count: 4096))\"", limits: limits)
        }
    }

    @Test func datesCountFromNow() throws {
        // Wednesday, 3 January 2001, 12:00 UTC.
        let now: Double = (2 * 24 + 12) * 3600
        func value(_ text: String) throws -> Double {
            let query = try SearchQuery("a == $time.\(text)", now: now, timeZone: "UTC")
            guard case .number(_, let range) = query.expression else { return .nan }
            return range.lowest
        }
        let day: Double = 24 * 3600
        #expect(try value("now") == now)
        #expect(try value("now(-60)") == now - 60)
        #expect(try value("today") == 2 * day)
        #expect(try value("today(-1)") == day)
        #expect(try value("yesterday") == day)
        #expect(try value("this_month") == 0)
        #expect(try value("this_month(1)") == 31 * day)
        #expect(try value("this_year(-1)") == -366 * day)
        #expect(try value("this_week") <= now && value("this_week(1)") - value("this_week") == 7 * day)
        #expect(QueryTime.iso("2001-01-01T01:00:00+01:00") == 0)
        #expect(QueryTime.iso("2001-01-01T00:00:30") == 30)
    }

    /// A matcher that tries everything, for comparison with the fast one.
    private static func matches(_ pieces: ArraySlice<String>, _ text: Substring) -> Bool {
        guard let first = pieces.first else { return text.isEmpty }
        guard text.hasPrefix(first) else { return false }
        let rest = text.dropFirst(first.count)
        guard pieces.count > 1 else { return rest.isEmpty }
        return rest.indices.contains { matches(pieces.dropFirst(), rest[$0...]) }
            || matches(pieces.dropFirst(), rest[rest.endIndex...])
    }

    // spec: SI-11
    @Test(arguments: 0..<20) func wildcardsMatchAsATrialOfAllPlaces(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed)
        for _ in 0..<500 {
            let text = String(
                (0..<Int.random(in: 0...12, using: &numbers)).map { _ in "ab".randomElement(using: &numbers)! })
            let pieces = (0...Int.random(in: 0...3, using: &numbers)).map { _ in
                String((0..<Int.random(in: 0...3, using: &numbers)).map { _ in "ab".randomElement(using: &numbers)! })
            }
            let pattern = TextPattern(pieces: pieces, modifiers: [])
            #expect(pattern.matches(text) == Self.matches(pieces[...], text[...]), "\(pieces) \(text)")
        }
    }

    @Test func aLongTextIsMatchedInOnePass() throws {
        let text = String(repeating: "ab", count: 500_000)
        let pieces = ["", String(repeating: "ab", count: 500) + "c", ""]
        for modifiers: TextPattern.Modifiers in [[], [.ignoresCase], [.words]] {
            #expect(!TextPattern(pieces: pieces, modifiers: modifiers).matches(text))
        }
    }
}

struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
