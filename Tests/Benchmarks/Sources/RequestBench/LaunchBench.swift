// LaunchBench: a request with a process of its own, from its begin until the process is gone.

import ExtensionHostTesting
import Foundation

struct LaunchBench {
    let program: String
    let rounds: Int

    func run(arguments: [String]) async throws {
        let applications = try BenchApplications(program: program, kind: .cold)
        defer { applications.remove() }
        try await run(applications, arguments) { _ in }
    }

    /// The process is there before the request: it has said hello, and has gone to sleep.
    func runWaiting(arguments: [String]) async throws {
        let applications = try BenchApplications(program: program, kind: .parked)
        defer { applications.remove() }
        try await run(applications, applications.points + arguments) { daemon in
            while try await daemon.control.processes().filter({ $0.state == "prewarmed" }).count
                < BenchApplications.waiting
            {
                try await Task.sleep(for: .milliseconds(1))
            }
            try await Task.sleep(for: .milliseconds(20))  // what it does before it sleeps
        }
    }

    /// - Parameter wait: before each request but the first.
    private func run(
        _ applications: BenchApplications, _ arguments: [String], _ wait: (TestDaemon) async throws -> Void
    ) async throws {
        try await withTestDaemon(applications: [applications.path], arguments: arguments) { daemon in
            let host = try await daemon.host("bench")
            var (results, gone): ([Double], [Double]) = ([], [])
            // What the daemon says of it, from the begin on.
            var steps: [[Double]] = [[], [], [], [], []]
            for round in -3..<rounds {
                if round > -3 { try await wait(daemon) }
                let start = ContinuousClock.now
                let request = try await host.begin(applications.identifiers[0], items: [.kilobyte])
                try await request.answer()
                let answered = ContinuousClock.now - start
                let exited = await request.exit?.timings
                let ended = ContinuousClock.now - start
                guard round >= 0 else { continue }
                results.append(answered.microseconds)
                gone.append(ended.microseconds)
                for (number, time) in [
                    exited?.spawn, exited?.ready, exited?.delivered, exited?.finished, exited?.exited,
                ]
                .enumerated() {
                    if let time { steps[number].append(time * 1e6) }
                }
            }
            printSamples("result", "us", results)
            printSamples("gone", "us", gone)
            for (name, times) in zip(["spawn", "ready", "delivered", "finished", "exited"], steps) where !times.isEmpty
            {
                printSamples("step.\(name)", "us", times)
            }
        }
    }
}
