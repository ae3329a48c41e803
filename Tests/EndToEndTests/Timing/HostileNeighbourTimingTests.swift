// HostileNeighbourTimingTests: what many hosts notice of one that takes all it can get.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import Locks
import TestPrograms
import Testing

@Suite(.serialized, .disabled(if: isSanitized, "a sanitizer's figures are not the program's"))
struct HostileNeighbourTimingTests {
    /// Hosts, the hostile one among them.
    private static let hosts = isLong ? 256 : 32
    private static let phase = isLong ? Duration.seconds(20) : .milliseconds(1500)
    /// Requests that the others have open at a time.
    private static let width = 4
    /// Of the others' latency with and without it, for the slowest in a hundred and for the middle. Judged in the long
    /// form only: in the short one a hundredth is too few, and it shows that all are served.
    private static let bounds = (slowest: 2.0, middle: 5.0)

    @Test func aHostAtItsQuotaLeavesTheOthersTheirLatency() async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.add(
            "hog", script: try TestBundles.source("Tests/Fixtures/Python/puppet.py"),
            beside: ["exthost.py": try TestBundles.source("Sources/Samples/Python/exthost.py")])
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=60s"]) { daemon in
            var others: [FakeHost] = []
            for number in 1..<Self.hosts { others.append(try await daemon.host("other-\(number)")) }
            // A process that serves, and every host known to it.
            for host in others { #expect(try await latency(of: host) > 0) }
            var (quiet, loud): ([Double], [Double]) = ([], [])
            var served = 0
            for _ in 0..<2 {
                quiet += try await latencies(of: others)
                let hog = try Program.run(
                    "/usr/bin/python3",
                    ["-B", HostilePeer.folder + "/hog.py", SampleApplications.root + "/Sources/Samples/Python"],
                    socket: daemon.address.path)
                try await hog.shows("at its quota")
                loud += try await latencies(of: others)
                try hog.interrupt()
                let told = try await hog.ending()
                served += try #require(
                    Int(told.output.split(separator: " ").last?.trimmingCharacters(in: .newlines) ?? ""))
            }
            let (before, after) = (Spread(quiet), Spread(loud))
            StandardStreams.writeError(
                """
                \(Self.hosts - 1) hosts without a hostile one: \(before)
                \(Self.hosts - 1) hosts beside a hostile one, which ended \(served) requests: \(after)

                """)
            #expect(served > 0)
            if isLong {
                #expect(after.p99 <= before.p99 * Self.bounds.slowest && after.p50 <= before.p50 * Self.bounds.middle)
            }
            try await daemon.control.fence()
        }
    }

    private func latency(of host: FakeHost) async throws -> Double {
        let start = ContinuousClock.now
        let request = try await host.begin(puppet, items: [order("count")])
        let cause = await request.outcome.cause
        guard cause == .completed else { throw UnexpectedOutcome(outcome: "\(cause)") }
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// One host after the other, a few at a time, for the length of a phase.
    private func latencies(of hosts: [FakeHost]) async throws -> [Double] {
        let end = ContinuousClock.now + Self.phase
        return try await withThrowingTaskGroup(of: [Double].self) { group in
            for first in 0..<Self.width {
                group.addTask {
                    var found: [Double] = []
                    var next = first
                    while ContinuousClock.now < end {
                        found.append(try await latency(of: hosts[next]))
                        next = (next + Self.width) % hosts.count
                    }
                    return found
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}
