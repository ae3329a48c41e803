// SelectorTests: which selectors are taken. All were tried with the compiler of WPE WebKit 2.38.

import ContentRules
import Testing

@Suite struct SelectorTests {
    private func isTaken(_ selector: String) throws -> Bool {
        let escaped = selector.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }.joined()
        let rules = try RuleList(json: list((filter("a"), hide(escaped)), (filter("a"), block)))
        return rules.statistics.skipped == 0
    }

    // spec: CB-10
    @Test(
        "CB-10: valid selectors",
        arguments: [
            ".a", "#a", "a > b", "a,b", "a b", "a~b", "a+b", "a:hover", "a::before", "a:before", "[x=a]",
            "[x]", "[x", "a:not(.b)", "a:not(a,b)", "a:not(a b)", "a:has(.b)", "a:has(> b)", ":nth-child(2n+1)",
            ":nth-child(2n + 1)", ":nth-child(odd of a)", "a:nth-child(-n+3)", "a:nth-child(n)", "a:nth-child(+3)",
            "a:nth-last-of-type(2)", "a[b='c' i]", "a[b=\"c\"]", "*|a", "|a", "a:is(:foo)", ":where(a)", "a\\:b", "-a",
            "--a", ":lang(en)", "::part(x)", "::slotted(a)", "[a|=b]", "[a~=b]", "[*|a]", "[|a]", "a:FIRST-CHILD",
            "::-webkit-scrollbar", "::-webkit-foo", ":-webkit-any(a)", ":root", "[href^=\"x\"]", "[href^='http://a']",
            "a:link:visited", "é", ".ü > b",
        ])
    func isValid(_ selector: String) throws { #expect(try isTaken(selector)) }

    // spec: CB-10
    @Test(
        "CB-10: invalid selectors",
        arguments: [
            "", " ", ":foo", "::foo", "[x=1]", ":nth-child(x)", "n|a", "a{}", "a}", "..a", "a..b", "##a",
            "a:-abp-has(b)", "a:contains(x)", "a >", "> a", "a:not()", "a:not(:foo)", "a::after:hover", "1a", ".1a",
            "#1a", "a/*c*/b", "a||b", "[a=b c]", "a,", "a,,b", "[href*=.x]", "@a", "a&b", "a!b", "a:before b",
            "::slotted(a) b", "a:has-text(x)", "(a)", "a)", "[]", "[=a]",
        ])
    func isInvalid(_ selector: String) throws { #expect(try !isTaken(selector)) }

    @Test func deepSelectorsAreInvalid() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: ":not(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        #expect(try isTaken(nested(30)) && !isTaken(nested(100_000)))
    }
}
