// DaemonDeathTimingTests: a daemon that is killed leaves no process of an extension behind.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import Testing

/// See `MemoryKillTimingTests`. The time is printed, and judged by the long tests alone.
@Suite(.serialized) struct DaemonDeathTimingTests {
    private static let bound = Duration.seconds(1)

    @Test(arguments: TreeKillMeans.thorough)
    func everythingEndsWithTheDaemon(means: String) async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.addHostile("surrounds")
        try await withTestDaemon(applications: [bundles.path], arguments: ["--tree-kill", means]) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let idle = try await host.begin(puppet, items: [order("count")])
            #expect(await idle.outcome.kind == .completed)
            let request = try await host.begin("org.exthost.tests.surrounds", items: [.text("x")])
            try await eventually { output.text.split(separator: "\n").count == 3 }
            #expect(running(bundles.path).count >= 4)
            let start = ContinuousClock.now
            #expect(kill(pid_t(daemon.processIdentifier), SIGKILL) == 0)
            try await eventually { running(bundles.path).isEmpty }
            report(ContinuousClock.now - start, "an idle extension and its neighbours, \(means)")
            #expect(await request.outcome.cause == .connectionLost)
        }
    }

    /// Suspended, deaf to the signal to end, and stopped before it had said a word.
    @Test(arguments: TreeKillMeans.thorough + ["session"])
    func theStateThatAnExtensionIsInMakesNoDifference(means: String) async throws {
        let bundles = try TestBundles.withPuppet()
        for act in ["ignoresTerm", "stopsBeforeHello"] { try bundles.addHostile(act) }
        let arguments = ["--tree-kill", means, "--timer", "term=1h", "--timer", "launch=1h"]
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: arguments) { daemon in
            let (away, host) = (try await daemon.host("away"), try await daemon.host("notes"))
            let open = try await away.begin(puppet, items: [order("hang")])
            let stubborn = try await host.begin("org.exthost.tests.ignoresTerm", items: [.text("x")])
            #expect(await stubborn.outcome.kind == .completed)
            try await away.setState(.background)
            try await daemon.clock.advance(by: .seconds(5))
            let launching = try host.application.start("org.exthost.tests.stopsBeforeHello", items: [.text("x")])
            try await eventually {
                let states = try await daemon.control.processes().map {
                    isStopped(pid_t($0.pid)) ? "\($0.state), stopped" : $0.state
                }
                return states.sorted() == ["awaitingHello, stopped", "suspended, stopped", "terminating"]
            }
            let start = ContinuousClock.now
            #expect(kill(pid_t(daemon.processIdentifier), SIGKILL) == 0)
            try await eventually { running(bundles.path).isEmpty }
            report(ContinuousClock.now - start, "suspended, deaf and stopped extensions, \(means)")
            #expect(await open.outcome.cause == .connectionLost)
            #expect(await launching.outcome.cause == .connectionLost)
        }
    }

    private func report(_ time: Duration, _ what: String) {
        StandardStreams.writeError("gone after the daemon's death: \(what): \(time)\n")
        // A sanitizer's figures are not the program's.
        if isLong, !isSanitized { #expect(time < Self.bound) }
    }
}
