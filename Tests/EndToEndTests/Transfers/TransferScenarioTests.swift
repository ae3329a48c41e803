// TransferScenarioTests: background transfers in scenario files.

import Foundation
import TestPrograms
import Testing

@Suite struct TransferScenarioTests {
    /// Runs a scenario of the extension that downloads what is shared with it.
    private func test(_ lines: String, above: String = "", text: String) async throws -> Program.Ending {
        let bundles = try TestBundles.withFetcher()
        let items = try JSONSerialization.data(withJSONObject: [["contentText": text]])
        try items.write(to: URL(fileURLWithPath: bundles.path + "/items.json"))
        try Data("from a file".utf8).write(to: URL(fileURLWithPath: bundles.path + "/body.txt"))
        let file = bundles.path + "/transfers.scenario"
        try Data("extension org.exthost.tests.fetcher\n\(above)\n\(lines)\n".utf8).write(
            to: URL(fileURLWithPath: file))
        return try await Program.control(["test", file, "--applications", bundles.path, "--tap"]).ending()
    }

    // spec: BT-1, BT-13, BT-21, BT-28
    @Test("BT-1, BT-13, BT-21, BT-28: a scenario with a download that outlives its extension passes, a wrong one fails")
    func aDownloadOutlivesItsExtension() async throws {
        func scenario(_ name: String, content: String) -> String {
            """
            test "\(name)"
              answer https://example.org/one body "first" tag v1 cut 2 duration 10s times 1
              answer https://example.org/one body "--rst" tag v1 duration 100s
              begin --items items.json
              expect outcome completed
              expect transfers 1
              expect file group.org.exthost.tests/one = null
              advance 8s
              expect exit idle
              expect no process
              expect transfers 1
              advance 150s
              expect log process.exited(idle), app.opened
              expect file group.org.exthost.tests/one = "\(content)"
              expect no transfers
              advance 10s
              expect log process.exited(idle), app.opened, process.exited(closed)

            """
        }
        let ending = try await test(
            scenario("it outlives", content: "first") + scenario("it does not", content: "second"),
            text: "photos https://example.org/one")
        #expect(ending.status == 1 && ending.output.contains("\nok 1 - it outlives"), "\(ending)")
        for text in [
            "not ok 2 - it does not",
            #"step: "expect file group.org.exthost.tests/one = \"second\"""#,
            #"expected: "group.org.exthost.tests/one = \"second\"""#, #"found: "\"first\"""#,
        ] {
            #expect(ending.output.contains(text), "\(text): \(ending)")
        }
    }

    @Test("the scenario of docs/transfers.md passes") func theScenarioOfThePage() async throws {
        var found: String?
        for case .file("photos.scenario", let text) in try GuidePage("transfers.md").steps { found = text }
        let lines = try #require(found).split(separator: "\n").dropFirst().joined(separator: "\n")
            .replacing("group.org.example.app", with: "group.org.exthost.tests")
            .replacing("begin --url https://example.org/photo", with: "begin --items items.json")
        #expect(lines.contains("--items") && lines.contains("group.org.exthost.tests"))
        let ending = try await test(lines, text: "photos https://example.org/photo")
        #expect(ending.status == 0, "\(ending)")
    }

    // spec: BT-12, BT-22
    @Test("BT-12, BT-22: a scenario gives the events to the app or to the extension")
    func eventsAreDelivered() async throws {
        let ending = try await test(
            """
            test "the extension still runs"
              answer https://example.org/one file body.txt header X-Name "a b" delay 1s
              begin --items items.json
              expect outcome completed
              advance 2s
              expect output "extension completes 1 0"
              expect file group.org.exthost.tests/one contains "a file"
              expect no log app.opened
              expect no transfers
            test "the app is to get them"
              answer https://example.org/one file body.txt delay 1s
              begin --items items.json
              expect outcome completed
              deliver photos to app
              advance 2s
              expect log app.opened
              expect no output "extension has one"
              expect file group.org.exthost.tests/one = "from a file"
            test "the server has lost the file"
              answer https://example.org/one status 404
              begin --items items.json
              expect outcome completed
              expect output "extension completes 1 0"
              expect file group.org.exthost.tests/two = null
            test "there is no server"
              answer https://example.org/one status none
              begin --items items.json
              expect outcome completed
              advance 20s
              expect transfers 1
            test "it is too early"
              answer https://example.org/one delay 30s
              begin --items items.json
              expect outcome completed
              expect no transfers
            test "there is no such session"
              begin --items items.json
              expect outcome completed
              deliver movies to app
            test "the file is not there"
              begin --items items.json
              expect outcome completed
              expect file group.org.exthost.tests/two = "x"
            """, text: "photos https://example.org/one")
        for number in 1...4 { #expect(ending.output.contains("\nok \(number) - "), "\(number): \(ending)") }
        for number in 5...7 { #expect(ending.output.contains("\nnot ok \(number) - "), "\(number): \(ending)") }
        for text in [
            #"expected: "no background transfers""#,
            #"found: "photos: 1 not ended, 0 with an end that nobody has got""#,
            "advance lets the time of an answer pass", "there is no background session movies",
            "there is no such file",
        ] {
            #expect(ending.output.contains(text), "\(text): \(ending)")
        }
    }

    @Test("a scenario with a real clock sets answers if its daemon uses no network, and its check says so")
    func theClockMayBeReal() async throws {
        let lines = """
            test "at once"
              answer https://example.org/one body first
              begin --items items.json
              expect outcome completed
              expect file group.org.exthost.tests/one = "first"
              expect no transfers
            """
        let text = "photos https://example.org/one"
        let scripted = try await test(lines, above: "clock real\ndaemon --transfers scripted", text: text)
        #expect(scripted.status == 0, "\(scripted)")
        let refused = try await test(lines, above: "clock real", text: text)
        #expect(refused.status == 64, "\(refused)")
        #expect(refused.errors.contains(":4:3: the background transfers of this file use the network"), "\(refused)")
        #expect(refused.errors.contains("daemon --transfers scripted"), "\(refused)")
    }

    @Test("the check of a scenario finds an answer without its file") func aMissingBody() async throws {
        let ending = try await test(
            """
            test "a"
              answer https://example.org/one file nothing.txt
              begin --items items.json
              expect outcome completed
            """, text: "photos")
        #expect(ending.status == 64 && ending.errors.contains(":4:39: there is no file"), "\(ending)")
    }
}
