// FilterStage: the providers of a filter, and the system that asks them.

import ExtensionHostTesting
import Foundation
import Locks
import PointHosts
import PointMessages

/// A filter whose providers do what the name of a flow's host says (`Filterer`).
struct FilterStage {
    static let (data, control) = ("org.exthost.tests.data", "org.exthost.tests.control")
    static let group = "group.org.exthost.tests.filter"

    let daemon: TestDaemon
    let filter: FilterHost
    let notes: Notes

    /// What the filter's host hears.
    final class Notes: Sendable {
        private let state = Mutex<(said: [String], decisions: [FlowDecision])>(([], []))
        @Sendable func say(_ text: String) -> Bool {
            state.withLock { $0.said.append(text) }
            return true
        }
        @Sendable func note(_ decision: FlowDecision) { state.withLock { $0.decisions.append(decision) } }
        var said: [String] { state.withLock { $0.said } }
        var decisions: [FlowDecision] { state.withLock { $0.decisions } }
    }

    static func bundles(entitlement: String = "content-filter-provider") throws -> TestBundles {
        let bundles = try TestBundles()
        try bundles.write(
            ["com.apple.security.application-groups": [group]], to: bundles.path + "/Tests.app/Entitlements.plist")
        for (name, point, principal) in [
            ("data", FilterHost.point, "Filterer.Filterer"), ("control", FilterHost.controlPoint, "Filterer.Rules"),
        ] {
            try bundles.add(
                name, program: SampleApplications.buildFolder + "/Filterer", point: point, principalClass: principal,
                rule: nil)
            try bundles.write(
                [
                    "com.apple.developer.networking.networkextension": [entitlement],
                    "com.apple.security.application-groups": [group],
                    "com.apple.security.network.client": true,
                ], to: "\(bundles.path)/Tests.app/PlugIns/\(name).appex/Entitlements.plist")
        }
        return bundles
    }

    /// Runs a body with a started filter.
    static func with(
        _ settings: FilterHost.Settings = FilterHost.Settings(), control: String? = FilterStage.control,
        clock: TestDaemon.ClockKind = .virtual, starts: Bool = true, _ body: (FilterStage) async throws -> Void
    ) async throws {
        let bundles = try bundles()
        let notes = Notes()
        var settings = settings
        settings.showsMessage = notes.say
        try await withTestDaemon(applications: [bundles.path], clock: clock) { daemon in
            let host = try await daemon.host("filter").application
            let filter = FilterHost(host, data: data, control: control, settings: settings, observer: notes.note)
            if starts { try await filter.start() }
            try await body(FilterStage(daemon: daemon, filter: filter, notes: notes))
            await filter.stop()
        }
    }

    func open(_ host: String, path: String = "/") async throws -> FilteredFlow {
        var flow = NetworkFlow(0, identifier: "", .browser)
        flow.url = "http://\(host)\(path)"
        flow.remote = FlowEndpoint(host, 80)
        return try await filter.open(flow)
    }

    /// The text that the flow lets pass.
    func pass(_ text: String, _ flow: FilteredFlow, _ direction: FilteredFlow.Direction = .inbound) async throws
        -> String
    {
        String(decoding: try await flow.pass(Array(text.utf8), direction), as: UTF8.self)
    }
}
