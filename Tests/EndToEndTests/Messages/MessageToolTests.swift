// MessageToolTests: `exthostctl run` and scenarios of message filters, with the sample.

import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct MessageToolTests {
    private func run(_ arguments: String...) async throws -> Program.Ending {
        let filter = try samples() + "/Samples.app/PlugIns/QuietText.appex"
        return try await Program.control(["run", filter, "--ephemeral"] + arguments).ending()
    }

    // spec: MF-4, PC-23
    @Test("MF-4, PC-23: run shows what becomes of a message, and what the server had to do with it")
    func messages() async throws {
        let plain = try await run()
        #expect(plain.status == 0 && plain.output.hasPrefix("junk: org.exthost.samples.quiet-text"), "\(plain)")
        let coupon = try await run("--sms", "A coupon for you", "--from", "+15555550199", "--json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(coupon.output.utf8)) as? [String: Any])
        #expect(document["action"] as? String == "promotion")
        #expect(document["subAction"] as? String == "promotionalCoupons" && document["reason"] is NSNull)
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let answer = folder.path + "/answer.json"
        try Data(#"{"action": "transaction"}"#.utf8).write(to: URL(fileURLWithPath: answer))
        let asked = try await run("--sms", "Hello", "--server-answer", answer)
        #expect(asked.status == 0 && asked.output.hasPrefix("transaction: "), "\(asked)")
        #expect(asked.output.contains("asked the server https://filter.example/messages: status 200"), "\(asked)")
        let alone = try await run("--sms", "Hello")
        #expect(alone.status == 0 && alone.output.hasPrefix("none: "), "\(alone)")
        #expect(alone.output.contains("failed, networkRequestFailed (4)"), "\(alone)")
    }

    @Test func faultyOptionsAreTold() async throws {
        let missing = try await run("--server-answer", "/nowhere/answer")
        #expect(missing.status == 66, "\(missing)")
        let share = try await Program.control(
            ["run", try samples() + "/Samples.app/PlugIns/ShareLink.appex", "--ephemeral", "--sms", "x"]
        ).ending()
        #expect(share.status == 64 && share.errors.contains("--sms is for extensions of"), "\(share)")
    }

    // spec: MF-4
    @Test("PC-27: a scenario asks a filter about messages, and expects its actions") func scenarios() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try Data(#"{"action": "allow"}"#.utf8).write(to: URL(fileURLWithPath: folder.path + "/answer.json"))
        let file = folder.path + "/filter.scenario"
        let text = """
            extension org.exthost.samples.quiet-text
            test "words and the server"
              sms "You have won a prize" from +15555550123
              expect result junk
              sms "Your invoice"
              expect result transaction
              expect shown subAction = "transactionalFinance"
              sms "Hello" answer answer.json
              expect result allow
              expect shown deferrals.0.status = 200
              sms "Hello"
              expect result none
            test "no such action"
              sms "Hello"
              expect result junk
            test "no such file"
              sms "Hello" answer nothing.json
              expect result junk
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let ending = try await Program.control(["test", file, "--applications", try samples(), "--tap"]).ending()
        #expect(ending.status == 1 && ending.output.contains("ok 1 - words and the server"), "\(ending)")
        #expect(!ending.output.contains("not ok 1") && ending.output.contains("not ok 2 - no such action"), "\(ending)")
        #expect(ending.output.contains("nothing.json cannot be read"), "\(ending)")
    }
}
