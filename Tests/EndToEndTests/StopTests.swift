// StopTests: the daemon ends in its own time, whatever timers are set to.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import Testing

@Suite struct StopTests {
    /// An extension that ignores both `terminate` and SIGTERM has a request open. Each timer alone would keep the
    /// daemon for longer than anything is waited for here.
    @Test(arguments: ["expire=1h", "term=1h"])
    func longTimersDoNotKeepADaemonThatIsToldToStop(timer: String) async throws {
        let bundles = try TestBundles()
        try bundles.addHostile("shrugs", interpreter: "/usr/bin/python3")
        let daemon = try await TestDaemon.start(applications: [bundles.path], arguments: ["--timer", timer])
        let host = try await daemon.host("notes")
        let request = try await host.begin("org.exthost.tests.shrugs", items: [.text("x")])
        try await eventually { try await daemon.events().contains { $0.event == EventName.processOutput.rawValue } }
        try await daemon.stop()
        #expect(await request.outcome.cause == .daemonStopping)
        let exit = try #require(await request.exit?.record)
        #expect(exit.cause == .daemonStopping && exit.signal == Int(SIGKILL))
    }

    /// Nobody uses the process any more, and it has been told to end: the timer that runs is one from before the stop.
    @Test(arguments: ["expire=1h", "term=1h"])
    func whatIsOnItsWayOutAlreadyDoesNotKeepItEither(timer: String) async throws {
        let bundles = try TestBundles()
        try bundles.addHostile("ignoresTerm", interpreter: "/usr/bin/python3")
        let arguments = ["--timer", "idle=1ms", "--timer", timer]
        let daemon = try await TestDaemon.start(applications: [bundles.path], arguments: arguments)
        let host = try await daemon.host("notes")
        let request = try await host.begin("org.exthost.tests.ignoresTerm", items: [.text("x")])
        #expect(await request.outcome.kind == .completed)
        try await eventually { try await daemon.control.processes().contains { $0.state == "terminating" } }
        try await daemon.stop()
        let exit = try #require(await request.exit?.record)
        #expect(exit.cause == .idle && exit.signal == Int(SIGKILL))
    }
}
