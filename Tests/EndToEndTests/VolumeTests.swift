// VolumeTests: many requests, many hosts, and nothing left of them.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

@Suite struct VolumeTests {
    @Test func aThousandRequestsOneAfterTheOtherEndOnceEachAndTheLogIsWhole() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=60s"]) { daemon in
            let host = try await daemon.host("notes")
            for number in 1...1000 {
                let request = try await host.begin(puppet, items: [order("count")])
                #expect(try items(of: await request.outcome).first?.userInfo?["begun"] as? Int == number)
            }
            // More events than a watcher has credit for at once.
            let events = try await daemon.events()
            #expect(events.map(\.sequence) == Array(1...events.count))
            let ends = events.filter { EventName.ends.contains($0.event) }
            #expect(ends.count == 1000)
            #expect(Set(ends.compactMap(\.request)).count == 1000)
            #expect(try await daemon.control.requests().isEmpty)
        }
    }

    @Test func twoHundredHostsAtOnceAreEachServedOnce() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let outcomes = try await withThrowingTaskGroup(of: OutcomeKind.self) { group in
                for number in 1...200 {
                    group.addTask {
                        let host = try await daemon.host("host\(number)")
                        let request = try await host.begin(puppet, items: [order("count")])
                        return await request.outcome.kind
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes == Array(repeating: .completed, count: 200))
        }
    }

    @Test(arguments: Language.allCases) func payloadsFromNothingToMegabytesComeBackEqual(language: Language)
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            for size in [0, 1, 1000, 30_000, 32 * 1024, 32 * 1024 + 1, 70_000, 1 << 20, 9 << 20] {
                let item = order("return")
                let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
                item.userInfo?["data"] = data
                let request = try await host.begin(puppet, items: [item])
                let returned = try items(of: await request.outcome).first?.userInfo?["data"] as? Data
                #expect(returned == data, "\(size) bytes")
            }
        }
    }
}
