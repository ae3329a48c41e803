// DecisionTests: which rules apply to a load, and what they do.

import ContentRules
import Testing

@Suite struct DecisionTests {
    private func decide(
        _ list: RuleList, _ url: String, page: String? = nil, frame: String? = nil, type: ResourceType = .script
    ) throws -> Decision {
        try list.decision(for: ContentLoad(url: url, page: page, frame: frame, type: type))
    }

    // spec: CB-13
    @Test("CB-13: domains are about the page's host, exactly or with * its subdomains")
    func domainsAreThePages() throws {
        let list = try compiled(
            filter("x") + #", "if-domain": ["a.com", "*b.com"]"#,
            filter("y") + #", "unless-domain": ["a.com", "*b.com"]"#,
            filter(".*") + #", "if-domain": ["*c.com"]"#)
        for (page, x, y): (String, Bool, Bool) in [
            ("http://a.com", true, false), ("http://www.a.com", false, true), ("https://b.com:8080/p", true, false),
            ("http://x.y.b.com", true, false), ("http://bb.com", false, true), ("http://com", false, true),
            ("http://A.com", true, false), ("http://d.com/?a.com/", false, true),
        ] {
            #expect(try (decide(list, "http://d.com/x", page: page).blocked == 1) == x, "\(page)")
            #expect(try (decide(list, "http://d.com/y", page: page).blocked == 2) == y, "\(page)")
        }
        #expect(try decide(list, "http://d.com/", page: "http://www.c.com").blocked == 3)
        #expect(try decide(list, "http://d.com/", page: "http://www.d.com").blocked == nil)
        // The load's own host does not count.
        #expect(try decide(list, "http://a.com/x", page: "http://d.com").blocked == nil)
    }

    // spec: CB-13
    @Test("CB-13: URLs of page and frame are patterns") func topAndFrameURLs() throws {
        let list = try compiled(
            filter("1") + #", "if-top-url": ["^https://a", "PAGE"]"#, filter("2") + #", "unless-top-url": ["page"]"#,
            filter("3") + #", "if-top-url": ["PAGE"], "top-url-filter-is-case-sensitive": true"#,
            filter("4") + #", "if-frame-url": ["^http://ads"]"#,
            filter("5") + #", "unless-frame-url": ["^http://ads"]"#,
            filter("6") + #", "if-top-url": [".*"]"#)
        func blocked(_ path: String, _ page: String, _ frame: String? = nil) throws -> Bool {
            try decide(list, "http://x/\(path)", page: page, frame: frame).blocked == Int(path)
        }
        #expect(try blocked("1", "http://b/page") && blocked("1", "https://a/") && !blocked("1", "http://b/"))
        #expect(try blocked("2", "http://b/") && !blocked("2", "http://b/page"))
        #expect(try blocked("3", "http://b/PAGE") && !blocked("3", "http://b/page"))
        #expect(try blocked("4", "http://b/", "http://ads/") && !blocked("4", "http://b/", "http://b/"))
        #expect(try blocked("4", "http://ads/") && !blocked("5", "http://ads/"))
        #expect(try blocked("5", "http://b/") && !blocked("5", "http://b/", "http://ads/"))
        #expect(try blocked("6", "http://b/"))
    }

    // spec: CB-14
    @Test("CB-14: each type, and the names that stand for several", arguments: ResourceType.allCases)
    func types(_ type: ResourceType) throws {
        let groups: [String: Set<ResourceType>] = [
            "document": [.topDocument, .childDocument], "raw": [.fetch, .webSocket, .other, .ping],
            "other": [.other, .ping, .contentSecurityPolicyReport],
        ]
        for name in ResourceType.names {
            let list = try compiled(filter("a") + #", "resource-type": ["\#(name)"]"#)
            let isOfName = groups[name]?.contains(type) ?? (name == type.rawValue)
            #expect(try (decide(list, "http://a", type: type).blocked == 1) == isOfName, "\(name)")
        }
        #expect(try decide(compiled(filter("a")), "http://a", type: type).blocked == 1)
        #expect(try decide(compiled(filter("a") + #", "resource-type": []"#), "http://a", type: type).blocked == 1)
    }

    // spec: CB-15
    @Test("CB-15: first-party is the registrable domain of the page; frames have their context")
    func partiesAndContexts() throws {
        let suffixes = PublicSuffixList("com\nco.uk\n*.ck\n!www.ck\n")
        let list = try RuleList(
            json: list(
                (filter("1") + #", "load-type": ["first-party"]"#, block),
                (filter("2") + #", "load-type": ["third-party"]"#, block),
                (filter("3") + #", "load-context": ["top-frame"]"#, block),
                (filter("4") + #", "load-context": ["child-frame"]"#, block),
                (filter("5") + #", "load-type": ["first-party", "third-party"]"#, block)), suffixes: suffixes)
        for (host, page, isFirst) in [
            ("a.com", "www.a.com", true), ("cdn.a.com", "www.a.com", true), ("b.com", "a.com", false),
            ("a.co.uk", "b.co.uk", false), ("x.a.co.uk", "a.co.uk", true), ("10.0.0.1", "10.0.1.1", false),
            ("a.b.ck", "c.b.ck", false), ("a.www.ck", "b.www.ck", true), ("localhost", "localhost", true),
        ] {
            #expect(
                try (decide(list, "http://\(host)/1", page: "https://\(page):8080").blocked == 1) == isFirst, "\(host)")
            #expect(try (decide(list, "http://\(host)/2", page: "http://\(page)").blocked == 2) == !isFirst, "\(host)")
        }
        #expect(try decide(list, "http://x/1").blocked == 1)
        #expect(try decide(list, "http://x/3", page: "http://y").blocked == 3)
        #expect(try decide(list, "http://x/3", page: "http://y", frame: "http://z").blocked == nil)
        #expect(try decide(list, "http://x/4", page: "http://y", frame: "http://z").blocked == 4)
        #expect(try decide(list, "http://x/5").blocked == 5)
    }

    @Test func registrableDomains() {
        let list = PublicSuffixList("// x\ncom\nco.uk\n*.ck\n!www.ck\ngithub.io\n公司.cn\n\nbad line here\n")
        for (host, domain) in [
            ("a.b.com", "b.com"), ("com", "com"), ("a.b.co.uk", "b.co.uk"), ("co.uk", "co.uk"), ("x.y.z.ck", "y.z.ck"),
            ("a.www.ck", "www.ck"), ("me.github.io", "me.github.io"), ("a.me.github.io", "me.github.io"),
            ("a.b.unlisted", "b.unlisted"), ("a.b.xn--55qx5d.cn", "b.xn--55qx5d.cn"), ("1.2.3.4", "1.2.3.4"),
            ("::1", "::1"), ("a.com.", "a.com"), ("", ""),
        ] {
            #expect(list.registrableDomain(of: host) == domain)
        }
        #expect(PublicSuffixList().registrableDomain(of: "a.b.co.uk") == "co.uk")
    }

    // spec: CB-16
    @Test("CB-16: block, cookies, selectors, and https for a standard port") func actions() throws {
        let list = try RuleList(
            json: list(
                (filter("1"), block), (filter("2"), #""type": "block-cookies""#), (filter("3"), hide(".ad > a")),
                (filter("4"), #""type": "make-https""#), (filter("5"), #""type": "notify", "notification": "x""#)))
        #expect(try decide(list, "http://a/1").blocked == 1 && decide(list, "http://a/").blocked == nil)
        #expect(try decide(list, "http://a/2").blockedCookies == 2)
        let hidden = try decide(list, "http://a/3").hidden
        #expect(hidden.map(\.selector) == [".ad > a"] && hidden.map(\.rule) == [3])
        for (url, secure) in [
            ("http://a/4", "https://a/4"), ("http://u@a:80/4?x", "https://u@a/4?x"), ("ws://a/4", "wss://a/4"),
            ("http://a:8080/4", nil), ("https://a/4", nil), ("ftp://a/4", nil),
        ] {
            #expect(try decide(list, url).upgraded?.url == secure, "\(url)")
        }
        let all = try decide(list, "http://a/12345")
        #expect(all.blocked == 1 && all.blockedCookies == 2 && all.hidden.count == 1 && all.upgraded?.rule == 4)
        #expect(try decide(compiled(filter(".*")), "data:text/html,x").blocked == nil)
    }

    // spec: CB-17
    @Test("CB-17: actions apply in order, the first of each counts, and ignoring cancels what came before")
    func theOrderOfActions() throws {
        let list = try RuleList(
            json: list(
                (filter("a"), hide("#a1")), (filter("a"), block), (filter("b"), ignore), (filter("a"), hide("#a2")),
                (filter("c"), block), (filter("d"), block), (filter("e") + #", "if-domain": ["x.com"]"#, ignore),
                (filter(".*"), hide("#a3"))))
        let plain = try decide(list, "http://x/a")
        #expect(plain.blocked == 2 && plain.hidden.map(\.selector) == ["#a1", "#a2", "#a3"] && plain.ignoring == nil)
        let ignored = try decide(list, "http://x/ab")
        #expect(ignored.blocked == nil && ignored.hidden.map(\.selector) == ["#a2", "#a3"] && ignored.ignoring == 3)
        #expect(try decide(list, "http://x/abc").blocked == 5 && decide(list, "http://x/abd").blocked == 6)
        #expect(try decide(list, "http://x/acd").blocked == 2 && decide(list, "http://x/cd").blocked == 5)
        let last = try decide(list, "http://y/abcde", page: "http://x.com")
        #expect(last.blocked == nil && last.ignoring == 7 && last.hidden.map(\.rule) == [8])
    }
}
