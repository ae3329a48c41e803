// CredentialToolTests: `exthostctl run` and scenarios of credential providers, with the sample.

import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct CredentialToolTests {
    private func run(_ arguments: String...) async throws -> Program.Ending {
        let provider = try samples() + "/KeyRingApp.app/PlugIns/KeyRing.appex"
        return try await Program.control(["run", provider, "--ephemeral"] + arguments).ending()
    }

    private func json(_ ending: Program.Ending) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any])
    }

    // spec: CP-5, PC-23
    @Test("CP-5, PC-23: run prints the user, and the password only with --reveal") func passwords() async throws {
        let plain = try await run("--service", "https://example.org", "--identity", "ada")
        #expect(plain.status == 0, "\(plain)")
        #expect(plain.output.hasPrefix("provided: org.exthost.samples.key-ring.provider"), "\(plain)")
        #expect(plain.output.contains("user      ada\n") && !plain.output.contains("correct horse"), "\(plain)")
        let revealed = try await run("--service", "https://example.org", "--identity", "ada", "--reveal")
        #expect(revealed.output.contains("password  correct horse\n"), "\(revealed)")
        let bare = try await run("--service", "example.org", "--identity", "ada", "--json")
        var document = try json(bare)
        #expect(document["user"] as? String == "ada" && document["password"] == nil)
        #expect(!bare.output.contains("correct horse") && document["interactive"] as? Bool == false)
        document = try json(try await run("--identity", "ada", "--json", "--reveal"))
        #expect(document["password"] as? String == "correct horse")
        let unknown = try await run("--identity", "nobody")
        #expect(unknown.status == 10, "\(unknown)")
        #expect(unknown.output.contains("credentialIdentityNotFound (101)"), "\(unknown)")
    }

    // spec: CP-5
    @Test("CP-5: a person chooses from the list, and unlocks a key") func views() async throws {
        let listed = try await run("--service", "https://www.example.org/login", "--tap", "ada", "--reveal")
        #expect(listed.status == 0 && listed.output.contains("password  correct horse\n"), "\(listed)")
        let locked = try await run(
            "--identity", "grace", "--act", "text open sesame", "--tap", "Unlock", "--reveal")
        #expect(locked.status == 0 && locked.output.contains("password  battery staple\n"), "\(locked)")
        #expect(locked.output.contains("first without a view: it needed the person"), "\(locked)")
        let cancelled = try await run("--tap", "Cancel")
        #expect(cancelled.output.contains("userCanceled (1)") && cancelled.status == 10, "\(cancelled)")
        let configured = try await run("--configure", "--tap", "Offer all keys")
        #expect(configured.status == 0 && configured.output.hasPrefix("completed: "), "\(configured)")
        #expect(configured.output.contains("offered: alan at example.com, ada at example.org"), "\(configured)")
        let wrong = try await run("--configure", "--service", "example.org")
        #expect(wrong.status == 64, "\(wrong)")
        let share = try await Program.control(
            ["run", try samples() + "/Samples.app/PlugIns/ShareLink.appex", "--ephemeral", "--reveal"]
        ).ending()
        #expect(share.status == 64 && share.errors.contains("--reveal is for extensions of"), "\(share)")
    }

    // spec: CP-5
    @Test("PC-27: a scenario asks for a credential") func scenarios() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = folder.path + "/ring.scenario"
        let text = """
            extension org.exthost.samples.key-ring.provider
            test "a key that is open"
              credential https://example.org identity ada
              expect result provided
              expect shown user = "ada"
              expect shown interactive = false
            test "a key that is locked"
              credential https://example.org identity grace
              view text open sesame
              view tap Unlock
              expect result provided
              expect shown again = true
            test "the list"
              credential example.com
              view tap Cancel
              expect result cancelled
              expect shown code = 1
            test "the configuration offers the keys"
              credential configure
              view tap Offer all keys
              expect result completed
            test "another user"
              credential https://example.org identity ada
              expect shown user = "grace"
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let ending = try await Program.control(["test", file, "--applications", try samples(), "--tap"]).ending()
        #expect(ending.status == 1, "\(ending)")
        for number in 1...4 { #expect(!ending.output.contains("not ok \(number) "), "\(ending)") }
        #expect(ending.output.contains("not ok 5 "), "\(ending)")
        #expect(!(ending.output + ending.errors).contains("correct horse"))
    }
}
