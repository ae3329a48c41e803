// ProxyStage: the provider of a proxy, and the system that offers it flows.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import Locks
import PointHosts
import PointMessages

/// A proxy whose provider does what the name of a flow's host says (`Proxier`).
struct ProxyStage {
    static let app = "org.exthost.tests.proxy"
    static let names = "org.exthost.tests.names"

    let host: HostApplication
    let proxy: ProxyHost
    let notes: Notes

    /// The events that the proxy's host gets.
    final class Notes: Sendable {
        private let state = Mutex<(said: [String], events: [ProxyEvent], ends: [NetworkFailure?])>(([], [], []))
        @Sendable func say(_ text: String) -> Bool {
            state.withLock { $0.said.append(text) }
            return true
        }
        @Sendable func note(_ event: ProxyEvent) { state.withLock { $0.events.append(event) } }
        @Sendable func cancelled(_ failure: NetworkFailure?) { state.withLock { $0.ends.append(failure) } }
        var said: [String] { state.withLock { $0.said } }
        var events: [ProxyEvent] { state.withLock { $0.events } }
        var ends: [NetworkFailure?] { state.withLock { $0.ends } }
    }

    static func bundles(entitlements: [String] = ["app-proxy-provider", "dns-proxy"]) throws -> TestBundles {
        let bundles = try TestBundles()
        for (name, point, principal) in [
            ("proxy", ProxyHost.point, "Proxier.Proxier"), ("names", ProxyHost.dnsPoint, "Proxier.Namer"),
        ] {
            try bundles.add(
                name, program: SampleApplications.buildFolder + "/Proxier", point: point, principalClass: principal,
                rule: nil)
            try bundles.write(
                ["com.apple.developer.networking.networkextension": entitlements],
                to: "\(bundles.path)/Tests.app/PlugIns/\(name).appex/Entitlements.plist")
        }
        return bundles
    }

    /// Runs a body with a started proxy.
    static func with(
        _ identifier: String = ProxyStage.app, _ settings: ProxyHost.Settings = ProxyHost.Settings(),
        clock: TestDaemon.ClockKind = .virtual, starts: Bool = true, _ body: (ProxyStage) async throws -> Void
    ) async throws {
        let bundles = try bundles()
        let notes = Notes()
        var settings = settings
        (settings.showsMessage, settings.cancelled) = (notes.say, notes.cancelled)
        try await withTestDaemon(applications: [bundles.path], clock: clock) { daemon in
            let host = try await daemon.host("proxy").application
            let proxy = ProxyHost(host, identifier, settings: settings, observer: notes.note)
            if starts { try await proxy.start() }
            try await body(ProxyStage(host: host, proxy: proxy, notes: notes))
            await proxy.stop()
        }
    }

    func open(_ name: String) async throws -> ProxiedFlow? {
        var flow = NetworkFlow(0, identifier: "", .stream)
        (flow.remote, flow.hostname) = (FlowEndpoint(name, 80), name)
        return try await proxy.open(flow)
    }

    func openDatagrams(_ address: String) async throws -> ProxiedFlow? {
        var flow = NetworkFlow(0, identifier: "", .datagrams)
        (flow.remote, flow.local) = (FlowEndpoint(address, 53), FlowEndpoint("10.0.0.1", 4444))
        return try await proxy.open(flow)
    }

    /// Waits until the provider has said a text.
    func hears(_ text: String) async throws { try await eventually { notes.said.contains(text) } }

    /// Reads a flow to its end.
    static func readAll(_ flow: ProxiedFlow) async throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = try await flow.read()
            if bytes.isEmpty { return all }
            all += bytes
        }
    }
}
