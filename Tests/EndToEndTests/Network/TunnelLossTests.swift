// TunnelLossTests: many packets through a tunnel whose provider is killed, and programs in a network of a tunnel.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import Locks
import PointHosts
import PointMessages
import TestPrograms
import Testing

@Suite struct TunnelLossTests {
    /// The numbers of the packets that came back, and what became of their order. Safe to use from any thread.
    private final class Order: Sendable {
        private struct State {
            var last = -1
            var count = 0
            var disorder = 0
        }

        private let state = Mutex(State())

        init(_ packets: TunnelPackets) {
            packets.onPackets { [self] batch in
                state.withLock { state in
                    for packet in batch {
                        let number = TunnelStage.number(of: packet)
                        if number <= state.last { state.disorder += 1 }
                        state.last = number
                        state.count += 1
                    }
                }
            }
        }

        var last: Int { state.withLock { $0.last } }
        var count: Int { state.withLock { $0.count } }
        var disorder: Int { state.withLock { $0.disorder } }
    }

    /// Sends packets, and kills the provider a few times. Each packet comes back in order, is counted as lost, or was
    /// with the provider when it died.
    private func run(packets total: Int, kills: Int) async throws {
        try await TunnelStage.with { stage in
            try await stage.start(isOnDemand: true)
            let (packets, order) = (stage.tunnel.packets, Order(stage.tunnel.packets))
            let began = ContinuousClock.now
            var number = 0
            for round in 0...kills {
                let end = total * (round + 1) / (kills + 1)
                while number < end {
                    await packets.waitForRoom()
                    // A tunnel that is down takes none: the program waits for it as for an interface.
                    await stage.tunnel.wait(until: .connected, of: "test")
                    let count = min(256, end - number)
                    packets.send((number..<(number + count)).map { TunnelStage.numbered($0) })
                    number += count
                }
                guard round < kills else { break }
                let pid = try #require(await stage.tunnel.request?.processIdentifier)
                let restarts = await stage.tunnel.restarts
                kill(pid_t(pid), SIGKILL)
                try await eventually { await stage.tunnel.restarts == restarts + 1 }
                await stage.tunnel.wait(until: .connected, of: "test")
            }
            // The last packet tells that all before it have been through.
            try await eventually { order.last == total - 1 }
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            let counters = packets.counters
            #expect(order.disorder == 0 && counters.dropped == 0 && counters.invalid == 0 && counters.sent == total)
            // Of a provider that died, the packets that waited are gone, and three batches: one that it had, one on its
            // way to it, and one on its way back.
            let gone = total - order.count
            let most = kills * (TunnelPackets.queueLimit + 3 * 256)
            #expect(counters.delivered + counters.lost == total, "\(counters)")
            #expect(gone <= most && gone >= counters.lost, "\(gone) are gone, \(counters.lost) lost")
            #expect(kills > 0 || gone == 0)
            #expect(await stage.tunnel.restarts == kills)
            print(
                "tunnel: \(total) packets, \(kills) kills, \(gone) gone, \(Int(Double(total) / seconds)) packets a second"
            )
        }
    }

    // spec: NX-12, NX-18
    @Test("NX-12, NX-18: packets keep their order while the provider is killed, and only a restart loses any")
    func packetsSurviveKills() async throws {
        let isLong = ProcessInfo.processInfo.environment["EXTHOST_LONG_TESTS"] != nil
        try await run(packets: isLong ? 1_000_000 : 20_000, kills: isLong ? 10 : 2)
    }

    @Test("NX-12: without an end of the provider no packet is lost") func noneIsLost() async throws {
        try await run(packets: 20_000, kills: 0)
    }

    private static let page = """
        import urllib.request, socket
        print(urllib.request.urlopen("http://10.9.0.1/", timeout=10).read().decode().strip())
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.settimeout(10)
        s.sendto(b"hello", ("10.9.0.77", 7))
        print(s.recv(99).decode())
        try:
            socket.create_connection(("192.0.2.1", 80), 1)
        except OSError as error:
            print("unreachable")
        """

    // spec: NX-30, NX-34
    @Test("NX-30, NX-34: a command runs in a network whose only way out is the tunnel") func command() async throws {
        let tunnel = try samples() + "/Samples.app/PlugIns/EchoTunnel.appex"
        let ending = try await Program.control(
            ["run", tunnel, "--ephemeral", "--tun", "--", "python3", "-c", Self.page]
        ).ending()
        #expect(ending.status == 0, "\(ending)")
        let expected = "<html><body><p>Hello from the other end of the tunnel.</p></body></html>\nhello\nunreachable\n"
        #expect(ending.output.contains(expected), "\(ending)")
        let status = try await Program.control(
            ["run", tunnel, "--ephemeral", "--tun", "--", "sh", "-c", "exit 7"]
        ).ending()
        #expect(status.status == 7, "\(status)")
    }

    // spec: NX-34, PC-23
    @Test("NX-34: run sends packets and messages, and records both directions") func runOfTheTool() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let tunnel = try samples() + "/Samples.app/PlugIns/EchoTunnel.appex"
        let file = folder.path + "/packets.pcap"
        let first = try await Program.control(
            ["run", tunnel, "--ephemeral", "--message", "status", "--option", "a=b", "--pcap", file]
        ).ending()
        #expect(first.status == 0 && first.output.contains("message status: echo"), "\(first)")
        #expect(first.output.contains("packets: 1 sent, 1 received"), "\(first)")
        let recorded = try PacketCapture.packets(inFile: file)
        #expect(recorded.count == 2)
        let again = try await Program.control(["run", tunnel, "--ephemeral", "--send", "@" + file, "--json"]).ending()
        let document = try #require(try JSONSerialization.jsonObject(with: Data(again.output.utf8)) as? [String: Any])
        #expect((document["packets"] as? [String: Any])?["sent"] as? Int == 2, "\(again)")
        let hex = recorded[0].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let sent = try await Program.control(["run", tunnel, "--ephemeral", "--send", hex]).ending()
        #expect(sent.status == 0 && sent.output.contains("ICMP type 0"), "\(sent)")
        for (options, status) in [
            (["--send", "4500"], Int32(64)), (["--option", "x"], 64), (["--tun"], 64), (["--send", "@/nowhere"], 66),
            (["--option", "fail=Reason"], 1),
        ] {
            let ending = try await Program.control(["run", tunnel, "--ephemeral"] + options).ending()
            #expect(ending.status == status, "\(options): \(ending)")
        }
    }

    // spec: NX-34
    @Test("NX-34: run tells of a provider that died, in words, in JSON and by its status")
    func runOfATunnelThatDies() async throws {
        let bundles = try TestBundles()
        try TunnelStage.add(to: bundles)
        func run(_ options: String...) async throws -> Program.Ending {
            try await withTestDaemon(applications: [bundles.path]) { daemon in
                try await Program.run(
                    SampleApplications.buildFolder + "/exthostctl", ["run", TunnelStage.identifier] + options,
                    socket: daemon.address.path
                ).ending()
            }
        }
        let died = try await run("--option", "do=silent", "--message", "die", "--message", "hello", "--json")
        #expect(died.status == OutcomeKind.interrupted.exitStatus, "\(died)")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(died.output.utf8)) as? [String: Any])
        let replies = try #require(document["replies"] as? [Any])
        #expect(replies.count == 2 && replies.allSatisfy { $0 is NSNull }, "\(died)")
        #expect(document["outcome"] as? String == "ended", "\(died)")
        #expect((document["reason"] as? String)?.contains("exit status 6") == true, "\(died)")
        // A provider that only waits is not waited for. One that works on an answer is.
        let silent = try await run("--option", "do=silent")
        #expect(silent.status == 0 && silent.output.contains("1 sent, 0 received"), "\(silent)")
        let deaf = try await run("--option", "do=deaf")
        #expect(deaf.status == 0 && deaf.output.contains("1 sent, 0 received"), "\(deaf)")
        for packet in [[], ["--send", "4500001c000000004011000001020304010203040007000700080000"]] {
            let slow = try await withTestDaemon(applications: [bundles.path]) { daemon in
                try await Program.run(
                    SampleApplications.buildFolder + "/exthostctl",
                    ["run", TunnelStage.identifier, "--option", "do=slow"] + packet, socket: daemon.address.path
                ).ending()
            }
            #expect(slow.status == 0 && slow.output.contains("1 sent, 1 received"), "\(slow)")
        }
        // Without a provider the network has no way out, and the send fails.
        let datagram = """
            import socket, time
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            try:
                for i in range(3000):
                    s.sendto(b"x", ("10.9.0.1", 9))
                    time.sleep(0.01)
            except OSError: pass
            """
        let inNetwork = try await run("--option", "do=dieAtPacket", "--tun", "--", "python3", "-c", datagram)
        #expect(inNetwork.status == OutcomeKind.interrupted.exitStatus, "\(inNetwork)")
        #expect(inNetwork.output.hasPrefix("ended: ") && inNetwork.output.contains("exit status 4"), "\(inNetwork)")
    }

    // spec: PC-27, NX-34
    @Test("PC-27: a scenario starts a tunnel, sends packets and messages, and stops it") func scenario() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let ping = try #require(
            InternetPacket.echoRequest(from: "10.9.0.2", to: "10.9.0.1", identifier: 1, sequence: 1, data: [1]))
        let hex = ping.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let text = """
            extension org.exthost.samples.tunnel

            test "a tunnel comes up"
                tunnel start mode=fast
                expect result connected
                expect shown settings.mtu = 1400
                tunnel send \(hex)
                expect result answered
                expect shown count = 1
                tunnel message status
                expect result answered
                expect shown reply = "echo"
                tunnel stop
                expect result stopped
                expect shown packets.dropped = 0

            test "a tunnel fails"
                tunnel start fail=Reason
                expect result failed
                expect shown domain = "Reason"
            """
        let path = folder.path + "/tunnel.scenario"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let ending = try await Program.control(["test", path, "--applications", try samples()]).ending()
        #expect(ending.status == 0, "\(ending)")
    }
}
