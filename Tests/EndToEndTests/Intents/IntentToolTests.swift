// IntentToolTests: `exthostctl run` and scenarios of intents, with the sample.

import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct IntentToolTests {
    private func run(_ arguments: String...) async throws -> Program.Ending {
        let app = try samples() + "/Samples.app/PlugIns/PaperPlane.appex"
        return try await Program.control(["run", app, "--ephemeral"] + arguments).ending()
    }

    // spec: P-600, PC-23
    @Test("P-600, PC-23: run shows each step of an intent, with the person's answers") func steps() async throws {
        let sent = try await run(
            "--param", "recipients=Anna", "--param", "content=Hello", "--reply", "recipients=Anna Lind")
        #expect(sent.status == 0 && sent.output.hasPrefix("handled: INSendMessageIntent by"), "\(sent)")
        for line in [
            "  resolve recipients: disambiguation Anna Berg, Anna Lind\n", "  asked about recipients: Anna Lind\n",
            "  resolve recipients: success Anna Lind\n", "  resolve content: success Hello\n", "  confirm: ready (1)\n",
            "  handle: success (3)\n",
        ] { #expect(sent.output.contains(line), "\(line): \(sent)") }
        let asked = try await run("--param", "recipients=Anna", "--param", "content=Hello")
        #expect(asked.status == 1 && asked.output.hasPrefix("disambiguation, recipients needs a choice"), "\(asked)")
        let found = try await run("--intent", "INSearchForMessagesIntent", "--json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(found.output.utf8)) as? [String: Any])
        #expect(document["result"] as? String == "handled" && document["code"] as? String == "success", "\(found)")
        let locked = try await run("--intent", "INSearchForMessagesIntent", "--locked")
        #expect(locked.status == 1 && locked.output.hasPrefix("refused, the device is locked"), "\(locked)")
    }

    // spec: IN-4
    @Test("IN-4: a class of the author's own has parameters by name, and codes of its own") func ownClass()
        async throws
    {
        let folded = try await run("--intent", "FoldPlaneIntent", "--param", "count=3", "--param", "colour=red")
        #expect(folded.status == 0 && folded.output.contains("  sheets: 3\n"), "\(folded)")
        let one = try await run("--intent", "FoldPlaneIntent", "--reply", "count=yes")
        #expect(one.status == 0 && one.output.contains("  sheets: 1\n"), "\(one)")
        let many = try await run("--intent", "FoldPlaneIntent", "--param", "count=11")
        #expect(many.status == 1 && many.output.contains("outOfPaper (100)"), "\(many)")
        let wrong = try await run("--intent", "FoldPlaneIntent", "--param", "count=many")
        #expect(wrong.status != 0 && wrong.errors.contains("the value of count is no integer"), "\(wrong)")
    }

    @Test func faultyOptionsAreTold() async throws {
        let bare = try await run("--param", "content")
        #expect(bare.status == 64 && bare.errors.contains("has no name and value"), "\(bare)")
        let unknown = try await run("--intent", "INPlayMediaIntent")
        #expect(unknown.status != 0 && unknown.errors.contains("does not support INPlayMediaIntent"), "\(unknown)")
    }

    // spec: P-600
    @Test("PC-27: a scenario performs intents, and expects their ends and values") func scenarios() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = folder.path + "/intents.scenario"
        let text = """
            extension org.exthost.samples.paper-plane
            test "a message"
              intent INSendMessageIntent recipients=Tom "content=Hello there" locked
              expect result handled
              expect shown code = "success"
              expect shown values.content = "Hello there"
              intent INSendMessageIntent recipients=Anna content=x reply recipients=2
              expect result handled
              intent INSendMessageIntent recipients=Nobody
              expect result unsupported
              intent INSearchForMessagesIntent locked
              expect result refused
            test "no answer"
              intent INSendMessageIntent
              expect result handled
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let ending = try await Program.control(["test", file, "--applications", try samples(), "--tap"]).ending()
        #expect(ending.status == 1 && ending.output.contains("ok 1 - a message"), "\(ending)")
        #expect(!ending.output.contains("not ok 1") && ending.output.contains("not ok 2 - no answer"), "\(ending)")
    }
}
