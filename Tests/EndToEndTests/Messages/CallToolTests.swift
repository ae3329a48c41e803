// CallToolTests: `exthostctl run` and scenarios of call directories, with the sample.

import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct CallToolTests {
    private func run(_ arguments: String...) async throws -> Program.Ending {
        let directory = try samples() + "/Samples.app/PlugIns/KnownCallers.appex"
        return try await Program.control(["run", directory, "--ephemeral"] + arguments).ending()
    }

    // spec: CD-6, PC-23
    @Test("CD-6, PC-23: run loads a directory, and looks numbers up") func lookups() async throws {
        let plain = try await run()
        #expect(plain.status == 0, "\(plain)")
        #expect(
            plain.output.hasPrefix("loaded: org.exthost.samples.known-callers, 2 blocked, 2 identified\n"), "\(plain)")
        let found = try await run(
            "--lookup", "+1 555 555 0123", "--lookup", "+15555550199", "--lookup", "+15555550000")
        #expect(found.output.contains("  +1 555 555 0123: blocked\n"), "\(found)")
        #expect(found.output.contains("  +15555550199: “Workshop”\n"), "\(found)")
        #expect(found.output.contains("  +15555550000: no entry\n"), "\(found)")
        let json = try await run("--lookup", "+15555550199", "--json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(document["blocked"] as? Int == 2 && document["error"] is NSNull)
        let number = try #require((document["numbers"] as? [[String: Any]])?.first)
        #expect(number["label"] as? String == "Workshop" && number["isBlocked"] as? Bool == false)
        let wrong = try await run("--lookup", "nobody")
        #expect(wrong.status == 64 && wrong.errors.contains("is no telephone number"), "\(wrong)")
        let share = try await Program.control(
            ["run", try samples() + "/Samples.app/PlugIns/ShareLink.appex", "--ephemeral", "--lookup", "1"]
        ).ending()
        #expect(share.status == 64 && share.errors.contains("--lookup is for extensions of"), "\(share)")
    }

    // spec: CD-6
    @Test("PC-27: a scenario loads a directory, and looks numbers up") func scenarios() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = folder.path + "/directory.scenario"
        let text = """
            extension org.exthost.samples.known-callers
            test "its numbers"
              reload
              expect result loaded
              expect shown blocked = 2
              lookup +15555550123
              expect result blocked
              lookup +15555550199
              expect result identified
              expect shown label = "Workshop"
              lookup +15555550000
              expect result nothing
            test "without a line reload"
              lookup +15555550100
              expect result blocked
            test "another number"
              lookup +15555550100
              expect result identified
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let ending = try await Program.control(["test", file, "--applications", try samples(), "--tap"]).ending()
        #expect(ending.status == 1 && !ending.output.contains("not ok 1"), "\(ending)")
        #expect(ending.output.contains("ok 2 - without a line reload"), "\(ending)")
        #expect(!ending.output.contains("not ok 2") && ending.output.contains("not ok 3"), "\(ending)")
    }
}
