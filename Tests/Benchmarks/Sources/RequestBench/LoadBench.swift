// LoadBench: requests to processes that run, one at a time from each of so many hosts, each with an extension of its
// own.

import ExtensionHostTesting
import Foundation

struct LoadBench {
    let program: String
    let hosts: Int
    /// Of all hosts.
    let requests: Int

    func run() async throws {
        let applications = try BenchApplications(program: program, kind: .warm, count: hosts)
        defer { applications.remove() }
        try await withTestDaemon(
            applications: [applications.path], arguments: ["--config", applications.configuration]
        ) {
            daemon in
            var connected: [FakeHost] = []
            for number in 0..<hosts {
                connected.append(try await daemon.host("bench\(number)"))
                try await connected[number].begin(applications.identifiers[number], items: [.kilobyte]).answer()
            }
            let pairs = Array(zip(connected, applications.identifiers))
            _ = try await Self.drive(pairs, until: .now + .milliseconds(hosts == 1 ? 50 : 200), most: requests)
            let start = ContinuousClock.now
            // So long that all of them have their share, whatever one takes: the clock ends it, not the count.
            let times = try await Self.drive(pairs, until: start + .seconds(Double(requests) / 5000), most: requests)
            let taken = (ContinuousClock.now - start).microseconds / 1e6
            let all = times.flatMap { $0 }
            printSamples("request", "us", all)
            printSamples("rate", "1/s", [Double(all.count) / taken])
            printSamples(
                "fewest", "share", [Double((times.map(\.count).min() ?? 0) * hosts) / Double(max(1, all.count))])
        }
    }

    /// How long each request of each host took.
    private static func drive(_ pairs: [(FakeHost, String)], until end: ContinuousClock.Instant, most: Int) async throws
        -> [[Double]]
    {
        try await withThrowingTaskGroup(of: [Double].self) { group in
            for (host, identifier) in pairs {
                group.addTask {
                    var times: [Double] = []
                    var now = ContinuousClock.now
                    while now < end, times.count < most {
                        try await host.application.start(identifier, items: [.kilobyte], reportsDelivery: false)
                            .answer()
                        let after = ContinuousClock.now
                        times.append((after - now).microseconds)
                        now = after
                    }
                    return times
                }
            }
            var all: [[Double]] = []
            for try await times in group { all.append(times) }
            return all
        }
    }
}
