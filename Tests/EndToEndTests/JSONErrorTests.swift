// JSONErrorTests: an exit of exthostctl with --json prints a document, whatever went wrong.

import Foundation
import TestPrograms
import Testing

@Suite struct JSONErrorTests {
    private func document(_ arguments: [String], environment: [String: String] = [:]) async throws -> (
        status: Int, name: String, remedy: String?, exit: Int32?
    ) {
        let ending = try await Program.control(arguments, socket: "/nonexistent/host.sock", environment: environment)
            .ending()
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any],
            "\(arguments): \(ending)")
        let error = try #require(object["error"] as? [String: Any])
        #expect(
            Set(error.keys) == ["name", "message", "remedy", "cause"] && (error["message"] as? String)?.isEmpty == false
        )
        #expect(!ending.errors.isEmpty, "people are told, too")
        return (
            try #require(object["status"] as? Int), try #require(error["name"] as? String), error["remedy"] as? String,
            ending.status
        )
    }

    @Test(arguments: [
        ["list"], ["show", "org.example"], ["which", "org.example"], ["match", "--text", "x"],
        ["explain", "org.example", "--text", "x"], ["run", "org.example", "--text", "x"], ["requests"], ["ps"],
        ["kill", "org.example"], ["reset", "org.example"], ["exits"], ["hosts"], ["status"], ["watch"],
        ["logs", "org.example"],
        ["clock", "advance", "1s"], ["fault", "orders"], ["config"], ["stats"], ["elect", "use", "org.example"],
    ])
    func withoutADaemon(_ arguments: [String]) async throws {
        let found = try await document(arguments + ["--json"])
        #expect(found.status == 69 && found.exit == 69 && found.name == "noDaemon" && found.remedy?.isEmpty == false)
        // Before the verb, too.
        #expect(try await document(["--json"] + arguments).status == 69)
    }

    @Test func otherFailures() async throws {
        let usage = try await document(["list", "--nonsense", "--json"])
        #expect(usage.status == 64 && usage.exit == 64 && usage.name == "usage")
        let missing = try await document(["lint", "/nonexistent/Example.app", "--json"])
        #expect(missing.status == 66 && missing.exit == 66 && missing.name == "missing" && missing.remedy != nil)
        let noProgram = try await document(
            ["with", "--json", "--", "true"], environment: ["EXTHOSTD": "/nonexistent/exthostd"])
        #expect(noProgram.status == 69 && noProgram.name == "noDaemon")
    }

    /// Standard output is another program's, which knows nothing of it.
    @Test func notForAnotherProgramsFailure() async throws {
        let ending = try await Program.control(["with", "--json", "--", "false"], socket: "/nonexistent").ending()
        #expect(ending.status == 1 && ending.output.isEmpty, "\(ending)")
    }
}
