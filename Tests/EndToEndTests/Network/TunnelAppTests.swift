// TunnelAppTests: an app that saves the configuration of its tunnel, starts and stops it.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import Testing

@Suite struct TunnelAppTests {
    private static func bundles() throws -> TestBundles {
        let bundles = try TestBundles()
        try bundles.addProgram("TunnelApp", copyOf: SampleApplications.buildFolder + "/TunnelApp")
        try bundles.write(
            [
                "CFBundleIdentifier": notebook, "CFBundleExecutable": "TunnelApp",
                "CFBundleURLTypes": [["CFBundleURLName": "tunnels", "CFBundleURLSchemes": ["tunnels"]]],
            ], to: bundles.path + "/Tests.app/Info.plist")
        return bundles
    }

    /// Opens a URL in the app, and waits for what it prints.
    private func order(_ url: String, _ answer: String, _ stage: TunnelStage, _ output: Output) async throws {
        let before = output.text.count
        _ = try await launch(stage.bundles, stage.daemon, for: .url("tunnels://" + url))
        do {
            try await eventually { output.text.dropFirst(before).contains(answer) }
        } catch {
            Issue.record("\(url): \(output.text)")
            throw error
        }
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
}
