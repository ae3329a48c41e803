// MatchTests: which extensions are offered for some items, and why, over a real daemon.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing
import UniformTypeIdentifiers

@Suite struct MatchTests {
    private static let oneURL = ["NSExtensionActivationSupportsWebURLWithMaxCount": 1]

    /// Six extensions, each with another reason; none of them can be run.
    private func bundles() throws -> TestBundles {
        let bundles = try TestBundles()
        try bundles.add("any", script: "", point: "com.apple.widget-extension", rule: nil)
        try bundles.add("bad", script: "", rule: "SUBQUERY(extensionItems, $i, ")
        try bundles.add("link", script: "", rule: Self.oneURL)
        try bundles.add("none", script: "", rule: nil)
        try bundles.add("off", script: "", rule: "TRUEPREDICATE")
        try bundles.add("text", script: "", rule: ["NSExtensionActivationSupportsText": true])
        return bundles
    }

    // spec: P-305, P-306, P-204
    @Test func eachExtensionIsOfferedOrNotWithItsReason() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            try await daemon.control.elect(.ignore, "org.exthost.tests.off")
            let answer = try #require(
                try JSONSerialization.jsonObject(
                    with: Data(
                        try await control(["match", "--url", "https://example.org", "--json"], daemon).output.utf8))
                    as? [[String: Any]])
            #expect(answer.allSatisfy { Set($0.keys) == ["identifier", "shown", "why"] })
            let names = answer.map { ($0["identifier"] as? String ?? "").split(separator: ".").last ?? "" }
            #expect(names == ["any", "bad", "link", "none", "off", "text"])
            #expect(answer.map { $0["shown"] as? Bool } == [true, false, true, false, false, false])
            let reasons = answer.map { $0["why"] as? String ?? "" }
            for (reason, part) in zip(
                reasons,
                [
                    "takes no rules", "cannot be read: line 1, column ", "accepts these items",
                    "has no activation rule",
                    "switched it off", "would match with NSExtensionActivationSupportsWebURLWithMaxCount = 1",
                ])
            { #expect(reason.contains(part), "\(reason)") }

            let host = try await daemon.host("notes")
            let found = try await host.application.extensions(accepting: [.url("https://example.org")])
            #expect(found.map(\.identifier) == ["org.exthost.tests.any", "org.exthost.tests.link"])
            #expect(found.last?.path == bundles.path + "/Tests.app/PlugIns/link.appex")
            let text = try await control(["match", "--text", "x"], daemon).output
            #expect(text.contains("✓  org.exthost.tests.text") && text.contains("✗  org.exthost.tests.link"))
        }
    }

    /// Neither hides its neighbours; the fault is listed where faults are.
    @Test func aBadRuleAndAMissingOneAreListed() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let records = try await daemon.control.extensions(allCopies: true)
            let bad = try #require(records.first { $0.identifier == "org.exthost.tests.bad" })
            #expect(bad.problems.count == 1 && bad.problems[0].hasPrefix("NSExtensionActivationRule cannot be read"))
            let none = try #require(records.first { $0.identifier == "org.exthost.tests.none" })
            #expect(none.problems.isEmpty && none.warnings.contains { $0.contains("NSExtensionActivationRule") })
            #expect(records.filter { $0.problems.isEmpty }.count == 5)
        }
    }

    // spec: P-307
    @Test func explainShowsEachClauseAndTheNearMiss() async throws {
        let bundles = try bundles()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let arguments = ["explain", "org.exthost.tests.link", "--url", "https://example.org", "--text", "x"]
            let answer = try #require(
                try JSONSerialization.jsonObject(
                    with: Data(try await control(arguments + ["--json"], daemon).output.utf8))
                    as? [String: Any])
            #expect(Set(answer.keys) == ["identifier", "shown", "why", "clauses", "nearMiss"])
            #expect(answer["shown"] as? Bool == false)
            #expect((answer["nearMiss"] as? String)?.contains("without attachment 2 (public.plain-text)") == true)
            let clauses = try #require(answer["clauses"] as? [[String: Any]])
            #expect(clauses.allSatisfy { Set($0.keys) == ["clause", "result", "detail"] })
            #expect(
                clauses.contains {
                    ($0["clause"] as? String)?.hasPrefix("version 1") == true && $0["result"] as? Bool == false
                })
            let text = try await control(arguments, daemon).output
            #expect(text.hasPrefix("org.exthost.tests.link is not offered these items: its rule does not accept"))
            #expect(
                text.contains("\n  ✓ NSExtensionActivationSupportsWebURLWithMaxCount = 1  – 1 web URL attachment"),
                "\(text)")
            #expect(try await control(["explain", "org.exthost.tests.nobody", "--text", "x"], daemon).status == 66)
        }
    }

    /// Rules of real extensions, each in a bundle of its own, asked about every payload.
    // spec: P-205
    @Test func theSharedVectorsHoldOverADaemon() async throws {
        let folder = SampleApplications.root + "/Tests/ActivationRulesTests/Vectors/"
        func object(_ name: String, _ key: String? = nil) throws -> [String: Any] {
            let data = try Data(contentsOf: URL(fileURLWithPath: folder + name + ".json"))
            let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
            return key.map { object[$0] as? [String: Any] ?? [:] } ?? object
        }
        let bundles = try TestBundles()
        for (name, entry) in try object("rules", "rules") {
            try bundles.add(name, script: "", rule: (entry as? [String: Any])?["rule"])
        }
        let expected = try object("expected", "results")
        let payloads = try object("payloads")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            var compared = 0
            for (name, entry) in payloads {
                let items =
                    ((entry as? [String: Any])?["items"] as? [String: Any])?["extensionItems"] as? [[String: Any]] ?? []
                let types = items.map { item in
                    (item["attachments"] as? [[String: Any]] ?? []).map {
                        $0["registeredTypeIdentifiers"] as? [String] ?? []
                    }
                }
                for offer in try await daemon.control.match(OfferedTypes(attachments: types)) {
                    let rule = String(offer.identifier.split(separator: ".").last ?? "")
                    guard let shown = (expected[rule] as? [String: Any])?[name] as? Bool else { continue }
                    compared += 1
                    #expect(offer.shown == shown, "\(rule) of \(name): \(offer.why)")
                }
            }
            #expect(
                compared == expected.values.reduce(0) { $0 + (($1 as? [String: Any])?.count ?? 0) } && compared > 200)
        }
    }

    /// A type that only the app around one extension declares counts for the rules of all.
    @Test func typesThatAppsDeclareCountForConformance() async throws {
        let bundles = try TestBundles()
        try bundles.add("image", script: "", rule: ["NSExtensionActivationSupportsImageWithMaxCount": 1])
        let path = bundles.path + "/Tests.app/Info.plist"
        let declaration: [String: Any] = [
            "UTTypeIdentifier": "org.exthost.tests.picture", "UTTypeConformsTo": ["public.jpeg"],
        ]
        let information: [String: Any] = [
            "CFBundleIdentifier": "org.exthost.tests", "UTExportedTypeDeclarations": [declaration],
        ]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: path))
        let types = OfferedTypes(attachments: [[["org.exthost.tests.picture"]]])
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            #expect(try await daemon.control.match(types).map(\.shown) == [true])
            try PropertyListSerialization.data(
                fromPropertyList: ["CFBundleIdentifier": "org.exthost.tests"], format: .xml, options: 0
            ).write(to: URL(fileURLWithPath: path), options: .atomic)
            try await daemon.event { $0.event == "registry.changed" }
            #expect(try await daemon.control.match(types).map(\.shown) == [false])
        }
    }

    /// More extensions than a page holds, and more types than are looked up on the loop.
    @Test func aLongListAndManyAttachmentsAreAnswered() async throws {
        let bundles = try TestBundles()
        for number in 0..<70 {
            try bundles.add("e\(number)", script: "", rule: number % 2 == 0 ? "TRUEPREDICATE" : Self.oneURL)
        }
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let offers = try await daemon.control.match(
                OfferedTypes(attachments: [Array(repeating: ["public.url", "public.html"], count: 500)]))
            #expect(offers.count == 70 && offers.filter(\.shown).count == 35)
            #expect(offers.map(\.identifier) == offers.map(\.identifier).sorted())
        }
    }

    /// A page on the command line, as a browser shares it.
    // spec: P-310
    @Test func aPageIsOfferedRunAndExplainedAsABrowserWould() async throws {
        let bundles = try TestBundles()
        let url = "NSExtensionActivationSupportsWebURLWithMaxCount"
        for (name, rule) in [
            ("page", [url: 1, "NSExtensionActivationSupportsWebPageWithMaxCount": 1]), ("link", [url: 1]),
        ] {
            try bundles.add(
                name, program: SampleApplications.buildFolder + "/Puppet", principalClass: "Puppet.Puppet", rule: rule)
        }
        let page = ["--page", "https://example.org", "--page-title", "An example"]
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            func shown(_ arguments: [String]) async throws -> [String] {
                let output = try await control(["match", "--json"] + arguments, daemon).output
                let offers = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]] ?? []
                return offers.filter { $0["shown"] as? Bool == true }.compactMap { $0["identifier"] as? String }
            }
            #expect(try await shown(page) == ["org.exthost.tests.link", "org.exthost.tests.page"])
            // As an attachment like any other the property list is one that the link's rule does not take.
            let file = bundles.path + "/Tests.app/Info.plist"
            #expect(try await shown(["--url", "https://example.org", "--plist", file]) == ["org.exthost.tests.page"])
            #expect(try await shown(page + ["--item"] + page) == [])
            let explained = try await json(["explain", "org.exthost.tests.page"] + page, daemon)
            #expect(explained["shown"] as? Bool == true)
            for (name, types) in [("page", ["public.url", "com.apple.property-list"]), ("link", ["public.url"])] {
                // What the puppet is told to do is the title's; the page's own goes into the text.
                let ran = try await json(["run", "org.exthost.tests.\(name)", "--title", "types"] + page, daemon)
                let items = ran["items"] as? [[String: Any]]
                let returned = (items?.first?["userInfo"] as? [String: Any])?["types"] as? [[String]]
                #expect(returned == types.map { [$0] }, "\(name): \(ran)")
            }
            // What the script gives, and no key besides.
            let results = bundles.path + "/results.json"
            for (given, more) in [(#"{"quote": "so it is"}"#, ["--page-results", results]), ("{}", [])] {
                try Data(given.utf8).write(to: URL(fileURLWithPath: results))
                let ran = try await json(["run", "org.exthost.tests.page", "--title", "results"] + page + more, daemon)
                let items = ran["items"] as? [[String: Any]]
                let returned = (items?.first?["userInfo"] as? [String: Any])?["results"] as? [String: String]
                let wanted = try JSONSerialization.jsonObject(with: Data(given.utf8)) as? [String: String]
                #expect(returned == wanted, "\(ran)")
            }
            try Data("[1]".utf8).write(to: URL(fileURLWithPath: results))
            for wrong in [
                ["--page-title", "x"], page + page, ["--page", "no address"], ["--page-results", results],
                page + ["--page-results", results],
            ] {
                let ending = try await control(["match"] + wrong, daemon)
                #expect(ending.status == 64 && ending.errors.contains("--"), "\(ending.errors)")
            }
        }
    }
}
