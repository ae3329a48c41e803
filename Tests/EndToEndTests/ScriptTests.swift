// ScriptTests: what the scripts print of themselves and of builds.

import TestPrograms
import Testing

@Suite struct ScriptTests {
    private func script(_ name: String, _ arguments: [String]) async throws -> Program.Ending {
        try await Program.run(SampleApplications.root + "/Scripts/" + name, arguments, socket: "").ending()
    }

    @Test(arguments: ["demo", "docs", "test", "build-lines", "failures", "stacks"])
    func helpIsPrintedAndNothingElseIsDone(name: String) async throws {
        let help = try await script(name, ["--help"])
        #expect(help.status == 0 && help.output.contains(": \(name) "), "\(help)")
    }

    @Test(arguments: ["demo", "docs", "test"]) func anUnknownOptionIsRefused(name: String) async throws {
        let ending = try await script(name, ["--nonsense"])
        #expect(ending.status == 64 && ending.errors.contains("--nonsense"), "\(ending)")
    }

    @Test func aBuildPrintsOneLineOrAllThatItWroteWhenItFails() async throws {
        let built = try await script("build-lines", ["thing", "/bin/sh", "-c", "echo '[1/2] much'"])
        #expect(built.status == 0 && built.output.hasPrefix("built thing in ") && !built.output.contains("much"))
        let failed = try await script("build-lines", ["thing", "/bin/sh", "-c", "echo 'error: this'; exit 3"])
        #expect(failed.status == 3 && failed.output.hasPrefix("error: this\n"), "\(failed)")
    }
}
