// ClassificationToolTests: `exthostctl run` and scenarios of reports, with the sample.

import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct ClassificationToolTests {
    private func run(_ arguments: String...) async throws -> Program.Ending {
        let reporter = try samples() + "/Samples.app/PlugIns/SpamReport.appex"
        return try await Program.control(["run", reporter, "--ephemeral"] + arguments).ending()
    }

    // spec: IC-7, PC-23
    @Test("IC-7, PC-23: run shows the view, presses its buttons and Done, and tells the report") func reports()
        async throws
    {
        let looked = try await run()
        #expect(
            looked.status == 0 && looked.output.hasPrefix("cancelled: org.exthost.samples.spam-report"), "\(looked)")
        #expect(looked.output.contains("Done is disabled"), "\(looked)")
        let junk = try await run(
            "--message", "first", "--message", "You have won", "--sender", "+15555550199", "--tap", "Junk, and block",
            "--done")
        #expect(junk.status == 0 && junk.output.hasPrefix("reported: "), "\(junk)")
        #expect(junk.output.contains("POST https://reports.example/spam: {"), "\(junk)")
        #expect(junk.output.contains("blocked: +15555550199"), "\(junk)")
        let call = try await run("--call", "--tap", "No junk", "--done", "--json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(call.output.utf8)) as? [String: Any])
        #expect(document["result"] as? String == "reported" && document["action"] as? String == "reportNotJunk")
        #expect(document["status"] as? Int == 200 && document["delivered"] as? Bool == true)
        let values = try #require((document["userInfo"] as? String).map { Data($0.utf8) })
        let information = try #require(try JSONSerialization.jsonObject(with: values) as? [String: Any])
        #expect(information["kind"] as? String == "call" && information["isJunk"] as? Bool == false)
    }

    @Test func faultyOptionsAreTold() async throws {
        let both = try await run("--call", "--message", "x")
        #expect(both.status == 64 && both.errors.contains("about messages or about calls"), "\(both)")
        let share = try await Program.control(
            ["run", try samples() + "/Samples.app/PlugIns/ShareLink.appex", "--ephemeral", "--done"]
        ).ending()
        #expect(share.status == 64 && share.errors.contains("--done is for extensions of"), "\(share)")
    }

    // spec: IC-7
    @Test("IC-7, PC-27: a scenario reports messages and calls, and expects the report") func scenarios() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = folder.path + "/report.scenario"
        let text = """
            extension org.exthost.samples.spam-report
            test "a message"
              report message "one" "You have won" from +15555550123
              expect result opened
              expect shown ready = false
              report done
              expect result refused
              view tap "Junk, and block"
              report done
              expect result reported
              expect shown action = "reportJunkAndBlockSender"
              expect shown blockedSenders.0 = "+15555550123"
              expect shown status = 200
            test "a call"
              report call
              view tap Junk
              report cancel
              expect result cancelled
            test "no such end"
              report call
              report cancel
              expect result reported
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let ending = try await Program.control(["test", file, "--applications", try samples(), "--tap"]).ending()
        #expect(ending.status == 1 && ending.output.contains("ok 1 - a message"), "\(ending)")
        #expect(!ending.output.contains("not ok 1") && ending.output.contains("ok 2 - a call"), "\(ending)")
        #expect(!ending.output.contains("not ok 2") && ending.output.contains("not ok 3 - no such end"), "\(ending)")
    }
}
