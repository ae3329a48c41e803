// PrewarmingStage: a daemon of whose puppet some processes are kept waiting, and what a test asks of them.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

/// The point `point` with so many.
struct PrewarmingStage {
    static let point = "org.exthost.tests.prewarmed"

    let daemon: TestDaemon
    let bundles: TestBundles
    var bundle: String { bundles.path + "/Tests.app/PlugIns/puppet.appex" }

    /// A folder with the point's file; `identifier` for one that is built in.
    static func points(_ count: Int, in bundles: TestBundles, _ identifier: String = point) throws -> [String] {
        let folder = bundles.path + "/points"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try bundles.write(
            ["Identifier": identifier, "Interface": true, "ProcessPolicy": "onePerRequest", "Prewarm": count],
            to: folder + "/point.plist")
        return ["--extension-points", folder]
    }

    static func run<Result>(
        _ count: Int, clock: TestDaemon.ClockKind = .real, bundles: TestBundles? = nil, _ arguments: [String] = [],
        _ body: (PrewarmingStage) async throws -> Result
    ) async throws -> Result {
        let bundles = try bundles ?? TestBundles.withPuppet(point: point)
        let points = try points(count, in: bundles)
        return try await withTestDaemon(applications: [bundles.path], clock: clock, arguments: points + arguments) {
            daemon in
            try await body(PrewarmingStage(daemon: daemon, bundles: bundles))
        }
    }

    /// Has the extension used once, by a process of its own.
    @discardableResult
    func use(_ host: FakeHost, _ act: String = "count") async throws -> Int {
        let request = try await host.begin(puppet, items: [order(act)])
        #expect(await request.outcome.cause == .completed)
        return try #require(request.processIdentifier)
    }

    /// Those that wait, in the order of their hellos.
    func waiting() async throws -> [Int] {
        let pids = Set(try await daemon.control.processes().filter { $0.state == "prewarmed" }.map(\.pid))
        return try await daemon.events().filter { $0.event == "process.ready" }.compactMap(\.pid).filter(pids.contains)
    }

    /// Waits until so many do.
    func waiting(_ count: Int) async throws -> [Int] {
        try await eventually { try await daemon.control.processes().count { $0.state == "prewarmed" } == count }
        return try await waiting()
    }

    func exit(of pid: Int) async throws -> EventRecord {
        try await daemon.event { $0.event == "process.exited" && $0.pid == pid }
    }

    func launches() async throws -> Int { try await daemon.events().count { $0.event == "process.spawned" } }
}
