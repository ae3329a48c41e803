// RuleOracleTests: our compiler of content rule lists beside WebKit's own, on generated rules.

import ContentRules
import Foundation
import Glibc
import Testing

@Suite(
    .enabled(if: getenv("EXTHOST_SANITIZER") == nil, "web engines do not run under a sanitizer"),
    .enabled(if: TrialEngine.wpe.isInstalled, "wpe is missing: Scripts/test --engines installs it"))
struct RuleOracleTests {
    /// WebKit's sentence about a list in our compiler's words, or `valid`.
    private static func verdict(_ list: String) -> String {
        do {
            _ = try RuleList(json: Array(list.utf8))
            return "valid"
        } catch {
            return error.first.kind.sentence
        }
    }

    // spec: CB-22
    @Test("CB-22: our compiler takes and refuses 1,500 rules as WebKit's does, with its sentences")
    func theVerdictsAreWebKits() async throws {
        var corpus = RuleCorpus(seed: 1)
        let rules = (0..<500).map { _ in corpus.rule() }
        let changed = rules.flatMap { rule in (0..<2).map { _ in corpus.changed(rule) } }
        #expect(Set(rules).count > 300)
        // All rules together make one list more.
        let lists = (rules + changed).map { "[\($0)]" } + ["[\(rules.joined(separator: ",\n"))]"]
        let output = try await TrialEngine.wpe.run("compile", input: Array(lists.map { $0 + "\0" }.joined().utf8))
        let verdicts = output.split(separator: "\n").map(String.init)
        try #require(verdicts.count == lists.count)
        let ours = lists.map(Self.verdict)
        // Both the generator's rules and its changes are of use.
        #expect(ours.prefix(rules.count).allSatisfy { $0 == "valid" } && ours.last == "valid")
        #expect(Set(ours).count >= 12 && ours.filter { $0 != "valid" }.count > 300, "\(Set(ours))")
        var seen: Set<String> = []
        for (index, list) in lists.enumerated() where verdicts[index] != ours[index] {
            if let name = Self.differences.keys.first(where: list.contains) {
                #expect(Self.differences[name]?.webKit.contains(verdicts[index]) == true, "\(verdicts[index]): \(list)")
                #expect(Self.differences[name]?.ours == ours[index], "\(list)")
                seen.insert(name)
            } else {
                Issue.record("WebKit: \(verdicts[index]); ours: \(ours[index]): \(list)")
            }
        }
        #expect(seen == Set(Self.differences.keys), "a difference that is named has not been seen")
    }

    /// The differences of WPE WebKit 2.38, by the text of a list that makes them. Actions of web extensions are none of
    /// content blockers (N-088), and `top-document` is in later versions of WebKit.
    private static let differences: [String: (webKit: Set<String>, ours: String)] = [
        "\"redirect\"": (["A redirect action must have a redirect member"], RuleFault.Kind.invalidActionType.sentence),
        "\"modify-headers\"": (["valid"], RuleFault.Kind.invalidActionType.sentence),
        "\"top-document\"": ([RuleFault.Kind.invalidFlag.sentence], "valid"),
    ]

    // spec: CB-22
    @Test("CB-22: 800 rules block, upgrade and hide on test pages what WebKit does")
    func theDecisionsAreWebKits() async throws {
        var corpus = RuleCorpus(seed: 2)
        var input = ""
        var expected: [(list: String, loads: String)] = []
        var (blocked, hidden, upgraded) = (0, 0, 0)
        for number in 0..<80 {
            let rules = (0..<10).map { _ in corpus.rule(isVisible: true) } + [Self.sentinel]
            let list = "[\(rules.joined(separator: ",\n"))]"
            let page = RuleCorpus.pages[number % RuleCorpus.pages.count]
            let loads = corpus.loads(20, of: page)
            let compiled = try RuleList(json: Array(list.utf8))
            var left: Set<String> = []
            var selectors = try compiled.decision(for: ContentLoad(url: page)).hidden.map(\.selector)
            for load in loads {
                let decision = try compiled.decision(for: ContentLoad(url: load.url, page: page, type: load.type))
                selectors += decision.hidden.map(\.selector)
                if decision.blocked == nil { left.insert(decision.upgraded?.url ?? load.url) }
                blocked += decision.blocked == nil ? 0 : 1
                upgraded += decision.upgraded == nil ? 0 : 1
            }
            hidden += selectors.count
            let selector = (selectors + ["#sentinel"]).joined(separator: ", ")
            input += "\(list)\0\(Self.html(loads))\0\(page)\0\(selector)\0"
            expected.append((list, left.sorted().joined(separator: " ")))
        }
        #expect(blocked > 50 && hidden > 50 && upgraded > 10, "\(blocked) \(hidden) \(upgraded)")
        let output = try await TrialEngine.wpe.run("apply", input: Array(input.utf8))
        let lines = output.split(separator: "\n")
        try #require(lines.count == expected.count)
        for (line, expected) in zip(lines, expected) {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            try #require(parts.count == 3)
            let (loads, ours) = (Set(parts[0].split(separator: " ")), Set(expected.loads.split(separator: " ")))
            let (hidden, matched) = (Set(parts[1].split(separator: " ")), Set(parts[2].split(separator: " ")))
            #expect(
                loads == ours && hidden == matched,
                """
                only WebKit loads \(loads.subtracting(ours)), only ours \(ours.subtracting(loads)); only WebKit hides \
                \(hidden.subtracting(matched)), only ours \(matched.subtracting(hidden)): \(expected.list)
                """)
        }
    }

    // spec: CB-22, CB-15
    @Test(
        "CB-22: a top-level domain in no list of suffixes is the one difference of parties: WebKit compares whole hosts"
    )
    func anUnknownTopLevelDomain() async throws {
        let first = #"{"trigger": {"url-filter": ".*", "load-type": ["first-party"]}, "action": {"type": "block"}}"#
        let (page, load) = ("http://www.shop.test/", "http://img.shop.test/a.png")
        let list = "[\(first), \(Self.sentinel)]"
        let input = "\(list)\0\(Self.html([.init(url: load, type: .image)]))\0\(page)\0#sentinel\0"
        #expect(try await TrialEngine.wpe.run("apply", input: Array(input.utf8)).hasPrefix("\(load)\t"))
        let ours = try RuleList(json: Array(list.utf8))
        #expect(try ours.decision(for: ContentLoad(url: load, page: page, type: .image)).blocked == 1)
    }

    /// The last rule of each list, by which a trial knows that the rules before it have hidden what they hide.
    private static let sentinel = #"""
        {"trigger": {"url-filter": "^https://sentinel\\.example/"},
            "action": {"type": "css-display-none", "selector": "#sentinel"}}
        """#

    private static func html(_ loads: [RuleCorpus.Load]) -> String {
        var html = "<body><i id=sentinel>x</i>"
        for name in RuleCorpus.classes {
            for number in 0..<3 {
                html +=
                    "<div id=\(name)-\(number) class=\(name)>x</div><p id=p-\(name)-\(number) class='\(name) box'>y</p>"
            }
        }
        var scripts = ""
        for load in loads {
            switch load.type {
            case .image: html += "<img src=\"\(load.url)\">"
            case .script: html += "<script src=\"\(load.url)\"></script>"
            case .styleSheet: html += "<link rel=stylesheet href=\"\(load.url)\">"
            default: scripts += "fetch(\"\(load.url)\", {mode: 'no-cors'}),"
            }
        }
        return html + "<script>Promise.allSettled([\(scripts)]).then(() => window.isDone = 'done')</script>"
    }
}
