// ManagerTests: an app that configures its filter, its DNS proxy and its app proxy.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import PointMessages
import Testing

/// An app with its provider, the host of the provider, and what both say.
private struct ManagerStage<Provider: ConfigurableProvider>: Sendable {
    let bundles: TestBundles
    let daemon: TestDaemon
    let host: HostApplication
    let configured: ConfiguredProvider<Provider>
    /// The words of the provider.
    let notes: ProxyStage.Notes
    /// The words of the app.
    let output: Output

    /// Runs a body with the app launched. A host that serves comes first.
    static func with(
        _ bundles: TestBundles, serves: Bool = true,
        _ make: (HostApplication, ProxyStage.Notes) -> ConfiguredProvider<Provider>,
        _ body: (ManagerStage) async throws -> Void
    ) async throws {
        let bundles = try ConfiguringApp.add(to: bundles)
        let notes = ProxyStage.Notes()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("network").application
            let configured = make(host, notes)
            if serves { try await configured.serve() }
            let (app, control, output) = try await launch(bundles, daemon)
            defer { withExtendedLifetime((app, control)) {} }
            try await body(
                ManagerStage(
                    bundles: bundles, daemon: daemon, host: host, configured: configured, notes: notes, output: output))
            await configured.stop()
        }
    }

    func order(_ url: String, _ answer: String) async throws {
        try await ConfiguringApp.order(url, answer, bundles, daemon, output)
    }

    /// Waits until the provider has said a text for the n-th time.
    func hears(_ text: String, _ count: Int = 1) async throws {
        do {
            try await eventually { notes.said.filter { $0 == text }.count >= count }
        } catch {
            Issue.record("\(text): \(notes.said), \(output.text)")
            throw error
        }
    }
}

extension ManagerStage where Provider == FilterHost {
    static func filter(
        entitlement: String = "content-filter-provider", serves: Bool = true,
        _ body: (ManagerStage) async throws -> Void
    ) async throws {
        try await with(try FilterStage.bundles(entitlement: entitlement), serves: serves) { host, notes in
            var settings = FilterHost.Settings()
            settings.showsMessage = notes.say
            return ConfiguredProvider(filtersOf: host, settings: settings)
        } _: {
            try await body($0)
        }
    }

    func flow(_ kind: NetworkFlow.Kind, _ host: String) -> NetworkFlow {
        var flow = NetworkFlow(0, identifier: "", kind)
        (flow.url, flow.hostname) = (kind == .browser ? "http://\(host)/" : nil, host)
        flow.remote = FlowEndpoint(host, 80)
        return flow
    }
}

extension ManagerStage where Provider == ProxyHost {
    static func proxy(isDNS: Bool, _ body: (ManagerStage) async throws -> Void) async throws {
        let bundles = try ProxyStage.bundles()
        if !isDNS {
            try bundles.add(
                "second", program: SampleApplications.buildFolder + "/Proxier", point: ProxyHost.point,
                principalClass: "Proxier.Proxier", rule: nil)
            try bundles.write(
                ["com.apple.developer.networking.networkextension": ["app-proxy-provider"]],
                to: "\(bundles.path)/Tests.app/PlugIns/second.appex/Entitlements.plist")
        }
        try await with(bundles) { host, notes in
            var settings = ProxyHost.Settings()
            (settings.showsMessage, settings.cancelled) = (notes.say, notes.cancelled)
            settings.names = NetworkNames(["192.0.2.53"])
            return isDNS
                ? ConfiguredProvider(dnsProxiesOf: host, settings: settings)
                : ConfiguredProvider(appProxiesOf: host, settings: settings)
        } _: {
            try await body($0)
        }
    }
}

@Suite struct ManagerTests {
    // spec: NX-35
    @Test("NX-35: the filter of an app runs as long as its configuration is enabled, with the saved values")
    func filter() async throws {
        try await ManagerStage<FilterHost>.filter { stage in
            #expect(await stage.configured.current == nil)
            try await stage.order("filter/load", "filter - false - - - no error\n")
            try await stage.order("filter/save?strict", "filter saved: no error\n")
            try await stage.hears("started strict, Example")
            try await eventually { stage.output.text.contains("filter changed\n") }
            await stage.configured.wait(until: .connected, of: "shared")
            let filter = try #require(await stage.configured.current)
            // The control provider of the same app is asked, too.
            let dropped = try await filter.open(stage.flow(.browser, "drop.test"))
            #expect(await !dropped.isAllowed)
            // Sockets are not filtered: that is the default.
            let passed = try await filter.open(stage.flow(.stream, "drop.test"))
            #expect(await passed.isAllowed)
            #expect(try await passed.pass([1, 2, 3], .inbound) == [1, 2, 3])
            try await stage.order("filter/load", "filter Test true strict Example true false no error\n")
            // The same again changes nothing; other values start the filter anew.
            try await stage.order("filter/save?strict", "filter saved: no error\n")
            try await stage.order("filter/save?other", "filter saved: no error\n")
            try await stage.hears("started other, Example")
            #expect(stage.notes.said.filter { $0 == "started strict, Example" }.count == 1)
            try await stage.hears("stopped superceded")
            try await stage.order("filter/save?off", "filter saved: no error\n")
            try await stage.hears("stopped configurationDisabled")
            try await eventually { await stage.configured.current == nil }
            try await stage.order("filter/save?last", "filter saved: no error\n")
            try await stage.hears("started last, Example")
            try await stage.order("filter/remove", "filter removed\n")
            try await stage.hears("stopped configurationRemoved")
            try await stage.order("filter/load", "filter - false - - - no error\n")
            #expect(try await stage.configured.configurations(of: FilterStage.data).isEmpty)
            try await stage.order("filter/remove", "filter not removed: NEFilterErrorDomain 4\n")
        }
    }

    // spec: NX-36
    // not simulated: N-152
    @Test("NX-36: a filter's manager fails with the documented errors, and changes nothing")
    func filterErrors() async throws {
        try await ManagerStage<FilterHost>.filter { stage in
            try await stage.order("filter/save", "filter saved: NEFilterErrorDomain 3\n")
            try await stage.order("filter/remove", "filter not removed: NEFilterErrorDomain 3\n")
            try await stage.order("filter/load", "filter - false - - - no error\n")
            try await stage.order("filter/save?nothing", "filter saved: NEFilterErrorDomain 1\n")
            try await stage.order("filter/save?packets", "filter saved: NEFilterErrorDomain 1\n")
            // An annotation has at most 16 KiB. The next change begins at once.
            try await stage.order("filter/save?large", "filter saved: NEFilterErrorDomain 6\n")
            #expect(try await stage.configured.configurations(of: FilterStage.data).isEmpty)
            #expect(await stage.configured.history.isEmpty)
            try await stage.order("filter/save?plain", "filter saved: no error\n")
        }
        try await ManagerStage<FilterHost>.filter(entitlement: "dns-proxy") { stage in
            try await stage.order("filter/load", "filter - false - - - no error\n")
            try await stage.order("filter/save?strict", "filter saved: NEFilterErrorDomain 5\n")
        }
        try await ManagerStage<FilterHost>.filter(serves: false) { stage in
            try await stage.order("filter/load", "filter - false - - - NEFilterErrorDomain 6\n")
            try await stage.configured.serve()
            try await stage.order("filter/load", "filter - false - - - no error\n")
        }
    }

    // spec: NX-35
    @Test("NX-35: a filter that refuses or hangs does not run, and the next change starts it") func failures()
        async throws
    {
        try await ManagerStage<FilterHost>.filter { stage in
            try await stage.order("filter/load", "filter - false - - - no error\n")
            try await stage.order("filter/save?refuse", "filter saved: no error\n")
            try await eventually { await stage.configured.history == [.connecting, .disconnected] }
            #expect(await stage.configured.state(of: "shared").failure?.domain == "NSCocoaErrorDomain")
            #expect(await stage.configured.current == nil)
            // A start that nobody answers ends with its configuration.
            try await stage.order("filter/save?hang", "filter saved: no error\n")
            try await eventually { await stage.configured.history.last == .connecting }
            try await stage.order("filter/save?off", "filter saved: no error\n")
            try await eventually { await stage.configured.history.last == .disconnected }
            #expect(await stage.configured.state(of: "shared").failure == nil)
            try await stage.order("filter/save?strict", "filter saved: no error\n")
            try await stage.hears("started strict, Example")
        }
    }

    // spec: NX-35
    @Test("NX-35: a saved filter outlives its host, and starts with the next one") func outlives() async throws {
        try await ManagerStage<FilterHost>.filter { stage in
            try await stage.order("filter/load", "filter - false - - - no error\n")
            try await stage.order("filter/save?strict", "filter saved: no error\n")
            try await stage.hears("started strict, Example")
            stage.host.disconnect()
            try await eventually { try await stage.daemon.control.hosts().isEmpty }
            let host = try await stage.daemon.host("next").application
            var settings = FilterHost.Settings()
            settings.showsMessage = stage.notes.say
            let next = ConfiguredProvider(filtersOf: host, settings: settings)
            try await next.serve()
            #expect(await next.current != nil)
            try await stage.hears("started strict, Example", 2)
            await next.stop()
        }
    }

    // spec: NX-35, NX-36
    @Test("NX-35, NX-36: the DNS proxy of an app runs as long as it is enabled, and gets the app's values")
    func names() async throws {
        try await ManagerStage<ProxyHost>.proxy(isDNS: true) { stage in
            try await stage.order("names/save?\(ProxyStage.names)", "names saved: NEDNSProxyErrorDomain 3\n")
            try await stage.order("names/load", "names - false - - []\n")
            try await stage.order("names/save?\(ProxyStage.app)", "names saved: NEDNSProxyErrorDomain 1\n")
            try await stage.order("names/save?\(ProxyStage.names)", "names saved: no error\n")
            try await stage.hears("servers [\"192.0.2.53\"]")
            try await eventually { stage.notes.said.contains { $0.hasPrefix("values ") } }
            #expect(stage.notes.said.contains { $0.contains("ads.test") && $0.hasSuffix(" 192.0.2.9") })
            try await eventually { stage.output.text.contains("names changed\n") }
            await stage.configured.wait(until: .connected, of: "shared")
            let proxy = try #require(await stage.configured.current)
            var query = NetworkFlow(0, identifier: "", .datagrams)
            (query.remote, query.local) = (FlowEndpoint("192.0.2.53", 53), FlowEndpoint("10.0.0.1", 4444))
            let flow = try #require(try await proxy.open(query))
            try await flow.opened()
            try await stage.order("names/load", "names Names true \(ProxyStage.names) 192.0.2.9 [\"ads.test\"]\n")
            try await stage.order("names/save?off", "names saved: no error\n")
            try await stage.hears("stopped configurationDisabled")
            try await eventually { await stage.configured.current == nil }
            try await stage.order("names/remove", "names removed: no error\n")
            try await stage.order("names/remove", "names removed: NEDNSProxyErrorDomain 4\n")
        }
    }

    // spec: NX-37
    @Test("NX-37: the app starts and stops its app proxy, and follows its status") func proxy() async throws {
        try await ManagerStage<ProxyHost>.proxy(isDNS: false) { stage in
            try await stage.order("proxies", "proxies\n")
            try await stage.order("load/x", "loaded []: no error\n")
            try await stage.order("save/\(ProxyStage.names)", "saved: NEVPNErrorDomain 1\n")
            try await stage.order("save/\(ProxyStage.app)", "saved: no error\n")
            #expect(await stage.configured.current == nil)
            let saved = try #require(try await stage.configured.configurations(of: ProxyStage.app).first)
            #expect(saved.appRules?.map(\.identifier) == ["org.exthost.browser"])
            try await stage.order("start/plain", "status 3\n")
            try await stage.hears("started plain 198.51.100.7 sourceApplication")
            let proxy = try #require(await stage.configured.current)
            var description = NetworkFlow(0, identifier: "", .stream)
            (description.remote, description.hostname) = (FlowEndpoint("echo.test", 80), "echo.test")
            let flow = try #require(try await proxy.open(description))
            try await flow.opened()
            try await stage.order("message/hello", "reply: 0\n")
            try await stage.order("tell/hello", "told\n")
            try await stage.hears("told hello")
            try await stage.order("load/x", "loaded [\"Test 198.51.100.7 blue 3 1\"]: no error\n")
            try await stage.order("stop/x", "status 1\n")
            try await stage.hears("stopped userInitiated")
            try await stage.order("message/hello", "not sent: NEVPNErrorDomain 3\n")
            // An end from within, and a start with options that the provider refuses.
            try await stage.order("start/plain", "status 3\n")
            let second = try #require(await stage.configured.current)
            description.hostname = "cancel.test"
            _ = try? await second.open(description)
            try await eventually { await stage.configured.history.last == .disconnected }
            try await eventually { stage.output.text.hasSuffix("status 1\n") }
            try await stage.order("why/x", "ended: NSCocoaErrorDomain 3072\n")
            try await stage.order("start/plain", "status 3\n")
            try await stage.order("save/\(ProxyStage.app)?off", "saved: no error\n")
            try await stage.hears("stopped configurationDisabled")
            try await stage.order("start/plain", "not started: NEVPNErrorDomain 2\n")
            try await stage.order("remove/x", "removed: no error\n")
            try await stage.order("load/x", "loaded []: no error\n")
        }
    }

    // spec: NX-37
    @Test("NX-37: one app proxy runs at a time, and a second one stops the first") func superceded() async throws {
        try await ManagerStage<ProxyHost>.proxy(isDNS: false) { stage in
            for (number, provider) in [ProxyStage.app, "org.exthost.tests.second"].enumerated() {
                try await stage.order("proxies", "proxies\n")
                try await stage.order("save/\(provider)", "saved: no error\n")
                try await stage.order("start/plain", "status 3\n")
                try await stage.hears("started plain 198.51.100.7 sourceApplication", number + 1)
            }
            try await stage.hears("stopped superceded")
            #expect(await stage.configured.configuration?.configuration.provider == "org.exthost.tests.second")
            #expect(
                await stage.configured.history == [
                    .connecting, .connected, .disconnecting, .disconnected, .connecting, .connected,
                ])
            try await stage.order("stop/x", "status 1\n")
            // A start that hangs ends with the app's order to stop.
            try await stage.order("start/hang", "status 2\n")
            try await stage.order("stop/x", "status 1\n")
            #expect(await stage.configured.current == nil)
        }
    }

    // spec: NX-37
    @Test("NX-37: a stop is that of a start that still waits for the end of another proxy")
    func aStopOfAWaitingStart() async throws {
        try await ManagerStage<ProxyHost>.proxy(isDNS: false) { stage in
            for (provider, answer) in [(ProxyStage.app, "status 3\n"), ("org.exthost.tests.second", "starting\n")] {
                try await stage.order("proxies", "proxies\n")
                try await stage.order("save/\(provider)", "saved: no error\n")
                try await stage.order("start/lazy", answer)
            }
            // The first does not answer its stop, which has five seconds.
            try await stage.hears("stopped superceded")
            try await stage.order("stop/x", "")
            try await eventually { await stage.configured.history.last == .disconnected }
            // The second starts by its second order only.
            try await stage.order("start/other", "status 3\n")
            try await stage.hears("started other 198.51.100.7 sourceApplication")
            #expect(stage.notes.said.filter { $0.hasPrefix("started lazy") }.count == 1)
        }
    }
}
