// MemoryLimitTests: extensions that hold more memory than they may are killed, and everybody learns why.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import Locks
import TestPrograms
import Testing

@Suite struct MemoryLimitTests {
    private static let limit = 64 << 20

    private func options(_ backEnd: String, _ more: [String] = []) -> [String] {
        ["--limits-by", backEnd, "--limit", "memory=64MiB"] + more
    }

    // spec: G2, P-531, P-533, P-536
    @Test(arguments: LimitBackEnds.all)
    func theKillNamesLimitPeakRequestAndLoad(_ backEnd: String) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: options(backEnd)) { daemon in
            let host = try await daemon.host("notes")
            let held = HeldLoad()
            let request = try await host.begin(
                puppet, items: [order("fillWhileLoading", "200", attachments: [held.provider])])
            await held.asked.wait()
            held.work.completedUnitCount = 1
            // What its host learns.
            let outcome = await request.outcome
            #expect(outcome.kind == .interrupted && outcome.cause == .memoryLimit)
            let why = try #require(await request.explanation)
            #expect(
                why.message.contains("67108864 bytes") && why.message.contains(request.identifier.description), "\(why)"
            )
            #expect(why.message.contains("loading attachment 1 as public.data") && why.remedy != nil, "\(why)")
            let exit = try #require(await request.exit?.record)
            let reached = try #require(exit.reached)
            #expect(exit.cause == .memoryLimit && exit.signal == 9 && exit.memoryLimit == Self.limit)
            #expect(reached.name == "memory" && reached.limit == Self.limit && reached.used >= Self.limit)
            #expect(try #require(exit.peakMemory) >= reached.used)
            // The log: first the limit, then the host's answer and the kill.
            let events = try await daemon.events().filter { $0.pid == request.processIdentifier }
            func place(_ name: EventName) throws -> Int {
                try #require(events.firstIndex { $0.event == name.rawValue })
            }
            #expect(try place(.limitReached) < place(.requestInterrupted))
            #expect(try place(.limitReached) < place(.processSignalled))
            let line = events[try place(.limitReached)]
            #expect(line.cause == .memoryLimit && line.request == request.identifier && line.host == "notes")
            #expect(line.detail?.contains("loading attachment 1 as public.data") == true, "\(line)")
            #expect(events[try place(.processExited)].detail?.contains("of \(Self.limit)") == true)
            // The certificate, as scripts read it.
            let death = try #require(
                try JSONSerialization.jsonObject(
                    with: Data(try await control(["exits", "--json"], daemon).output.utf8))
                    as? [[String: Any]]
            ).first
            #expect(death?["cause"] as? String == "memoryLimit" && death?["decidedBy"] as? String == "daemon")
            #expect(death?["limit"] as? Int == Self.limit && (death?["peakMemory"] as? Int ?? 0) >= Self.limit)
            #expect(death?["requests"] as? [String] == [request.identifier.description])
            let load = (death?["loads"] as? [[String: Any]])?.first
            #expect(load?["attachment"] as? Int == 1 && load?["type"] as? String == "public.data")
            let table = try await control(["exits"], daemon).output
            #expect(
                table.contains("memoryLimit") && table.contains("64.0 MiB") && table.contains("1 as public.data"),
                "\(table)")
            #expect(try await daemon.control.status().limits.hasPrefix("memory:\(backEnd),"))
            held.release()
        }
    }

    // spec: P-535
    @Test(arguments: LimitBackEnds.all)
    func aProcessThatWasSuspendedIsLimitedAgainWhenItGoesOn(_ backEnd: String) async throws {
        let bundles = try TestBundles.withPuppet()
        let arguments = options(backEnd, ["--timer", "suspend=10ms"])
        try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
            let host = try await daemon.host("notes")
            let first = try await host.begin(puppet, items: [order("hang")])
            try await host.setState(.background)
            try await daemon.event { $0.event == EventName.processSuspended.rawValue }
            try await host.setState(.active)
            try await daemon.event { $0.event == EventName.processResumed.rawValue }
            let second = try await host.begin(puppet, items: [order("fill", "160")])
            #expect(second.processIdentifier == first.processIdentifier)
            #expect(await second.outcome.cause == .memoryLimit)
            #expect(await first.outcome.cause == .memoryLimit)
        }
    }

    // spec: P-531
    @Test(arguments: LimitBackEnds.all)
    func whatItsChildrenHoldCounts(_ backEnd: String) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: options(backEnd)) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("fillInChildren", "160")])
            #expect(await request.outcome.cause == .memoryLimit)
            #expect(await request.exit?.record.reached?.name == "memory")
        }
    }

    @Test func whatForksShareCountsOnce() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(
            applications: [bundles.path], arguments: options("poll", ["--limit", "memory=128MiB"])
        ) {
            daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("forkSharing", "24")])
            #expect(await request.outcome.cause == .completed)
            #expect(try await daemon.events().allSatisfy { $0.event != "limit.reached" })
        }
    }

    /// What happens between two looks is seen when the request has ended.
    @Test(arguments: LimitBackEnds.all)
    func aShortRequestIsLookedAtOnceMoreAtItsEnd(_ backEnd: String) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: options(backEnd)) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("fillAtOnce", "150")])
            #expect(await request.exit?.record.cause == .memoryLimit)
            let told = try await daemon.event { $0.event == "limit.reached" }
            #expect(told.cause == .memoryLimit)
        }
    }

    @Test(arguments: ["namespace", "guardian", "session"])
    func aTreeThatWaitsForMemoryCanBeKilledHoweverItIsEnclosed(_ means: String) async throws {
        let bundles = try TestBundles.withPuppet()
        let backEnd = LimitBackEnds.all.last ?? "poll"
        try await withTestDaemon(applications: [bundles.path], arguments: options(backEnd, ["--tree-kill", means])) {
            daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("fill", "400")])
            #expect(await request.outcome.cause == .memoryLimit)
            #expect(await request.exit?.record.cause == .memoryLimit)
        }
    }

    @Test func anExtensionBelowItsLimitIsLeftAlone() async throws {
        let bundles = try TestBundles.withPuppet()
        for backEnd in LimitBackEnds.all {
            let arguments = ["--limits-by", backEnd, "--limit", "memory=256MiB", "--timer", "idle=1h"]
            try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
                let host = try await daemon.host("notes")
                let first = try await host.begin(puppet, items: [order("fill", "100")])
                #expect(await first.outcome.cause == .completed)
                let second = try await host.begin(puppet, items: [order("count")])
                #expect(await second.outcome.cause == .completed)
                #expect(first.processIdentifier == second.processIdentifier)
                #expect(try await daemon.events().allSatisfy { $0.event != "limit.reached" })
            }
        }
    }

    @Test func anIdleExtensionIsNotLookedAtAndABusyOneIs() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(
            applications: [bundles.path],
            arguments: options("poll", ["--limit", "memory=512MiB", "--timer", "idle=1h"])
        ) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("count")])
            #expect(await request.outcome.cause == .completed)
            let pid = request.processIdentifier
            try await eventually { LimitBackEnds.wakeUps(of: daemon.processIdentifier) != nil }
            try await eventually { try await daemon.control.processes().map(\.state) == ["idle"] }
            // The last look comes with the end of the request, and may be late; one that looks on does so fifty times a
            // second.
            var resting = -1
            var rested = false
            for _ in 0..<20 where !rested {
                resting = try #require(LimitBackEnds.wakeUps(of: daemon.processIdentifier))
                try await Task.sleep(for: .seconds(1))  // what is measured: nothing happens in it
                rested = LimitBackEnds.wakeUps(of: daemon.processIdentifier) == resting
            }
            #expect(rested)
            #expect(try await daemon.control.processes().map(\.pid) == [pid].compactMap { $0 })
            _ = try await host.begin(puppet, items: [order("hang")])
            try await eventually { (LimitBackEnds.wakeUps(of: daemon.processIdentifier) ?? 0) > resting + 10 }
        }
    }

    @Test func withoutALimitNothingIsProbedOrLookedAt() async throws {
        let bundles = try TestBundles.withPuppet()
        let off = ["memory", "tasks", "descriptors", "output"].flatMap { ["--limit", "\($0)=off"] }
        try await withTestDaemon(applications: [bundles.path], arguments: off) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            #expect(try await daemon.control.status().limits == "none")
            #expect(LimitBackEnds.wakeUps(of: daemon.processIdentifier) == nil)
            #expect(LimitBackEnds.folders(of: daemon.processIdentifier) == [])
            try await request.cancel()
            #expect(await request.exit?.record.memoryLimit == nil)
        }
    }
}
