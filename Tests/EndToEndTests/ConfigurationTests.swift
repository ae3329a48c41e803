// ConfigurationTests: the settings of a running daemon, shown and read again.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import TestPrograms
import Testing

@Suite struct ConfigurationTests {
    @Test func aDaemonReadsItsConfigurationAgainAndWhatBeginsAfterwardsHasIt() async throws {
        let bundles = try TestBundles.withPuppet()
        let path = bundles.path + "/settings.plist"
        try bundles.write(["HostQuota": ["Requests": 1], "Sandbox": "best"], to: path)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--config", path, "--timer", "idle=2s"]) {
            daemon in
            let host = try await daemon.host("notes")
            _ = try await host.begin(puppet, items: [order("hang")])
            let refused = try await host.begin(puppet, items: [order("count")])
            #expect(await refused.outcome.cause == .quota)

            try bundles.write(
                ["HostQuota": ["Requests": 2], "Sandbox": "none", "Timers": ["idle": "9s", "sleep": "1s"]], to: path)
            kill(pid_t(daemon.processIdentifier), SIGHUP)
            try await daemon.event { $0.event == "configuration.reloaded" }
            #expect(await (try await host.begin(puppet, items: [order("count")])).outcome.kind == .completed)

            let ending = try await control(["config", "show"], daemon)
            #expect(ending.status == 1, "\(ending)")
            let lines = ending.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(lines.contains(["HostQuota.Requests", "2", path]), "\(ending)")
            #expect(
                lines.contains(["Timers.idle", "2s", "--timer"]) && lines.contains(["Timers.load", "-", "built", "in"]))
            #expect(lines.contains(["Sandbox", "best", path]), "it holds since the start")
            #expect(ending.errors.contains("\(path): Timers.sleep was ignored: there is no such setting"), "\(ending)")
            #expect(ending.errors.contains("Sandbox was ignored: none takes effect at the next start"), "\(ending)")
            let report = try JSONSerialization.jsonObject(
                with: Data(try await control(["config", "show", "--json"], daemon).output.utf8))
            let document = try #require(report as? [String: Any])
            #expect((document["problems"] as? [[String: Any]])?.count == 2 && document["files"] as? [String] == [path])
        }
    }

    @Test func aFileThatIsGoneIsToldAndTheDaemonServesOn() async throws {
        let bundles = try TestBundles.withPuppet()
        let path = bundles.path + "/settings.plist"
        try bundles.write(["LogLevel": "critical"], to: path)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--config", path]) { daemon in
            unlink(path)
            kill(pid_t(daemon.processIdentifier), SIGHUP)
            try await daemon.event { $0.event == "configuration.reloaded" && $0.detail == "0 files, 1 problems" }
            let ending = try await control(["config"], daemon)
            #expect(
                ending.status == 1 && ending.errors.contains("\(path): the configuration \(path) cannot be read"),
                "\(ending)")
            let host = try await daemon.host("notes")
            #expect(await (try await host.begin(puppet, items: [order("count")])).outcome.kind == .completed)
        }
    }
}
