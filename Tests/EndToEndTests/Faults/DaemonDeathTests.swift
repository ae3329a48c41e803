// DaemonDeathTests: a daemon that is killed leaves no process of an extension behind.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct DaemonDeathTests {
    @Test(arguments: ["namespace", "guardian"])
    func everythingEndsWithinASecondOfTheDaemonsDeath(means: String) async throws {
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
            // A sanitizer's figures are not the program's.
            #expect(isSanitized || ContinuousClock.now - start < .seconds(1))
            #expect(await request.outcome.cause == .connectionLost)
        }
    }
}
