// BusReturnTests: a message bus that comes late, or goes and comes back.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@Suite(.timeLimit(.minutes(2))) struct BusReturnTests {
    /// A dbus-daemon at an address of the test's choice. It serves once this is made.
    private struct SessionBus {
        private let process: Program

        init(at address: String) async throws {
            process = try Program(
                "/usr/bin/dbus-daemon",
                [
                    "--session", "--nofork", "--nopidfile", "--nosyslog", "--print-address=1", "--address=\(address)",
                ])
            try await process.shows("unix:")
        }

        func end() async throws {
            try process.kill()
            _ = try await process.ending()
        }
    }

    /// The daemon stands still until somebody listens: what it announces as it joins is not missed.
    @Test func aBusThatComesLateOrComesBackIsJoinedAndHearsTheStatesAgain() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-bus")
        defer { try? folder.remove() }
        let address = "unix:path=\(folder.path)/bus"
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--bus", address]) { daemon in
            let host = try await daemon.host("notes")
            try await host.setState(.background)
            let pid = pid_t(try await daemon.control.status().pid)
            for round in 1...2 {
                try await eventually { try await Self.count(.busLost, daemon) == round }
                #expect(try await daemon.control.status().bus == nil)
                #expect(kill(pid, SIGSTOP) == 0)
                try await eventually { isStopped(pid) }
                let bus = try await SessionBus(at: address)
                let listener = try await BusListener.start(address)
                #expect(kill(pid, SIGCONT) == 0)
                let signal = try #require(try await listener.signals(1).first)
                #expect(signal.member == "HostDidEnterBackground" && signal.host == "notes")
                #expect(
                    try await listener.call("ListHosts").contains(
                        "\"notes\" \(getuid()) \"background\" \(signal.sequence)"))
                let level = try await listener.busctl(
                    "get-property", "org.exthost.ExtensionHost1", "/org/freedesktop/LogControl1",
                    "org.freedesktop.LogControl1", "LogLevel")
                #expect(level == "s \"err\"\n")
                #expect(try await Self.count(.busJoined, daemon) == round)
                try await bus.end()
            }
            withExtendedLifetime(host) {}
        }
    }

    private static func count(_ event: EventName, _ daemon: TestDaemon) async throws -> Int {
        try await daemon.events().filter { $0.event == event.rawValue }.count
    }
}
