// QuiescenceTests: what sleeps rests, what runs does not, and what has run in between is found out.

import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct QuiescenceTests {
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
    private func rests(_ pid: Int32) async throws -> Quiescence {
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            if let first = Quiescence(below: pid), Quiescence(below: pid) == first { return first }
            usleep(1000)
        }
        throw CancellationError()
    }

    @Test func whatWaitsRestsWithAllThatItHasStarted() async throws {
        try await withShell("sleep 1000 | sleep 1000; true") { pid in
            let first = try await rests(pid)
            #expect(Quiescence(below: pid) == first)
        }
    }

    @Test func whatRunsDoesNot() async throws {
        try await withShell("while :; do :; done") { pid in
            for _ in 0..<100 { #expect(Quiescence(below: pid) == nil) }
        }
    }

    @Test func whatHasRunBetweenTwoLooksIsFoundOut() async throws {
        try await withShell("trap : USR1; sleep 1000 & while :; do wait; done") { pid in
            let first = try await rests(pid)
            kill(pid, SIGUSR1)
            #expect(try await rests(pid) != first)
        }
    }

    /// Each for itself: together they have run for longer than any of them.
    @Test func whatEachThreadOfATreeRanIsCounted() async throws {
        try await withShell("for i in 1 2 3; do (while :; do :; done) & done; wait") { pid in
            let end = ContinuousClock.now + .seconds(60)
            var busy: [Int32: UInt64] = [:]
            while busy.count < 3, ContinuousClock.now < end {
                busy = ProcessorTime.spent(below: pid).filter { $0.key > 0 && $0.key != pid && $0.value > 50_000_000 }
                usleep(10_000)
            }
            #expect(busy.count == 3, "\(busy)")
            #expect(ProcessorTime.spent(below: pid)[pid].map { $0 < 1_000_000_000 } == true)
        }
    }

    @Test func whatChildrenRanIsTheirParentsOnceTheyAreWaitedFor() async throws {
        try await withShell("(i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done); kill -STOP $$; :") { (pid) throws in
            let end = ContinuousClock.now + .seconds(60)
            while ProcessorTime.spent(below: pid)[-pid] ?? 0 == 0, ContinuousClock.now < end {
                usleep(10_000)
            }
            #expect(try #require(ProcessorTime.spent(below: pid)[-pid]) > 0)
            #expect(ProcessorTime.waited(by: pid).keys.sorted() == [pid])
        }
    }
}
