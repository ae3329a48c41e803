// RefusalTests: each refusal of WebKit, with its sentence and the place of the fault.
//
// The expectations were compared with the compiler of WPE WebKit 2.38 on 4,000 random lists and 6,000 rules.

import ContentRules
import Testing

@Suite struct RefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let json: String
        let kind: RuleFault.Kind
        let rule: Int?
        let key: String?
        let column: Int

        init(_ json: String, _ kind: RuleFault.Kind, _ rule: Int? = nil, _ key: String? = nil, column: Int) {
            (self.json, self.kind, self.rule, self.key, self.column) = (json, kind, rule, key, column)
        }

        var testDescription: String { json }
    }

    private static func rule(_ trigger: String, _ action: String = block) -> String {
        #"[{"trigger": {\#(trigger)}, "action": {\#(action)}}]"#
    }

    static let cases = [
        Case("", .invalidJSON, column: 1),
        Case("[", .invalidJSON, column: 2),
        Case("[1,]", .invalidJSON, column: 4),
        Case("[01]", .invalidJSON, column: 2),
        Case("[-]", .invalidJSON, column: 2),
        Case("[1.]", .invalidJSON, column: 4),
        Case("[1e]", .invalidJSON, column: 4),
        Case(#"["\q"]"#, .invalidJSON, column: 3),
        Case(#"["\u12"]"#, .invalidJSON, column: 3),
        Case(#"["a]"#, .invalidJSON, column: 2),
        Case(#"[{"a" 1}]"#, .invalidJSON, column: 7),
        Case("[{a: 1}]", .invalidJSON, column: 3),
        Case("[nul]", .invalidJSON, column: 2),
        Case("[] []", .invalidJSON, column: 4),
        Case("[1 2]", .invalidJSON, column: 4),
        Case("\u{FEFF}[]", .invalidJSON, column: 1),
        Case("{}", .notAnArray, column: 1),
        Case(" 1 ", .notAnArray, column: 2),
        Case(#""[]""#, .notAnArray, column: 1),
        Case("[]", .empty, column: 1),
        Case("[1]", .invalidRule, 1, column: 2),
        Case("[[]]", .invalidRule, 1, column: 2),
        Case("[null]", .invalidRule, 1, column: 2),
        Case("[{}]", .invalidTrigger, 1, "trigger", column: 2),
        Case(#"[{"trigger": []}]"#, .invalidTrigger, 1, "trigger", column: 14),
        Case(rule(""), .invalidURLFilter, 1, "trigger.url-filter", column: 14),
        Case(rule(#""url-filter": 1"#), .invalidURLFilter, 1, "trigger.url-filter", column: 29),
        Case(rule(#""url-filter": """#), .invalidURLFilter, 1, "trigger.url-filter", column: 29),
        Case(
            rule(#""url-filter": "a", "resource-type": "image""#), .invalidFlags, 1, "trigger.resource-type", column: 51
        ),
        Case(rule(#""url-filter": "a", "resource-type": null"#), .invalidFlags, 1, "trigger.resource-type", column: 51),
        Case(rule(#""url-filter": "a", "resource-type": ["a"]"#), .invalidFlag, 1, "trigger.resource-type", column: 52),
        Case(rule(#""url-filter": "a", "resource-type": [{}]"#), .invalidFlag, 1, "trigger.resource-type", column: 52),
        Case(rule(#""url-filter": "a", "load-type": true"#), .invalidFlags, 1, "trigger.load-type", column: 47),
        Case(rule(#""url-filter": "a", "load-type": ["other"]"#), .invalidFlag, 1, "trigger.load-type", column: 48),
        Case(rule(#""url-filter": "a", "load-context": {}"#), .invalidFlags, 1, "trigger.load-context", column: 50),
        Case(
            rule(#""url-filter": "a", "load-context": ["frame"]"#), .invalidFlag, 1, "trigger.load-context", column: 51),
        Case(rule(#""url-filter": "a", "if-domain": "a.com""#), .invalidConditions, 1, "trigger.if-domain", column: 47),
        Case(rule(#""url-filter": "a", "if-domain": []"#), .invalidConditions, 1, "trigger.if-domain", column: 47),
        Case(
            rule(#""url-filter": "a", "if-domain": ["a", 1]"#), .invalidConditions, 1, "trigger.if-domain", column: 53),
        Case(
            rule(#""url-filter": "a", "unless-domain": [""]"#), .invalidConditions, 1, "trigger.unless-domain",
            column: 52),
        Case(
            rule(#""url-filter": "a", "if-top-url": [null]"#), .invalidConditions, 1, "trigger.if-top-url", column: 49),
        Case(
            rule(#""url-filter": "a", "if-domain": ["A.com"]"#), .domainNotLowercaseASCII, 1, "trigger.if-domain",
            column: 48),
        Case(
            rule(#""url-filter": "a", "unless-domain": ["é.com"]"#), .domainNotLowercaseASCII, 1,
            "trigger.unless-domain", column: 52),
        Case(
            rule(#""url-filter": "a", "if-domain": ["a"], "unless-domain": ["b"]"#), .multipleConditions, 1,
            "trigger.unless-domain", column: 71),
        Case(
            rule(#""url-filter": "a", "if-domain": ["a"], "if-top-url": 1"#), .multipleConditions, 1,
            "trigger.if-top-url", column: 68),
        Case(#"[{"trigger": {"url-filter": "a"}}]"#, .invalidAction, 1, "action", column: 2),
        Case(#"[{"trigger": {"url-filter": "a"}, "action": "block"}]"#, .invalidAction, 1, "action", column: 45),
        Case(rule(#""url-filter": "a""#, ""), .invalidActionType, 1, "action.type", column: 45),
        Case(rule(#""url-filter": "a""#, #""type": "redirect""#), .invalidActionType, 1, "action.type", column: 54),
        Case(rule(#""url-filter": "a""#, #""type": 1"#), .invalidActionType, 1, "action.type", column: 54),
        Case(
            rule(#""url-filter": "a""#, #""type": "css-display-none""#), .missingSelector, 1, "action.selector",
            column: 45),
        Case(
            rule(#""url-filter": "a""#, #""type": "css-display-none", "selector": 1"#), .missingSelector, 1,
            "action.selector", column: 86),
        Case(
            rule(#""url-filter": "a""#, #""type": "notify""#), .missingNotification, 1, "action.notification",
            column: 45),
        Case(rule(#""url-filter": "a|b""#), .invalidRegularExpression, 1, "trigger.url-filter", column: 31),
        Case(rule(#""url-filter": "\\.\\d""#), .invalidRegularExpression, 1, "trigger.url-filter", column: 33),
        Case(
            rule(#""url-filter": "a", "if-top-url": ["b", "(c"]"#), .invalidRegularExpression, 1, "trigger.if-top-url",
            column: 57),
        Case(
            rule(#""url-filter": "a", "if-domain": ["a|b"]"#), .invalidRegularExpression, 1, "trigger.if-domain",
            column: 48),
    ]

    // spec: CB-9
    @Test("CB-9: each fault has WebKit's sentence, rule, key and column", arguments: cases)
    func aFaultIsNamed(_ expected: Case) throws {
        let found = try fault(Array(expected.json.utf8))
        #expect(found.kind == expected.kind)
        #expect(found.rule == expected.rule && found.key == expected.key)
        #expect(found.line == 1 && found.column == expected.column, "column \(found.column)")
        #expect(found.description.hasPrefix(expected.kind.sentence))
    }

    // spec: CB-9
    @Test("CB-9: the sentences are those that WebKit publishes") func theSentences() {
        let sentences: [RuleFault.Kind: String] = [
            .invalidJSON: "Failed to parse the JSON String.",
            .notAnArray: "Invalid input, the top level structure is not an array.",
            .tooManyRules: "Too many rules in JSON array.", .invalidRule: "Invalid rule.", .empty: "Empty extension.",
            .invalidTrigger: "Invalid trigger object.", .invalidURLFilter: "Invalid url-filter object.",
            .invalidFlags: "Invalid trigger flags array.",
            .invalidFlag: "Invalid string in the trigger flags array.",
            .invalidConditions:
                "Invalid list of if-domain, unless-domain, if-top-url, or unless-top-url conditions.",
            .domainNotLowercaseASCII:
                "Domains must be lower case ASCII. Use punycode to encode non-ASCII characters.",
            .multipleConditions:
                "A trigger cannot have more than one condition (if-domain, unless-domain, if-top-url, or unless-top-url)",
            .invalidAction: "Invalid action object.", .invalidActionType: "Invalid action type.",
            .missingSelector: "Invalid css-display-none action type. Requires a selector.",
            .missingNotification: "A notify action must have a string notification",
            .invalidRegularExpression: "Invalid or unsupported regular expression.",
        ]
        for kind in RuleFault.Kind.allCases where kind != .limit { #expect(kind.sentence == sentences[kind]) }
    }

    // not simulated: N-088
    @Test("The actions of web extensions are unknown, and notify does nothing") func actionsOfWebExtensions() throws {
        for type in ["redirect", "modify-headers"] {
            let found = try fault(list((filter("a"), #""type": "\#(type)""#)))
            #expect(found.kind == .invalidActionType && found.detail.contains(type))
        }
        let rules = try RuleList(json: list((filter("a"), #""type": "notify", "notification": "x""#)))
        #expect(
            try rules.decision(for: ContentLoad(url: "http://a"))
                == RuleList(json: list((filter("x"), block))).decision(for: ContentLoad(url: "http://a")))
    }

    // spec: CB-9
    @Test("CB-9: every kind of fault but the limits has a case above") func allKindsHaveACase() {
        let kinds = Set(Self.cases.map(\.kind)).union([.limit, .tooManyRules])
        #expect(kinds == Set(RuleFault.Kind.allCases))
    }

    // spec: CB-9
    @Test("CB-9: WebKit's fault comes first: JSON, then rules in order, then patterns")
    func theFirstFaultIsWebKits() throws {
        let both = list((filter("a|b"), block), (filter("b"), #""type": "no""#), (filter("c"), #""type": 1"#))
        let error = try #require(throws: RuleListError.self) { try RuleList(json: both) }
        #expect(error.faults.map(\.kind) == [.invalidActionType, .invalidActionType, .invalidRegularExpression])
        #expect(error.faults.map(\.rule) == [2, 3, 1])
        #expect(error.faults.map(\.line) == [2, 3, 1])
        #expect(try fault(both + [UInt8(ascii: ",")]).kind == .invalidJSON)
        let many = try #require(throws: RuleListError.self) {
            try RuleList(json: list(Array(repeating: (filter("a|b"), block), count: 100)))
        }
        #expect(many.faults.count == 20)
    }

    // spec: CB-9
    @Test("CB-9: the JSON is read as WebKit reads it") func theJSONIsWebKits() throws {
        for json in [
            #"[{"trigger": {"url-filter": "a"}, "action": {"type": "block"}}]"#,
            "\u{B}\u{C}[{\"trigger\": {\"url-filter\": \"\u{1}a\"}, \"action\": {\"type\": \"block\"}}]\n",
            #"[{"trigger": {"url-filter": "\x61\v"}, "action": {"type": "block"}}]"#,
            #"[{"trigger": {"url-filter": 1, "url-filter": "a"}, "action": {"type": "block"}, "x": [[[[[1e5]]]]]}]"#,
            #"[{"trigger": {"url-filter": "\u0061"}, "action": {"type": "block", "x": -0.5E-7}}]"#,
        ] {
            #expect(throws: Never.self, "\(json)") { try RuleList(json: Array(json.utf8)) }
        }
        func nested(_ levels: Int) -> [UInt8] {
            let value = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            return Array(#"[{"x": \#(value), "trigger": {"url-filter": "a"}, "action": {"type": "block"}}]"#.utf8)
        }
        #expect(throws: Never.self) { try RuleList(json: nested(900)) }
        #expect(try fault(nested(1001)).detail.contains("1000"))
        #expect(try fault(nested(500_000)).kind == .invalidJSON)
        // No byte form of a surrogate, of a cut or an overlong sequence.
        for bytes: [UInt8] in [[0xED, 0xA0, 0x80], [0xC3], [0xC0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80]] {
            #expect(try fault(Array(#"[""#.utf8) + bytes + Array(#""]"#.utf8)).kind == .invalidJSON)
        }
    }

    // spec: CB-8
    @Test("CB-8: 150,000 rules are allowed, and one more is not") func aListHasABound() throws {
        var limits = RuleLimits()
        let numbers = { (count: Int) in Array("[\(Array(repeating: "1", count: count).joined(separator: ","))]".utf8) }
        #expect(try fault(numbers(150_001)).kind == .tooManyRules)
        #expect(try fault(numbers(150_000)).kind == .invalidRule)
        limits.rules = 3
        let three = Array(repeating: (filter("a"), block), count: 3)
        #expect(try RuleList(json: list(three), limits: limits).statistics.rules == 3)
        let found = try fault(list(three + three), limits: limits)
        #expect(found.kind == .tooManyRules && found.detail.contains("6 rules"))
        // The number counts before the rules do.
        #expect(try fault(Array("[1, 2, 3, 4]".utf8), limits: limits).kind == .tooManyRules)
    }

    // spec: CB-10
    @Test("CB-10: a rule with an invalid selector is skipped") func anInvalidSelectorIsSkipped() throws {
        let rules = try RuleList(
            json: list((filter("a"), hide("a >")), (filter("a"), hide("b")), (filter("a|"), hide(""))))
        #expect(rules.statistics.skipped == 2 && rules.statistics.rules == 3)
        #expect(try rules.decision(for: ContentLoad(url: "http://a")).hidden.map(\.rule) == [2])
        #expect(rules.remarks.map(\.rule) == [1, 3])
        #expect(try fault(list((filter("a"), hide(":foo")))).kind == .empty)
    }

    @Test func whatHasNoMeaningIsRemarked() throws {
        let rules = try RuleList(
            json: list(
                (filter("a") + #", "if-domains": ["a"]"#, block), (filter("a") + #", "if-domain": ["*.a.com"]"#, block),
                (filter(#"(a)\1"#), block)))
        #expect(rules.remarks.map(\.rule) == [1, 2, 3])
        #expect(rules.remarks[0].text.contains("if-domains") && rules.remarks[1].text.contains("*a.com"))
        #expect(rules.remarks[2].text.contains("no back reference"))
    }
}
