// URLFilterTests: the dialect of patterns, and what they find.

import ContentRules
import Testing

@Suite struct URLFilterTests {
    // spec: CB-11
    @Test(
        "CB-11: patterns that WebKit takes",
        arguments: [
            "a", ".", #"\."#, #"\/"#, "[a-z]", "[^/]", "[a-]", "[-a]", "[]a", "[^]", #"[\]]"#, #"[\b]"#, "(a)", "(?:a)",
            "(?<n>a)", "()", "(a)?", "(a)*", "(a)+", "((a)b)+c", "a?", "a*", "a+", "a*?", "a+?", "a??", "a{0,1}",
            "a{0,}", "a{1,}b", "^a", "a$", "^", "$", "^a*$", "^^a", "a]", "{", "{0", "{0,", "{0,1", "a{0,1", "a{a,b}",
            "a}", #"\x41"#, #"\u0041"#, #"\x"#, #"\u"#, #"\cA"#, #"\c"#, #"\p"#, #"\k"#, #"\-"#, #"\1"#, #"(a)\1"#,
            #"\8"#, #"\n\r\t\f\v"#, ".*", "a.*", #"^https?:/+([^/:]+\.)?example\.com[:/]"#,
        ])
    func isTaken(_ pattern: String) throws { _ = try compiled(filter(pattern)) }

    // spec: CB-11
    @Test(
        "CB-11: patterns that WebKit refuses",
        arguments: [
            "a|b", "(a|b)", "|", "a{2}", "a{1,2}", "a{0,2}", "a{1}", "a{2,}", #"\d"#, #"\D"#, #"\w"#, #"\s"#, #"[\d]"#,
            #"[a-\d]"#, #"\b"#, #"\B"#, "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?i)", "(?", "(a", "a)", "((a)", "[a",
            "[", "[z-a]", "*", "+", "?", "a**", "a++", "a+*", "[a]++", "^*", "(*)", "a^", "(^a)", "$a", "$$", "(a$)",
            "a$b", "$?", "é", #"\xff"#, #"\u00e9"#, #"\"#, #"(?<n>a)\k<n>"#, "{1}", "(?<n", "(?:a",
        ])
    func isRefused(_ pattern: String) throws {
        let found = try fault(list((filter(pattern), block)))
        #expect(found.kind == .invalidRegularExpression && found.key == "trigger.url-filter")
    }

    // spec: CB-11
    @Test(
        "CB-11: what a pattern finds",
        arguments: [
            ("ads", "http://a.com/ads.js", true), ("ads", "http://a.com/adz.js", false),
            ("^http:", "http://a.com/", true), ("^a", "http://a.com/", false), ("com/$", "http://a.com/", true),
            ("com/$", "http://a.com/b", false), ("^http://a.com/$", "http://a.com", true),
            (#"a\.com"#, "http://a.com/", true), (#"a\.com"#, "http://axcom/", false), ("a.com", "http://axcom/", true),
            ("[?&]ad=", "http://a/?x=1&ad=2", true), ("[^a]b", "http://ab/cab", false), ("[^a]b", "http://cb/", true),
            ("xa?y", "http://a/xy", true), ("xa?y", "http://a/xay", true), ("xa?y", "http://a/xaay", false),
            ("xa*y", "http://a/xaaay", true), ("xa+y", "http://a/xy", false), ("xa+y", "http://a/xaay", true),
            ("x(ab)+y", "http://a/xababy", true), ("x(ab)+y", "http://a/xaby", true),
            ("x(ab)+y", "http://a/xay", false),
            ("x(ab)?y", "http://a/xy", true), ("x(a(b)?)*y", "http://a/xaabay", true), ("x(a*)*y", "http://a/xy", true),
            ("x()y", "http://a/xy", true), ("x[]y", "http://a/xy", false), ("x[^]y", "http://a/x-y", true),
            ("a{0,1}b", "http://x/b", true), (#"\x62"#, "http://a/b", true), (#"\u0062"#, "http://a/b", true),
            (".*", "http://a/", true), ("^$", "http://a/", true), ("a?$", "http://b/", true), ("a*", "http://b/", true),
            ("{", "http://a/{", true), ("a]", "http://a/a]", true), (#"(a)\1"#, "http://a/aa", false),
            (#"^https?:/+([^/:]+\.)?taboola(syndication)?\.com[:/]"#, "https://cdn.taboolasyndication.com/x", true),
            (#"^https?:/+([^/:]+\.)?taboola(syndication)?\.com[:/]"#, "https://cdn.nottaboola.com/x", false),
        ])
    func finds(_ pattern: String, _ url: String, _ isFound: Bool) throws {
        #expect(try matches(pattern, url) == isFound)
    }

    // spec: CB-12
    @Test("CB-12: the whole URL is searched, without its fragment, in any case unless the rule says otherwise")
    func theWholeURLIsSearched() throws {
        #expect(try matches("part", "http://a.com/b?c=1#part") == false)
        #expect(try matches("c=1$", "http://a.com/b?c=1#part"))
        #expect(try matches("user@A", "http://user@a.com:80/"))
        #expect(try matches("ADS/[A-C]", "http://a.com/ads/b") && matches("ads", "http://a.com/ADS"))
        #expect(try matches("Ads", "http://a.com/Ads", isCaseSensitive: true))
        #expect(try !matches("Ads", "http://a.com/ads", isCaseSensitive: true))
        #expect(try !matches("[A-C]ds", "http://a.com/ads", isCaseSensitive: true))
        // Scheme and host are in lower case, and there is a path, as in a browser.
        #expect(try matches("^http://a.com/$", "HTTP://A.COM", isCaseSensitive: true))
    }

    @Test(
        "A URL that no browser would load is refused",
        arguments: [
            "", "a.com", "://a", "http://", "http://a b", "http://é.com", "http://a:99999/", "http://a:x/", "1a://b",
            "http://" + String(repeating: "a", count: 300), "http://a/" + String(repeating: "a", count: 1 << 16),
        ])
    func isNoURL(_ text: String) { #expect(throws: LoadURL.Fault.self) { try LoadURL(text) } }

    @Test func partsOfURLs() throws {
        let url = try LoadURL("HTTPS://User@[::1]:8080/Path?q#f")
        #expect(url.scheme == "https" && url.host == "::1" && url.port == 8080)
        #expect(url.description == "https://User@[::1]:8080/Path?q")
        #expect(try LoadURL("data:text/html,x").host == "" && LoadURL("http://a?b").description == "http://a/?b")
    }
}
