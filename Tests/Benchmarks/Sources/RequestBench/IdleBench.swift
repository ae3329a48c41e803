// IdleBench: many extensions that wait: what each takes, and what the daemon takes and does meanwhile.

import ExtensionHostTesting
import Foundation

struct IdleBench {
    let program: String
    let extensions: Int
    let seconds: Int

    func run() async throws {
        let applications = try BenchApplications(program: program, kind: .warm, count: extensions)
        defer { applications.remove() }
        try await withTestDaemon(
            applications: [applications.path], arguments: ["--config", applications.configuration]
        ) {
            daemon in
            let host = try await daemon.host("bench")
            let pid = daemon.processIdentifier
            let empty = figure("VmRSS", "/proc/\(pid)/status")
            var pids: [Int] = []
            for identifier in applications.identifiers {
                let request = try await host.begin(identifier, items: [.kilobyte])
                try await request.answer()
                if let pid = await request.processIdentifier { pids.append(pid) }
            }
            try await Task.sleep(for: .milliseconds(500))  // whatever follows the last answer
            let sample = stride(from: 0, to: pids.count, by: max(1, pids.count / 20)).map { pids[$0] }
            printSamples("uss", "KB", sample.map { Double(figure("Private_", "/proc/\($0)/smaps_rollup")) })
            printSamples("rss", "KB", sample.map { Double(figure("Rss", "/proc/\($0)/smaps_rollup")) })
            printSamples("daemonEmpty", "KB", [Double(empty)])
            printSamples("daemon", "KB", [Double(figure("VmRSS", "/proc/\(pid)/status"))])
            guard seconds > 0 else { return }
            let before = Self.switches(of: pid)
            try await Task.sleep(for: .seconds(seconds))
            printSamples("wakeups", "count", [Double(Self.switches(of: pid) - before)])
        }
    }

    /// How often its threads have gone to sleep.
    private static func switches(of pid: Int) -> Int {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        return threads.reduce(0) { $0 + figure("voluntary_ctxt_switches", "/proc/\(pid)/task/\($1)/status") }
    }
}
