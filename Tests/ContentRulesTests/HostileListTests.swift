// HostileListTests: lists and URLs made to take time or memory. The tests count steps and bytes.

import ContentRules
import Testing

@Suite struct HostileListTests {
    // spec: CB-19
    @Test("CB-19: a URL costs few steps among 8,000 rules, and the rules little memory")
    func manyRulesCostLittle() throws {
        var maker = PatternMaker(seed: 7)
        func word() -> String { String((0..<8).map { _ in Character(Unicode.Scalar(UInt8(97 + maker.number(26)))) }) }
        let count = 8000
        let json = list(
            (0..<count).map { index in
                index % 4 == 0
                    ? (filter(".*") + #", "if-domain": ["*\#(word()).com"]"#, hide(".\(word())"))
                    : (filter(#"^[^:]+:(//)?([^/]+\.)?\#(word())\.com[/:]"#), block)
            })
        let rules = try RuleList(json: json)
        let decision = try rules.decision(
            for: ContentLoad(
                url: "https://cdn.example.com/a/b/script.js?v=1", page: "https://example.com", type: .script))
        #expect(decision.blocked == nil && decision.steps < 3000, "\(decision.steps) steps")
        #expect(rules.statistics.bytes < count * 400, "\(rules.statistics.bytes) bytes")
        // All but the slowest run only where their text is.
        #expect(rules.slowestPatterns(1).first?.window == 8)
    }

    // spec: CB-19
    @Test(
        "CB-19: no pattern takes more steps than its own times the URL's characters",
        arguments: [
            "(a*)*b", "(a?)+(a?)+(a?)+x", "((a+)+)+y", ".*.*.*.*.*z", "[a-z]+[a-z]+[a-z]+[0-9]", "()*()*()*()*()*()*x",
        ])
    func noPatternIsExponential(_ pattern: String) throws {
        let rules = try compiled(filter(pattern))
        let url = "http://a/" + String(repeating: "a", count: 5000)
        let decision = try rules.decision(for: ContentLoad(url: url))
        #expect(decision.steps <= (rules.statistics.patternSteps + 3) * url.utf8.count, "\(decision.steps)")
    }

    // spec: CB-19
    @Test("CB-19: a decision that would take too many steps is an error") func aDecisionHasABound() throws {
        var rules = try compiled(filter("[a-z]+[0-9]"), filter("[a-z]+[0-9][0-9]"), filter("[a-c]x?[0-9]"))
        rules.stepLimit = 1000
        #expect(throws: Never.self) { try rules.decision(for: ContentLoad(url: "http://a/")) }
        let long = "http://a/" + String(repeating: "a", count: 2000)
        let error = #expect(throws: Decision.TooManySteps.self) { try rules.decision(for: ContentLoad(url: long)) }
        #expect(error?.limit == 1000)
        #expect(rules.slowestPatterns(3).map(\.window) == [nil, nil, nil])
        // The same text in all patterns: each is a candidate for each URL with it.
        var same = try RuleList(json: list((0..<3000).map { (filter("commontext[0-9]{0,}\($0)x"), block) }))
        same.stepLimit = 50_000
        #expect(throws: Decision.TooManySteps.self) {
            try same.decision(for: ContentLoad(url: "http://a/" + String(repeating: "commontext", count: 500)))
        }
    }

    // spec: CB-19
    @Test("CB-19: many faults, spaces or keys do not make the compiler slow")
    func compilingIsLinear() throws {
        // Each of these took minutes when it was quadratic.
        let faulty = list((0..<50_000).map { _ in (filter("|"), block) })
        let error = #expect(throws: RuleListError.self) { try RuleList(json: faulty) }
        #expect(error?.faults.count == 20)
        let spaces = String(repeating: " ", count: 400_000)
        let spaced = list((filter("a"), hide("a:nth-child(2n\(spaces)+\(spaces)1)")))
        #expect(try RuleList(json: spaced).statistics.skipped == 0)
        let keys = String(repeating: #""a": [1, 2], "#, count: 200_000)
        let unknown = try RuleList(json: list((keys + filter("b"), block)))
        #expect(unknown.statistics.rules == 1 && unknown.remarks.count <= 100)
    }

    @Test("The limits of a list are faults with their numbers") func limitsAreFaults() throws {
        var limits = RuleLimits()
        limits.bytes = 100
        #expect(try fault(list((filter(String(repeating: "a", count: 100)), block)), limits: limits).kind == .limit)
        limits = RuleLimits()
        limits.pattern = 10
        let long = try fault(list((filter("a"), block), (filter("aaaaaaaaaaa"), block)), limits: limits)
        #expect(long.kind == .limit && long.rule == 2 && long.detail.contains("11 bytes"))
        limits = RuleLimits()
        limits.steps = 10
        let steps = list((0..<10).map { (filter("abcdef\($0)"), block) })
        #expect(try fault(steps, limits: limits).kind == .limit)
        limits = RuleLimits()
        limits.conditions = 2
        let domains = list((filter("a") + #", "if-domain": ["a", "b", "c"]"#, block))
        #expect(try fault(domains, limits: limits).kind == .limit)
    }

    @Test("A pattern has at most 100 nested groups") func nestedGroupsAreBounded() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a" + String(repeating: ")?", count: depth) + "b"
        }
        #expect(try matches(nested(100), "http://x/ab"))
        #expect(try fault(list((filter(nested(101)), block))).kind == .invalidRegularExpression)
    }
}
