// ReapedProcess: a child of the tests is collected when it ends, whether somebody asks or not.

import ExtensionHostTesting
import Glibc
import TestPrograms
import Testing

@Suite struct ReapedProcessTests {
    @Test func aProgramThatHasEndedIsNoZombie() async throws {
        let program = try Program.run("/bin/sh", ["-c", "exit 3"], socket: "")
        // A zombie can still be signalled.
        try await eventually { kill(program.pid, 0) != 0 && errno == ESRCH }
        #expect(try await program.ending().status == 3)
    }

    @Test func aDaemonThatWasKilledIsNoZombie() async throws {
        let daemon = try await TestDaemon.start(applications: [])
        let pid = pid_t(daemon.processIdentifier)
        #expect(kill(pid, SIGKILL) == 0)
        try await eventually { kill(pid, 0) != 0 && errno == ESRCH }
        try await daemon.stop()
    }

    @Test func aTerminalWhoseProgramHasEndedShowsNothingMore() async throws {
        let terminal = try Terminal()
        let program = try Program.control(["--version"], terminal: terminal)
        #expect(await terminal.shows("nothing of the kind") == false)
        #expect(try await program.ending().status == 0)
    }
}
