// TunnelAppTests: an app that saves the configuration of its tunnel, starts and stops it.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Locks
import PointHosts
import PointMessages
import Testing

@Suite struct TunnelAppTests {
    private static func bundles() throws -> TestBundles { try ConfiguringApp.add(to: TestBundles()) }

    private func order(_ url: String, _ answer: String, _ stage: TunnelStage, _ output: Output) async throws {
        try await ConfiguringApp.order(url, answer, stage.bundles, stage.daemon, output)
    }

    // spec: NX-5, NX-13, NX-15
    @Test("NX-5, NX-13, NX-15: the app saves a configuration, and follows the status of its tunnel")
    func appStartsItsTunnel() async throws {
        try await TunnelStage.with("Tunnel.Tunnel", Self.bundles()) { stage in
            let (app, control, output) = try await launch(stage.bundles, stage.daemon)
            defer { withExtendedLifetime((app, control)) {} }
            try await order("load/x", "loaded []: no error\n", stage, output)
            try await order("save/\(TunnelStage.identifier)", "saved: no error\n", stage, output)
            try await order("start/up", "status 3\n", stage, output)
            #expect(await stage.tunnel.history == [.connecting, .connected])
            let notes = try await stage.notes()
            #expect(notes.contains("server=198.51.100.7") && notes.contains("colour=blue"), "\(notes)")
            #expect(notes.prefix(2) == ["written before the start=false", "start options=[\"do\"]"])
            try await order("message/hello", "reply: echo hello\n", stage, output)
            try await order("message/nothing", "reply: nil\n", stage, output)
            try await order("message/reassert", "status 4\n", stage, output)
            try await order("message/asserted", "status 3\n", stage, output)
            try await order("load/x", "loaded [\"Test 198.51.100.7 blue 3 1\"]: no error\n", stage, output)
            // An observer reads the status of now. On a busy machine it may not see one that is over.
            try await order("stop/x", "status 1\n", stage, output)
            #expect(await stage.tunnel.history.suffix(2) == [.disconnecting, .disconnected])
            try await order("message/hello", "not sent: NEVPNErrorDomain 3\n", stage, output)
            // What a start has failed with, the app asks for.
            try await order("start/fail", "starting\n", stage, output)
            try await eventually {
                await stage.tunnel.history.suffix(3) == [.disconnected, .connecting, .disconnected]
            }
            #expect(await stage.tunnel.running == nil)
            try await order("why/x", "ended: TunnelErrors 7\n", stage, output)
            try await order("start/plain", "status 3\n", stage, output)
            try await order("remove/x", "removed: no error\n", stage, output)
            try await eventually { await stage.tunnel.running == nil }
            try await order("start/plain", "not started: NEVPNErrorDomain 1\n", stage, output)
            try await order("load/x", "loaded []: no error\n", stage, output)
        }
    }

    // spec: NX-16
    @Test("NX-16: a provider without the entitlement cannot be saved, nor one of another app")
    func appNeedsTheEntitlement() async throws {
        try await TunnelStage.with("Tunnel.Tunnel", Self.bundles(), isEntitled: false) { stage in
            let (app, control, output) = try await launch(stage.bundles, stage.daemon)
            defer { withExtendedLifetime((app, control)) {} }
            try await order("save/\(TunnelStage.identifier)", "saved: NEVPNErrorDomain 5\n", stage, output)
            try await order("save/org.exthost.others", "saved: NEVPNErrorDomain 1\n", stage, output)
            try await order("load/x", "loaded []: no error\n", stage, output)
        }
    }

    // spec: NX-15
    @Test("NX-15: configurations that are saved at the same time are all stored") func savesAtTheSameTime() async throws
    {
        try await TunnelStage.with("Tunnel.Tunnel", Self.bundles()) { stage in
            let (app, control, output) = try await launch(stage.bundles, stage.daemon)
            defer { withExtendedLifetime((app, control)) {} }
            try await order("several/\(TunnelStage.identifier)", "saved 4: no error\n", stage, output)
            try await eventually { (1...4).allSatisfy { output.text.contains("saved \($0): no error\n") } }
            let saved = try await stage.tunnel.configurations(of: TunnelStage.identifier)
            #expect(
                Set(saved.compactMap(\.configuration.serverAddress)) == Set((1...4).map { "198.51.100.\($0)" }))
        }
    }

    // spec: NX-15, NX-18
    @Test("NX-15, NX-18: a saved configuration outlives the host, and its rules start the tunnel")
    func configurationsStay() async throws {
        let bundles = try Self.bundles()
        try await TunnelStage.with("Tunnel.Tunnel", bundles) { stage in
            let (app, control, output) = try await launch(stage.bundles, stage.daemon)
            defer { withExtendedLifetime((app, control)) {} }
            try await order("save/\(TunnelStage.identifier)?demand", "saved: no error\n", stage, output)
            try await eventually { await stage.tunnel.running != nil }
            let name = try #require(await stage.tunnel.running)
            await stage.tunnel.wait(until: .connected, of: name)
            try await order("save/\(TunnelStage.identifier)?off", "saved: no error\n", stage, output)
            try await eventually { await stage.tunnel.running == nil }
            let saved = try await stage.tunnel.configurations(of: TunnelStage.identifier)
            #expect(saved.map(\.identifier) == [name] && saved.first?.isEnabled == false)
        }
    }

    // spec: NX-18
    @Test("NX-18: a host that begins to serve returns when its caller ends it, also in the pause of a breaker")
    func serveEnds() async throws {
        // The pause lasts until the clock is moved, which nobody does.
        let bundles = try Self.bundles()
        try await TunnelStage.with("Tunnel.Tunnel", bundles, clock: .virtual, arguments: ["--breaker", "2"]) { stage in
            let plugIn = "\(bundles.path)/Tests.app/PlugIns/tunnel.appex"
            try Data().write(to: URL(fileURLWithPath: "\(plugIn)/dies"))
            let (app, control, output) = try await launch(stage.bundles, stage.daemon)
            defer { withExtendedLifetime((app, control)) {} }
            try await order("save/\(TunnelStage.identifier)?demand", "saved: no error\n", stage, output)
            try await eventually { try await stage.daemon.control.status().breakers.contains { $0.state == "open" } }
            stage.host.disconnect()
            try await eventually { try await stage.daemon.control.hosts().isEmpty }
            let host = try await stage.daemon.host("next").application
            let tunnel = TunnelHost(host)
            let isOver = Mutex(false)
            let serving = Task {
                try await tunnel.serve()
                isOver.withLock { $0 = true }
            }
            // It has refused the start once, and asks for the end of the pause.
            try await eventually { await tunnel.history.suffix(2) == [.connecting, .disconnected] }
            #expect(!isOver.withLock { $0 })
            serving.cancel()
            try await eventually { isOver.withLock { $0 } }
            #expect(await tunnel.running == nil)
            withExtendedLifetime(tunnel) {}
        }
    }
}
