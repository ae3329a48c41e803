// TreeRestTests: what sleeps rests, what runs does not, and what has run in between is found out.

import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct TreeRestTests {
    private func withShell(_ script: String, _ body: (Int32) async throws -> Void) async throws {
        var attributes = SpawnAttributes(
            executable: "/bin/sh", arguments: ["-c", script], environment: ["PATH=/usr/bin:/bin"])
        // The parent-death signal would follow the thread.
        attributes.onDaemonExit = .keep
        let shell = try spawn(attributes)
        defer {
            _ = try? shell.signalTree(SIGKILL)
            while (try? shell.reap()) == .some(nil) { sched_yield() }
        }
        try await body(shell.pid)
    }

    /// Two looks that are the same, in the end.
    private func rests(_ pid: Int32) async throws -> TreeRest {
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            if let first = TreeRest(below: pid), TreeRest(below: pid) == first { return first }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw CancellationError()
    }

    @Test func whatWaitsRestsWithAllThatItHasStarted() async throws {
        try await withShell("sleep 1000 | sleep 1000; true") { pid in
            let first = try await rests(pid)
            #expect(TreeRest(below: pid) == first)
        }
    }

    @Test func whatRunsDoesNot() async throws {
        try await withShell("while :; do :; done") { pid in
            for _ in 0..<100 { #expect(TreeRest(below: pid) == nil) }
        }
    }

    @Test func whatHasRunBetweenTwoLooksIsFoundOut() async throws {
        try await withShell("trap : USR1; sleep 1000 & while :; do wait; done") { pid in
            let first = try await rests(pid)
            kill(pid, SIGUSR1)
            #expect(try await rests(pid) != first)
        }
    }
}
