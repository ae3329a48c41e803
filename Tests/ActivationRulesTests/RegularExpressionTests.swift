// RegularExpressionTests: the patterns of MATCHES.

import Testing

@testable import ActivationRules

@Suite struct RegularExpressionTests {
    private func matches(_ pattern: String, _ text: String, _ options: FoldingOptions = []) throws -> Bool {
        var work = 1_000_000
        let answer = try RegularExpression(pattern, options: options).matches(folded(text, options), work: &work)
        #expect(work >= 0)
        return answer
    }

    // spec: P-364
    @Test(
        arguments: [
            ("", "", true), ("", "a", false), ("a", "a", true), ("ab|cd", "cd", true), ("ab|cd|", "", true),
            ("a|b|c", "d", false),
            ("a*", "", true), ("a*", "aaaa", true), ("a+", "", false), ("a?b", "b", true), ("a{2}", "aa", true),
            ("a{2}", "aaa", false),
            ("a{2,}", "aaaaa", true), ("a{2,3}", "a", false), ("a{0}", "", true), ("(ab)+", "abab", true),
            ("(?:ab)+?c", "abc", true),
            ("a.c", "abc", true), ("a.c", "a\nc", false), ("[a-c]+", "abc", true), ("[^a-c]+", "xyz", true),
            ("[^a-c]", "b", false),
            ("[]a]+", "]a", true), ("[a-]+", "-a", true), ("[\\]x]", "]", true), ("[\\d_]+", "12_", true),
            ("[^\\s]+", "a b", false),
            ("\\d{3}-\\d{4}", "555-1234", true), ("\\w+\\s\\W", "ab !", true), ("\\D\\S", "ab", true),
            ("\\.\\*\\\\", ".*\\", true),
            ("\\n\\r\\t\\f", "\n\r\t\u{c}", true), ("^ab$", "ab", true), ("a^b", "ab", false), ("a$b", "ab", false),
            ("(a|^)b", "b", true),
            ("(a*)*", "aaaa", true), ("(a*)*b", "aaaac", false), ("((a|b)*c|d)+", "abcdbc", true),
            ("(|a){3}", "aa", true),
            ("é+", "éé", true), ("[α-ω]+", "λ", true), ("(a?){20}a{20}", "aaaaaaaaaaaaaaaaaaaa", true),
            (".*.*.*x", "aaaaaaaaaa", false),
        ] as [(String, String, Bool)])
    func aPatternMatchesTheWholeText(_ pattern: String, _ text: String, _ expected: Bool) throws {
        #expect(try matches(pattern, text) == expected)
    }

    @Test func caseAndDiacriticsAreFoldedInPatternAndText() throws {
        #expect(try matches("größe|x", "GRÖSSE", .caseInsensitive))
        #expect(try matches("[A-F]+", "aBf", .caseInsensitive))
        #expect(try matches("[Α-Ω]+", "λόγος", [.caseInsensitive, .diacriticInsensitive]))
        #expect(try matches("cafe", "café", .diacriticInsensitive))
        #expect(try matches("É", "e", [.caseInsensitive, .diacriticInsensitive]))
    }

    @Test(arguments: [
        "(", ")", "a)", "[", "[a", "[b-a]", "[a-\\d]", "*", "+a", "?", "{2}", "a{", "a{x}", "a{2", "a{3,2}", "a{1001}",
        "a**",
        "a+*",
        "a++", "a*{2}", "\\", "\\1", "\\b", "\\p{L}", "\\Q", "(?=a)", "(?i)a", "(?", "(?<n>a)", "[[:alpha:]]", "[a&&b]",
        "}",
        "[a-",
        "[\\",
    ])
    func whatIsNotSupportedIsNamed(_ pattern: String) {
        #expect(throws: RuleError.self) { try RegularExpression(pattern, options: []) }
    }

    @Test func sizesAreBounded() {
        for pattern in [
            "((a{100}){100}){100}", "(((){1000}){1000}){1000}", String(repeating: "a", count: 5000),
            String(repeating: "(", count: 101) + String(repeating: ")", count: 101),
        ] {
            #expect(throws: RuleError.self) { try RegularExpression(pattern, options: []) }
        }
    }

    @Test func patternsThatTakeOthersExponentialTimeAreQuick() throws {
        var work = 1_000_000
        let text = folded(String(repeating: "a", count: 5000), [])
        #expect(try RegularExpression("(a+)+b", options: []).matches(text, work: &work) == false)
        #expect(work > 900_000)
        work = 100
        _ = try RegularExpression("(a+)+b", options: []).matches(text, work: &work)
        #expect(work < 0)
        work = 1000
        _ = fitsWildcards(text, folded("*a*a*a*b", []), work: &work)
        #expect(work < 0)
    }
}
