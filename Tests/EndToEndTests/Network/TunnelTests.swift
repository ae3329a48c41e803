// TunnelTests: the lifecycle of a packet tunnel, its settings and its packets.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Glibc
import PointMessages
import PropertyListCoding
import Testing

@testable import PointHosts

@Suite struct TunnelTests {
    private func code(_ body: () async throws -> Void) async -> (String, Int)? {
        do {
            try await body()
            return nil
        } catch {
            let error = error as NSError
            return (error.domain, error.code)
        }
    }

    // spec: NX-1, NX-2, NX-15
    @Test("NX-1, NX-2, NX-15: a start has options and configuration, and its answer brings the tunnel up")
    func starts() async throws {
        try await TunnelStage.with { stage in
            try await stage.start("come up")
            #expect(await stage.status == .connected)
            let notes = try await stage.notes()
            #expect(
                notes == [
                    "written before the start=false", "start options=[\"do\"]", "server=198.51.100.7", "colour=green",
                    "path=1",
                ])
            #expect(await stage.tunnel.history == [.connecting, .connected])
            #expect(await stage.tunnel.settings?.ipv4?.addresses.first?.address == "10.9.0.2")
            // A tunnel that is up stays.
            let pid = try await stage.ask("pid")
            try await stage.start("again")
            #expect(try await stage.ask("pid") == pid)
            await stage.tunnel.stop()
            #expect(await stage.status == .disconnected)
        }
    }

    // spec: NX-2
    @Test("NX-2: an error of the start leaves the tunnel down, with that error") func startFails() async throws {
        try await TunnelStage.with { stage in
            let failure = await code { try await stage.start("fail") }
            #expect(failure?.0 == "TunnelErrors" && failure?.1 == 7)
            #expect(await stage.status == .disconnected)
            #expect(await stage.tunnel.state(of: "test").failure?.domain == "TunnelErrors")
            let dropped = await code { try await stage.start("drop") }
            #expect(dropped?.0 == "NEVPNErrorDomain" && dropped?.1 == 3)
            #expect(await stage.tunnel.state(of: "test").failure?.reason.contains("handler") == true)
            let died = await code { try await stage.start("die") }
            #expect(died?.1 == 3)
            try await stage.start()
            #expect(await stage.status == .connected)
        }
    }

    // spec: NX-3
    @Test("NX-3: settings are in force once they are answered, nil clears them, and invalid ones are refused")
    func settings() async throws {
        try await TunnelStage.with { stage in
            try await stage.start("invalid")
            #expect(try await stage.notes().last == "settings=NETunnelProviderErrorDomain 1")
            #expect(await stage.tunnel.settings == nil)
            await stage.tunnel.stop()
            try await stage.start()
            let arrivals = Arrivals(stage.tunnel.packets)
            stage.tunnel.packets.send([TunnelStage.packet(1)])
            try await eventually { arrivals.last == [1] }
            #expect(try await stage.ask("clear") == "cleared")
            #expect(await stage.tunnel.settings == nil)
            stage.tunnel.packets.send([TunnelStage.packet(2)])
            #expect(stage.tunnel.packets.counters.lost == 1)
        }
    }

    // spec: NX-4
    @Test("NX-4: a start without an answer in time is stopped with providerFailed") func startHangs() async throws {
        var limits = TunnelHost.Limits()
        limits.start = .milliseconds(300)
        try await TunnelStage.with(limits: limits) { stage in
            let failure = await code { try await stage.start("hang") }
            #expect(failure?.0 == "NEVPNErrorDomain" && failure?.1 == 3)
            #expect(await stage.tunnel.history == [.connecting, .disconnecting, .disconnected])
            // The provider hears `providerFailed`.
            try await eventually { stage.output.text.contains("stopped 2\n") }
        }
        #expect(PointTableCheck.limit("tunnel.startTunnel") == .seconds(60))
        #expect(PointTableCheck.limit("tunnel.stopTunnel") == .seconds(5))
        #expect(PointTableCheck.limit("provider.sleep") == .seconds(5))
    }

    // spec: NX-5, NX-6
    @Test("NX-6: reasserting is a status of its own") func reasserts() async throws {
        try await TunnelStage.with { stage in
            try await stage.start()
            #expect(try await stage.ask("reassert") == "reasserting")
            await stage.tunnel.wait(until: .reasserting, of: "test")
            #expect(try await stage.ask("asserted") == "asserted")
            await stage.tunnel.wait(until: .connected, of: "test")
            #expect(await stage.tunnel.history == [.connecting, .connected, .reasserting, .connected])
        }
    }

    // spec: NX-7, NX-8
    @Test("NX-7, NX-8: a stop has its reason, and the process ends after it", arguments: 0...16)
    func stops(reason: Int) async throws {
        try await TunnelStage.with { stage in
            try await stage.start()
            let request = try #require(await stage.tunnel.request)
            let pid = try #require(request.processIdentifier)
            await stage.tunnel.stop(try #require(TunnelHost.StopReason(rawValue: reason)))
            guard case .completed = await request.outcome else {
                Issue.record("the request is not completed")
                return
            }
            #expect(await request.exit != nil)
            #expect(kill(pid_t(pid), 0) == -1)
            try await eventually { stage.output.text.contains("stopped \(reason)\n") }
        }
    }

    @Test("NX-7: a provider that does not stop in time is ended, and one must not cancel from within a stop")
    func stubborn() async throws {
        var limits = TunnelHost.Limits()
        limits.stop = .milliseconds(200)
        try await TunnelStage.with(limits: limits) { stage in
            try await stage.start("stubborn")
            await stage.tunnel.stop()
            #expect(await stage.status == .disconnected)
            #expect(await stage.tunnel.remarks == ["the provider did not stop in time"])
            try await stage.start("misuse")
            await stage.tunnel.stop()
            #expect(await stage.tunnel.state(of: "test").failure == nil)
        }
    }

    // spec: NX-9
    @Test("NX-9: cancelTunnelWithError ends the tunnel from within") func cancels() async throws {
        try await TunnelStage.with { stage in
            try await stage.start()
            _ = try await stage.ask("cancel")
            await stage.tunnel.wait(until: .disconnected, of: "test")
            let failure = await stage.tunnel.state(of: "test").failure
            #expect(failure?.domain == "TunnelErrors" && failure?.code == 9)
            #expect(await stage.tunnel.history.suffix(2) == [.disconnecting, .disconnected])
        }
    }

    // spec: NX-10, NX-11
    @Test("NX-10, NX-11: a read has one answer, with Apple's numbers; what is no packet is dropped and counted")
    func packetsAreRead() async throws {
        try await TunnelStage.with { stage in
            try await stage.start("deaf")
            async let answer = stage.ask("read")
            stage.tunnel.packets.send([TunnelStage.packet(7)])
            #expect(try await answer == "[7] [2]")
            let six = try #require(
                InternetPacket.datagram(from: ("fd00::1", 1), to: ("fd00::2", 2), [42]))
            stage.tunnel.packets.send([six])
            #expect(try await stage.ask("read") == "[42] [30]")
            #expect(stage.tunnel.packets.waitingPackets == 0)
            #expect(try await stage.ask("write") == "true")
            try await eventually { stage.tunnel.packets.counters.invalid == 1 }
            #expect(stage.tunnel.packets.counters.received == 0)
            stage.tunnel.packets.send([[1, 2, 3]])
            #expect(stage.tunnel.packets.counters.malformed == 1)
        }
    }

    // spec: NX-12
    @Test("NX-12: packets keep their order, and at most 1,024 wait: then the oldest are dropped and counted")
    func packetsWait() async throws {
        try await TunnelStage.with { stage in
            try await stage.start("deaf")
            for number in 0..<1_100 { stage.tunnel.packets.send([TunnelStage.packet(number)]) }
            #expect(stage.tunnel.packets.waitingPackets == 1_024)
            #expect(stage.tunnel.packets.counters.dropped == 76)
            // A read has at least one packet, and those that have come with it.
            var numbers: [Int] = []
            while numbers.count < 1_024 {
                let text = try #require(try await stage.ask("read"))
                let read = text.dropFirst().prefix { $0 != "]" }.split(separator: ",")
                try #require(!read.isEmpty)
                numbers += read.compactMap { Int($0.trimmingPrefix(" ")) }
            }
            #expect(numbers == (76..<1_100).map { $0 & 255 })
        }
    }

    @Test("NX-10, NX-12: the async forms with packets as objects") func asyncForms() async throws {
        try await TunnelStage.with("Tunnel.AsyncTunnel") { stage in
            try await stage.start()
            let arrivals = Arrivals(stage.tunnel.packets)
            for number in 1...50 { stage.tunnel.packets.send([TunnelStage.packet(number)]) }
            try await eventually { arrivals.last == Array(1...50) }
            let request = try #require(await stage.tunnel.request)
            await stage.tunnel.stop()
            guard case .completed = await request.outcome else {
                Issue.record("the request is not completed")
                return
            }
        }
        try await TunnelStage.with("Tunnel.EmptyTunnel") { stage in
            let failure = await code { try await stage.start() }
            #expect(failure?.1 == 3)
            #expect(await stage.tunnel.state(of: "test").failure?.reason.contains("startTunnel") == true)
        }
    }

    // spec: NX-13
    @Test("NX-13: a message of the app has the provider's answer, or nil; without a provider there is an error")
    func messages() async throws {
        try await TunnelStage.with { stage in
            let down = await code { _ = try await stage.ask("hello") }
            #expect(down?.0 == "NEVPNErrorDomain" && down?.1 == 3)
            try await stage.start()
            #expect(try await stage.ask("hello") == "echo hello")
            #expect(try await stage.ask("nothing") == nil)
            #expect(try await stage.tunnel.send(Data("x".utf8), expectsReply: false) == nil)
            #expect(try await stage.ask("show") == "true")
            #expect(await stage.tunnel.messages == ["Hello"])
        }
    }

    // spec: NX-14
    @Test("NX-14: the provider hears of sleep and wake, and has a limit for the first") func sleeps() async throws {
        var limits = TunnelHost.Limits()
        limits.sleep = .seconds(2)
        try await TunnelStage.with(limits: limits) { stage in
            try await stage.start()
            await stage.tunnel.sleep()
            await stage.tunnel.wake()
            #expect(try await stage.notes().suffix(2) == ["sleep", "wake"])
            #expect(await stage.status == .connected)
            await stage.tunnel.stop()
            try await stage.start("sleepless")
            await stage.tunnel.sleep()
            #expect(await stage.tunnel.remarks == ["the provider was not ready for the machine's sleep in time"])
            await stage.tunnel.wake()
            await stage.tunnel.stop()
            var configuration = TunnelStage.configuration()
            configuration.configuration.disconnectsOnSleep = true
            try await stage.tunnel.start(configuration)
            await stage.tunnel.sleep()
            #expect(await stage.status == .disconnected)
        }
    }

    // spec: NX-16
    @Test("NX-16: without the entitlement's kind the provider gets no request") func entitlement() async throws {
        try await TunnelStage.with(isEntitled: false) { stage in
            let failure = await code { try await stage.start() }
            #expect(failure?.1 == 3)
            let reason = await stage.tunnel.state(of: "test").failure?.reason
            #expect(reason?.contains("com.apple.developer.networking.networkextension") == true, "\(reason ?? "")")
        }
    }

    // spec: NX-17
    @Test("NX-17: one tunnel is up; another stops the first as superceded") func supercedes() async throws {
        let bundles = try TestBundles()
        try TunnelStage.add(to: bundles, as: "other")
        try await TunnelStage.with("Tunnel.Tunnel", bundles) { stage in
            try await stage.start()
            let first = try #require(await stage.tunnel.request)
            let other = TunnelStage.configuration("other", provider: "org.exthost.tests.other")
            try await stage.tunnel.start(other)
            #expect(await stage.status == .disconnected)
            #expect(await stage.tunnel.status(of: "other") == .connected)
            #expect(await first.exit != nil)
            try await eventually { stage.output.text.contains("stopped 11\n") }
            #expect(await stage.tunnel.running == "other")
        }
    }

    // spec: NX-18
    @Test("NX-18: a death is a disconnection, and on-demand rules start the provider again") func death() async throws {
        try await TunnelStage.with { stage in
            try await stage.start()
            let pid = try #require(await stage.tunnel.request?.processIdentifier)
            kill(pid_t(pid), SIGKILL)
            await stage.tunnel.wait(until: .disconnected, of: "test")
            #expect(await stage.tunnel.state(of: "test").failure?.code == 3)
            #expect(await stage.tunnel.restarts == 0)

            try await stage.start(isOnDemand: true)
            let second = try #require(await stage.tunnel.request?.processIdentifier)
            kill(pid_t(second), SIGKILL)
            try await eventually { await stage.tunnel.restarts == 1 }
            await stage.tunnel.wait(until: .connected, of: "test")
            #expect(await stage.tunnel.history.suffix(3) == [.disconnected, .connecting, .connected])
            // Nobody gives options to a start on demand.
            #expect(try await stage.notes().prefix(2) == ["written before the start=false", "start options=nil"])
        }
    }

    // spec: NX-11
    @Test("NX-11: writePackets of a tunnel that is down returns false") func writesWhileDown() async throws {
        try await TunnelStage.with { stage in
            try await stage.start("witness")
            #expect(try await stage.notes().first == "written before the start=false")
            await stage.tunnel.stop()
            try await eventually { stage.output.text.contains("written at the end=false\n") }
        }
    }

    @Test("an app with the identifier of another app's configuration neither sees nor stops its session")
    func identifiersOfOthers() async throws {
        try await TunnelStage.with { stage in
            try await stage.start()
            let other = TunnelStage.configuration(provider: "org.exthost.tests.other")
            #expect(await stage.tunnel.state(of: other).status == TunnelHost.Status.disconnected.rawValue)
            let failure = await code {
                _ = try await stage.tunnel.send(Data("pid".utf8), of: other.key, expectsReply: true)
            }
            #expect(failure?.0 == "NEVPNErrorDomain" && failure?.1 == 3)
            await stage.tunnel.stop(.userInitiated, of: other.key)
            #expect(await stage.status == .connected)
            await stage.tunnel.stop(.userInitiated, of: TunnelStage.configuration().key)
            #expect(await stage.status == .disconnected)
        }
    }

    // spec: NX-18
    @Test("NX-18: rules about the network start and stop a saved tunnel") func onDemand() async throws {
        try await TunnelStage.with { stage in
            var wireless = OnDemandRule(action: 1)
            (wireless.interface, wireless.ssids) = (2, ["Café"])
            var configuration = TunnelStage.configuration(isOnDemand: true)
            configuration.onDemandRules = [wireless, OnDemandRule(action: 2)]
            try await stage.tunnel.start(configuration)
            await stage.tunnel.setNetwork(MachineNetwork(.wiFi, ssid: "Café"))
            #expect(await stage.status == .connected)
            #expect(try await stage.ask("path") == "1")
            await stage.tunnel.setNetwork(MachineNetwork(.wiFi, ssid: "Home"))
            #expect(await stage.status == .disconnected)
        }
    }

    // spec: NX-18
    @Test("NX-18: a provider that dies is started on demand, until the breaker opens, and after its pause")
    func theBreakerBoundsStartsOnDemand() async throws {
        let bundles = try TestBundles()
        try await TunnelStage.with("Tunnel.Tunnel", bundles, clock: .virtual, arguments: ["--breaker", "3"]) { stage in
            let dies = bundles.path + "/Tests.app/PlugIns/tunnel.appex/dies"
            func breaker() async throws -> BreakerRecord? {
                try await stage.daemon.control.status().breakers.first {
                    $0.extensionIdentifier == TunnelStage.identifier
                }
            }
            func launches() async throws -> Int {
                try await stage.daemon.events().count { $0.event == EventName.processSpawned.rawValue }
            }
            try await stage.start("", isOnDemand: true)
            #expect(try await launches() == 1)
            try Data().write(to: URL(fileURLWithPath: dies))
            _ = try? await stage.ask("die")
            // The death of the connected provider is one failure, and two starts on demand fail.
            try await eventually { try await breaker()?.state == "open" }
            #expect(try await launches() == 3)
            await stage.tunnel.wait(until: .disconnected, of: "test")
            // The pause is over, and the one attempt after it fails.
            try await stage.daemon.clock.advance(by: .seconds(1))
            try await eventually { try await launches() == 4 }
            try await eventually { try await breaker()?.failures == 4 }
            // A provider that lives comes up after the next pause, for as long as the rule demands it.
            try FileManager.default.removeItem(atPath: dies)
            try await stage.daemon.clock.advance(by: .seconds(2))
            await stage.tunnel.wait(until: .connected, of: "test")
            #expect(try await launches() == 5)
            // The host has not tried during the pauses: one refusal tells of each.
            let refused = try await stage.daemon.events().count { $0.cause == .breakerOpen && $0.request != nil }
            #expect(refused > 0 && refused <= 4, "\(refused)")
        }
    }
}
