// ScriptTests: what the scripts print of themselves and of builds.

import Foundation
import Glibc
import LinuxSystem
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

    /// Gdb stops a process to read it. One that is killed while it reads the symbols leaves the process so.
    @Test func aProcessThatAKilledDebuggerLeavesStoppedGoesOn() async throws {
        let folder = try TemporaryDirectory()
        defer { try? folder.remove() }
        let sleeping = try Program.run("/bin/sleep", ["1000"], socket: "")
        let pid = sleeping.pid
        let gdb = "#!/bin/sh\ncase $* in *'-p \(pid)') kill -STOP \(pid); touch $0.was; exit 124 ;; esac\n"
        try gdb.write(toFile: folder.path + "/gdb", atomically: true, encoding: .utf8)
        #expect(chmod(folder.path + "/gdb", 0o755) == 0)
        let ending = try await Program(
            SampleApplications.root + "/Scripts/stacks", ["600"], environment: ["PATH": folder.path + ":/usr/bin:/bin"]
        ).ending()
        #expect(ending.status == 0 && access(folder.path + "/gdb.was", F_OK) == 0, "\(ending)")
        #expect(!isStopped(pid))
        try sleeping.kill()
    }

    @Test func aBuildPrintsOneLineOrAllThatItWroteWhenItFails() async throws {
        let built = try await script("build-lines", ["thing", "/bin/sh", "-c", "echo '[1/2] much'"])
        #expect(built.status == 0 && built.output.hasPrefix("built thing in ") && !built.output.contains("much"))
        let failed = try await script("build-lines", ["thing", "/bin/sh", "-c", "echo 'error: this'; exit 3"])
        #expect(failed.status == 3 && failed.output.hasPrefix("error: this\n"), "\(failed)")
    }
}
