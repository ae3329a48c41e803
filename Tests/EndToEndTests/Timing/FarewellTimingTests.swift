// FarewellTimingTests: a tool that follows the log gets the daemon's last events, as long as it reads.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import TestPrograms
import Testing

/// A daemon that ends stays for half a second after the last packet that a peer has read: see
/// `MemoryKillTimingTests`.
@Suite(.serialized) struct FarewellTimingTests {
    @Test func aWatcherGetsTheEndOfTheLogHoweverFarBehindItIs() async throws {
        let bundles = try TestBundles.withPuppet()
        let daemon = try await TestDaemon.start(applications: [bundles.path], arguments: ["--timer", "idle=60s"])
        let watcher = try Program.control(["watch", "--since", "0", "--json"], socket: daemon.address.path)
        try await watcher.shows("daemon.started")
        #expect(kill(watcher.pid, SIGSTOP) == 0)
        defer { kill(watcher.pid, SIGCONT) }
        // Each event has a turn of its own: many more packets than the watcher has credit for.
        let host = try await daemon.host("notes")
        for _ in 0..<200 { _ = try await host.begin(puppet, items: [order("count")]).outcome }
        let ending = Task { try await daemon.stop() }
        try await eventually { running(bundles.path).isEmpty }
        // The daemon waits for nothing but the watcher now, which reads the log a few packets at a time.
        #expect(kill(watcher.pid, SIGCONT) == 0)
        let lines = try await watcher.ending().output.split(separator: "\n")
        let events = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        #expect(events.count > 800 && events.map { $0?["seq"] as? Int } == Array(1...events.count))
        #expect(events.last??["event"] as? String == EventName.processExited.rawValue, "\(lines.last ?? "")")
        try await ending.value
    }
}
