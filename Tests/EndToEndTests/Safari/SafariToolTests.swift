// SafariToolTests: `exthostctl run` and scenarios for content blockers and shared links.

import ExtensionHostTesting
import Foundation
import LinuxSystem
import Testing

@Suite struct SafariToolTests {
    private let folder: TemporaryDirectory
    private var shell: Shell { Shell(folder: folder.path) }

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    private func run(_ arguments: String) async throws -> (status: Int32, output: String) {
        let ending = try await shell.run("exthostctl run --ephemeral \(arguments)")
        return (ending.status, ending.output)
    }

    private func document(_ arguments: String) async throws -> [String: Any] {
        let ending = try await run("\(arguments) --json -q")
        #expect(ending.status == 0, "\(ending.output)")
        return try #require(try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any])
    }

    // spec: CB-21
    @Test("CB-21: run names the rule that blocks a load, and without a load shows the list") func runShowsRules()
        async throws
    {
        defer { try? folder.remove() }
        let blocker = try samples() + "/Samples.app/PlugIns/QuietPages.appex"
        let blocked = try await document(
            "\(blocker) --load https://x.ads.example/a.png --page https://example.com/ --type image")
        #expect(blocked["blocked"] as? Bool == true && blocked["rule"] as? Int == 1)
        let upgraded = try await document("\(blocker) --load http://example.org/")
        #expect(upgraded["upgraded"] as? String == "https://example.org/" && upgraded["upgradeRule"] as? Int == 3)
        let hidden = try #require(upgraded["hidden"] as? [[String: Any]])
        #expect(hidden.first?["selector"] as? String == ".banner, [id^='ad-']")
        let text = try await run(
            "\(blocker) --load https://friend.example/tracker.js --page https://friend.example/ --type script -q")
        #expect(text.status == 0 && text.output.contains("allowed: ") && text.output.contains("before rule 6"))
        let list = try await document(blocker)
        #expect(list["rules"] as? Int == 6 && (list["actions"] as? [String: Int])?["block"] == 2)
        #expect((list["slowest"] as? [[String: Any]])?.isEmpty == false && (list["faults"] as? [Any])?.isEmpty == true)
        for (arguments, word) in [
            ("--load https://a/ --type movie", "movie"), ("--load a.com", "scheme"), ("--page https://a/", "--load"),
            ("--type words", "--type"), ("--url https://a/", "payload"), ("--frame https://a/", "--load"),
            ("--load https://a/ --frame https://b/", "page"),
        ] {
            let ending = try await run("\(blocker) \(arguments) -q")
            #expect(ending.status == 64 && ending.output.contains(word), "\(arguments): \(ending.output)")
        }
    }

    // spec: CB-21
    @Test("CB-21: a list with faults is reported with rule, key and column, and the status is 1")
    func faultsAreReported() async throws {
        defer { try? folder.remove() }
        let bundles = try TestBundles()
        try bundles.add(
            "blocker", program: SampleApplications.buildFolder + "/Blocker", point: "com.apple.Safari.content-blocker",
            principalClass: "Blocker.ContentBlockerRequestHandler")
        let bundle = bundles.path + "/Tests.app/PlugIns/blocker.appex"
        try Data(SafariStage.rule("a|b").utf8).write(to: URL(fileURLWithPath: bundle + "/blockerList.json"))
        let ending = try await run("\(bundle) -q")
        #expect(ending.status == 1)
        for part in [
            "WKErrorDomain 6", "Invalid or unsupported regular expression.", "rule 1, trigger.url-filter", "column 31",
        ] {
            #expect(ending.output.contains(part), "\(ending.output)")
        }
    }

    // spec: CB-21
    @Test("CB-21: run shows what is blocked and hidden on a page") func runShowsAPage() async throws {
        defer { try? folder.remove() }
        let blocker = try samples() + "/Samples.app/PlugIns/QuietPages.appex"
        let html = """
            <base href="https://x.ads.example/"><body><img src="a.png#part"><img src="https://news.example/b.png">
            <img src="data:image/gif;base64,AA"><div class="banner">1</div><p id="ad-1">2</p><p>3</p>
            """
        try Data(html.utf8).write(to: URL(fileURLWithPath: folder.path + "/page.html"))
        let page = "\(blocker) --page https://example.com/ --page-html page.html --engine jsc"
        let text = try await run("\(page) -q")
        #expect(text.status == 0, "\(text.output)")
        for line in [
            "page in jsc (JavaScriptCore 4.1, domino ", "): 1 of 2 loads blocked, elements hidden: 2\n",
            "  blocked by rule 1: image https://x.ads.example/a.png\n", "  hidden by rule 5: .banner, [id^='ad-']: 2\n",
            "    <div class=\"banner\"></div>\n",
        ] {
            #expect(text.output.contains(line), "\(line): \(text.output)")
        }
        let shown = try await document(page)
        let loads = try #require(shown["loads"] as? [[String: Any]])
        #expect(loads.map { $0["blocked"] as? Bool } == [true, false] && loads[0]["rule"] as? Int == 1)
        let hidden = try #require((shown["hidden"] as? [[String: Any]])?.first)
        #expect(hidden["count"] as? Int == 2 && (hidden["elements"] as? [String])?.count == 2)
        for (arguments, word) in [
            ("--page-html page.html", "--page"),
            ("--load https://a/ --page https://a/ --page-html page.html", "--load"),
            ("--page https://a/ --page-html page.html --save-page x", "--save-page"),
        ] {
            let ending = try await run("\(blocker) \(arguments) -q")
            #expect(ending.status == 64 && ending.output.contains(word), "\(arguments): \(ending.output)")
        }
    }

    // spec: CB-15
    @Test("CB-15: a load may be a child frame's, in run and in scenarios") func loadsMayBeOfFrames() async throws {
        defer { try? folder.remove() }
        let bundles = try TestBundles()
        try bundles.add(
            "blocker", program: SampleApplications.buildFolder + "/Blocker", point: "com.apple.Safari.content-blocker",
            principalClass: "Blocker.ContentBlockerRequestHandler")
        let bundle = bundles.path + "/Tests.app/PlugIns/blocker.appex"
        let rule = #"{"trigger": {"url-filter": "a", "load-context": ["child-frame"]}, "action": {"type": "block"}}"#
        try Data("[\(rule)]".utf8).write(to: URL(fileURLWithPath: bundle + "/blockerList.json"))
        let load = "\(bundle) --load https://a.example/a.js --page https://example.org/ --type script"
        #expect(try await document(load)["blocked"] as? Bool == false)
        #expect(try await document(load + " --frame https://frame.example/")["blocked"] as? Bool == true)
        let text = """
            extension org.exthost.tests.blocker
            applications \(bundles.path)
            test "frames"
              load https://a.example/a.js page https://example.org/ frame https://frame.example/ type script
              expect result blocked
              load https://a.example/a.js page https://example.org/ type script
              expect result allowed

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/frame.scenario"))
        let ending = try await shell.run("exthostctl test frame.scenario")
        #expect(ending.status == 0, "\(ending.output)")
    }

    // spec: SL-5
    @Test("SL-5: an extension that cancels is reported with its error, and the status is 1")
    func aCancellationIsReported() async throws {
        defer { try? folder.remove() }
        let bundles = try TestBundles()
        try bundles.add(
            "links", program: SampleApplications.buildFolder + "/Blocker",
            point: "com.apple.Safari.sharedlinks-service", principalClass: "Blocker.ContentBlockerRequestHandler")
        let bundle = bundles.path + "/Tests.app/PlugIns/links.appex"
        try Data("cancel".utf8).write(to: URL(fileURLWithPath: bundle + "/act"))
        let ending = try await run("\(bundle) -q")
        #expect(ending.output.contains("no links: NSCocoaErrorDomain 260"), "\(ending.output)")
        #expect(!ending.output.contains("--help"), "\(ending.output)")
        #expect(ending.status != 0 && ending.status != 64)
    }

    // spec: SL-5
    @Test("SL-5: run prints the links as a table, and as JSON") func runPrintsLinks() async throws {
        defer { try? folder.remove() }
        let links = try samples() + "/Samples.app/PlugIns/Releases.appex"
        let table = try await run("\(links) -q")
        #expect(table.status == 0 && table.output.contains("Release 1.0") && table.output.contains("DATE"))
        let found = try #require(try await document(links)["links"] as? [[String: Any]])
        #expect(found.first?["urlString"] as? String == "https://example.org/releases/1.0")
    }

    @Test func aScenarioDecidesAboutLoads() async throws {
        defer { try? folder.remove() }
        let text = """
            extension org.exthost.samples.quiet
            applications \(try samples())

            test "ads of others are blocked"
              load https://ads.example/a.png page https://example.com/ type image
              expect result blocked
              expect shown rule = 1
              load https://example.com/ type document
              expect result allowed
              expect shown hidden.0.rule = 5

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/quiet.scenario"))
        let ending = try await shell.run("exthostctl test quiet.scenario")
        #expect(ending.status == 0 && ending.output.contains("ok 1"), "\(ending.output)")
    }
}
