// DeadlineBench: from the moment that a request's time is over until it is ended, and until its process, or its whole
// tree, is reaped.

import ExtensionHostTesting
import Foundation

struct DeadlineBench {
    let program: String
    let rounds: Int
    private let limit = Duration.milliseconds(30)

    func run() async throws {
        var (late, gone): ([Double], [Double]) = ([], [])
        try await withEcho { daemon, host, identifier in
            for _ in 0..<rounds {
                let request = try await host.begin(identifier, items: [.order(["wait": true])], timeout: limit)
                _ = await request.exit
            }
            let events = try await daemon.events()
            for end in events where end.event == "process.exited" {
                let request = events.last { $0.event == "request.timedOut" && $0.sequence < end.sequence }
                guard let request,
                    let delivered = events.first(where: {
                        $0.event == "request.delivered" && $0.request == request.request
                    })
                else { throw BenchFailure(outcome: "events are missing") }
                let due = Double(delivered.time) + limit.microseconds
                late.append(Double(request.time) - due)
                gone.append(Double(end.time) - due)
            }
        }
        printSamples("late", "us", late)
        printSamples("gone", "us", gone)
    }

    /// An operator's kill of an extension that has started so many processes.
    func tree(of children: Int) async throws {
        var gone: [Double] = []
        try await withEcho { daemon, host, identifier in
            for _ in 0..<rounds {
                let request = try await host.begin(identifier, items: [.order(["children": children])])
                try await Task.sleep(for: .milliseconds(30))  // they are all there
                let start = ContinuousClock.now
                _ = try await daemon.control.kill(.identifier(identifier))
                _ = await request.exit
                gone.append((ContinuousClock.now - start).microseconds)
            }
        }
        printSamples("gone", "us", gone)
    }

    private func withEcho(_ body: (TestDaemon, FakeHost, String) async throws -> Void) async throws {
        let applications = try BenchApplications(program: program, kind: .cold)
        defer { applications.remove() }
        try await withTestDaemon(applications: [applications.path]) { daemon in
            try await body(daemon, try await daemon.host("bench"), applications.identifiers[0])
        }
    }
}
