// SpotlightStage: an index extension whose acts a test writes into its bundle, and the system's Spotlight.

import ExtensionHostTesting
import Foundation
import LinuxSystem
import PointHosts
import SpotlightStore

struct SpotlightStage {
    static let identifier = "org.exthost.tests.index"

    let bundles: TestBundles
    let daemon: TestDaemon
    let host: HostApplication
    let spotlight: SpotlightHost

    /// Runs a body with a daemon, whose clock is virtual, and an index in memory.
    static func with(
        principal: String = "Indexer.Indexer", _ bundles: TestBundles? = nil, clock: TestDaemon.ClockKind = .virtual,
        now: @escaping @Sendable () -> Date = { Date() }, limits: SearchLimits = SearchLimits(),
        _ body: (SpotlightStage) async throws -> Void
    ) async throws {
        let bundles = try bundles ?? TestBundles()
        try add(to: bundles, principal)
        try await withTestDaemon(applications: [bundles.path], clock: clock) { daemon in
            let host = try await daemon.host("spotlight").application
            let spotlight = try SpotlightHost(host, store: nil, limits: limits, clock: now)
            try await spotlight.serve()
            try await body(SpotlightStage(bundles: bundles, daemon: daemon, host: host, spotlight: spotlight))
        }
    }

    static func add(
        to bundles: TestBundles, _ principal: String = "Indexer.Indexer", as name: String = "index"
    ) throws {
        try bundles.add(
            name, program: SampleApplications.buildFolder + "/Indexer", point: SpotlightHost.point,
            principalClass: principal, rule: nil)
    }

    /// Writes what the extension does when it is asked for all items.
    static func write(_ acts: String..., in bundles: TestBundles, for name: String = "index") throws {
        let path = "\(bundles.path)/Tests.app/PlugIns/\(name).appex/acts"
        try Data(acts.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
    }

    /// Writes the acts, and asks for all items.
    @discardableResult func reindex(_ acts: String...) async throws -> SpotlightHost.Report {
        let path = "\(bundles.path)/Tests.app/PlugIns/index.appex/acts"
        try Data(acts.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
        return try await spotlight.reindexAll(Self.identifier)
    }

    /// What the extension has found out, in order.
    func said() async throws -> [String] {
        try await spotlight.items.filter { $0.identifier.hasPrefix("said-") }.reversed().compactMap {
            $0.attributes["title"]?.string
        }
    }

    /// The identifiers of all other items, sorted.
    func identifiers() async throws -> [String] {
        try await spotlight.items.map(\.identifier).filter { !$0.hasPrefix("said-") }.sorted()
    }

    func item(_ identifier: String) async throws -> FoundItem? {
        try await spotlight.items.first { $0.identifier == identifier }
    }
}
