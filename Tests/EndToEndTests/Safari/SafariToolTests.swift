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
            ("--type words", "--type"), ("--url https://a/", "payload"),
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
