// NotificationBench: a host's change of state, until the first and the last of its extensions has it; and what another
// host waits meanwhile.

import ExtensionHostTesting
import Foundation

struct NotificationBench {
    let program: String
    let extensions: Int
    let rounds: Int

    func run() async throws {
        let applications = try BenchApplications(program: program, kind: .warm, count: extensions + 1)
        defer { applications.remove() }
        try await withTestDaemon(
            applications: [applications.path], arguments: ["--config", applications.configuration]
        ) {
            daemon in
            let (host, other) = (try await daemon.host("bench"), try await daemon.host("other"))
            let aside = applications.identifiers[extensions]
            var (first, last, waits, alone): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
            for round in -1..<rounds {
                var requests: [ExtensionRequest] = []
                for identifier in applications.identifiers.prefix(extensions) {
                    requests.append(try await host.begin(identifier, items: [.order(["notice": true])]))
                }
                let quiet = try await Self.time { try await other.begin(aside, items: [.kilobyte]).answer() }
                let begun = Self.now()
                async let announced: Void = host.setState(.inactive)
                let waited = try await Self.time { try await other.begin(aside, items: [.kilobyte]).answer() }
                try await announced
                // The next comes after it, for each.
                try await Task.sleep(for: .milliseconds(20 + extensions / 10))
                try await host.setState(.active)
                var times: [Double] = []
                for request in requests {
                    guard let received = try await request.answer().first?.userInfo?["received"] as? Int64, received > 0
                    else {
                        throw BenchFailure(outcome: "no notification")
                    }
                    times.append(Double(UInt64(received) - begun) / 1e3)
                }
                guard round >= 0 else { continue }
                first.append(times.min() ?? 0)
                last.append(times.max() ?? 0)
                waits.append(waited)
                alone.append(quiet)
            }
            printSamples("first", "us", first)
            printSamples("last", "us", last)
            printSamples("meanwhile", "us", waits)
            printSamples("alone", "us", alone)
        }
    }

    private static func time(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start).microseconds
    }

    /// As extensions see it.
    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
