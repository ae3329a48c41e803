// SoakTests: a daemon that has served a hundred thousand requests has grown by nothing.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import Testing

@Suite(.serialized) struct SoakTests {
    /// What a daemon holds.
    private struct Size: CustomStringConvertible {
        let descriptors: Int
        let kilobytes: Int

        init(_ daemon: TestDaemon) throws {
            let folder = "/proc/\(daemon.processIdentifier)"
            descriptors = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count
            let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
            kilobytes = try #require(Int(line.filter(\.isNumber)))
        }

        var description: String { "\(descriptors) descriptors, \(kilobytes) KiB" }
    }

    /// The log's ring holds 16,384 events and is full after some four thousand requests: growth counts from then on.
    @Test(arguments: [false, true]) func nothingGrowsOverManyRequests(withCrashes: Bool) async throws {
        let (warmUp, count) = isLong ? (10_000, withCrashes ? 10_000 : 100_000) : (0, withCrashes ? 50 : 1_000)
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=30s"]) { daemon in
            let host = try await daemon.host("notes")
            @Sendable func serve(one number: Int) async throws {
                // Every tenth takes the process with it, so every tenth finds a new one.
                let crashes = withCrashes && number % 10 == 0
                let request = try await host.begin(puppet, items: [order(crashes ? "crash" : "count")])
                let cause = await request.outcome.cause
                guard cause == (crashes ? .crashed : .completed) else {
                    throw UnexpectedOutcome(outcome: "\(number): \(cause)")
                }
                if crashes { _ = await request.exit }
            }
            /// A few at a time, but where one takes the others' process with it. The last leaves a process to serve.
            func serve(_ count: Int) async throws {
                let width = withCrashes ? 1 : 8
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for first in 0..<width {
                        group.addTask {
                            for number in stride(from: first, to: count, by: width) { try await serve(one: number) }
                        }
                    }
                    try await group.waitForAll()
                }
                try await serve(one: 1)
            }
            try await serve(warmUp)
            // It begins to watch its folders when it serves already.
            try await eventually { try await daemon.control.status().watching == "inotify" }
            try await daemon.control.fence()
            // The daemon's first walk opens folders for a moment.
            var before = try Size(daemon)
            var same = 0
            try await eventually {
                let now = try Size(daemon)
                same = now.descriptors == before.descriptors ? same + 1 : 0
                before = now
                return same > 50
            }
            let start = ContinuousClock.now
            try await serve(count)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            // What is open for a moment only, as a file of /proc is, is no growth: what has grown stays.
            var after = try Size(daemon)
            try? await eventually {
                after = try Size(daemon)
                return after.descriptors == before.descriptors
            }
            #expect(after.descriptors == before.descriptors)
            if isLong, !isSanitized { #expect(after.kilobytes - before.kilobytes < 1024) }
            let rate = Int(Double(count) / seconds)
            StandardStreams.writeError(
                "soak, \(withCrashes ? "every tenth crashes" : "warm"): \(count) requests, \(rate)/s; \(before), then \(after)\n"
            )
        }
    }
}
