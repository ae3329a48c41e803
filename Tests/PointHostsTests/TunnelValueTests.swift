// TunnelValueTests: settings that are checked, rules that hold, packets in a queue, and recorded packets.

import Foundation
import PointMessages
import Testing

@testable import PointHosts

@Suite struct TunnelValueTests {
    private func settings(_ address: String, mask: String) -> TunnelSettings {
        var settings = TunnelSettings("192.0.2.1")
        settings.ipv4 = NetworkAddresses([NetworkAddress(address, mask: mask)])
        return settings
    }

    // spec: NX-3
    @Test(
        "NX-3: what settings are invalid",
        arguments: [
            ("10.0.0.1", "255.255.255.0", true), ("10.0.0.1", "0.0.0.0", true), ("10.0.0.1", "255.255.255.255", true),
            ("10.0.0", "255.0.0.0", false), ("10.0.0.1", "255.0.255.0", false), ("10.0.0.1", "", false),
            ("", "255.0.0.0", false), ("fd00::1", "255.0.0.0", false),
        ])
    func faultsOfIPv4(address: String, mask: String, isValid: Bool) {
        #expect((settings(address, mask: mask).fault == nil) == isValid)
    }

    @Test func otherFaultsOfSettings() {
        let good = settings("10.0.0.1", mask: "255.0.0.0")
        func fault(_ change: (inout TunnelSettings) -> Void) -> String? {
            var settings = good
            change(&settings)
            return settings.fault
        }
        #expect(fault { _ in } == nil)
        #expect(fault { $0.remoteAddress = "" } != nil)
        #expect(fault { $0.mtu = 500 } != nil && fault { $0.mtu = 70_000 } != nil && fault { $0.mtu = 1_280 } == nil)
        #expect(fault { $0.ipv6 = NetworkAddresses([NetworkAddress("fd00::1", prefix: 129)]) } != nil)
        #expect(fault { $0.ipv6 = NetworkAddresses([NetworkAddress("fd00::1", prefix: 64)]) } == nil)
        #expect(fault { $0.ipv6 = NetworkAddresses([]) } != nil)
        #expect(fault { $0.ipv4?.included = [NetworkAddress("10.0.0.0", mask: "255.0.0.0", gateway: "x")] } != nil)
        let many = (0..<129).map { NetworkAddress("10.0.0.\($0)", mask: "255.255.255.255") }
        #expect(fault { $0.ipv4?.excluded = many } != nil)
        #expect(fault { $0.names = NetworkNames(["dns.example"]) } != nil)
        #expect(fault { $0.names = NetworkNames(["10.0.0.1", "fd00::1"]) } == nil)
        #expect(
            fault {
                $0.proxies = NetworkProxies()
                $0.proxies?.http = NetworkProxy("proxy", port: 0)
            } != nil)
    }

    // spec: NX-18
    @Test("NX-18: the first rule that holds for the network counts") func rules() {
        var ssid = OnDemandRule(action: 1)
        (ssid.interface, ssid.ssids) = (2, ["Café"])
        var servers = OnDemandRule(action: 2)
        servers.serverAddresses = ["10.*", "192.0.2.1"]
        var probe = OnDemandRule(action: 4)
        probe.probe = "http://probe.example"
        var domain = OnDemandRule(action: 3)
        domain.searchDomains = ["example.org"]
        var configuration = TunnelConfiguration("A", TunnelProtocol(provider: "P"))
        configuration.onDemandRules = [ssid, servers, probe, domain]
        func action(_ network: MachineNetwork) -> Int? { configuration.rule(for: network)?.action }
        #expect(action(MachineNetwork(.wiFi, ssid: "Café")) == nil)
        configuration.isOnDemandEnabled = true
        #expect(action(MachineNetwork(.wiFi, ssid: "Café")) == 1)
        #expect(action(MachineNetwork(.ethernet, ssid: "Café")) == nil)
        #expect(action(MachineNetwork(.ethernet, serverAddresses: ["10.1.2.3", "192.0.2.1"])) == 2)
        #expect(action(MachineNetwork(.ethernet, serverAddresses: ["10.1.2.3", "192.0.2.2"])) == nil)
        #expect(action(MachineNetwork(.ethernet, probes: ["http://probe.example"])) == 4)
        #expect(action(MachineNetwork(.ethernet, searchDomains: ["lab.example.org"])) == 3)
        #expect(action(MachineNetwork(.ethernet, searchDomains: ["notexample.org"])) == nil)
        #expect(action(MachineNetwork(.wiFi, ssid: "Café", path: NetworkPath(status: 2))) == nil)

        domain.connections = [
            OnDemandRule.ConnectionRule(action: 2, domains: ["public.example.org"]),
            OnDemandRule.ConnectionRule(action: 1, domains: ["*.example.org"]),
        ]
        #expect(domain.starts(for: "db.example.org", isResolved: false))
        #expect(!domain.starts(for: "db.example.org", isResolved: true))
        #expect(!domain.starts(for: "public.example.org", isResolved: false))
        #expect(!domain.starts(for: "elsewhere.net", isResolved: false))
    }

    // spec: NX-12
    @Test("NX-12: a queue keeps the order of its packets, and loses the oldest") func queue() {
        var (queue, model) = (PacketQueue(), [[UInt8]]())
        var random = SystemRandomNumberGenerator()
        var dropped = 0
        for number in 0..<5_000 {
            if number % 7 == 0 {
                let limit = Int.random(in: 1...400, using: &random)
                let taken = queue.take(bytes: limit, packets: 12)
                #expect(taken == Array(model.prefix(taken.count)))
                #expect(taken.reduce(0) { $0 + $1.count } <= limit || taken.count == 1)
                #expect(taken.count <= 12)
                model.removeFirst(taken.count)
            }
            let packet = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1 + number % 90)
            if queue.append(packet, most: 100) { dropped += 1 }
            model.append(packet)
            if model.count > 100 { model.removeFirst() }
            #expect(queue.count == model.count)
        }
        #expect(queue.take(bytes: .max, packets: .max) == model && queue.count == 0 && dropped > 0)
    }

    // spec: NX-33
    @Test("NX-33: recorded packets are read as they were written, and other files are refused by name") func capture()
        throws
    {
        let capture = PacketCapture(clock: { Date(timeIntervalSince1970: 1_700_000_000.25) })
        let packets = (0..<5).compactMap {
            InternetPacket.datagram(
                from: ("10.0.0.1", 1), to: ("10.0.0.2", UInt16($0)), [UInt8](repeating: 7, count: $0))
        }
        capture.add(packets)
        let file = capture.file
        #expect(try PacketCapture.packets(in: file) == packets)
        #expect(Array(file[..<4]) == [0xd4, 0xc3, 0xb2, 0xa1] && file[20] == 101)
        #expect(throws: PacketCapture.Fault.self) { try PacketCapture.packets(in: Array(file.dropLast())) }
        #expect(throws: PacketCapture.Fault.self) { try PacketCapture.packets(in: []) }
        #expect(throws: PacketCapture.Fault.self) { try PacketCapture.packets(in: [0x0a, 0x0d, 0x0d, 0x0a] + file) }
        var huge = file
        huge[35] = 0xff
        #expect(throws: PacketCapture.Fault.self) { try PacketCapture.packets(in: huge) }
        // Ethernet, in the other byte order, with a frame that is filled up and one of another protocol.
        func big(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * UInt32($0)) & 255) } }
        var other = big(0xa1b2_c3d4) + [0, 2, 0, 4] + big(0) + big(0) + big(65_535) + big(1)
        for frame in [packets[0] + [0, 0, 0, 0], [0, 1, 2, 3]] {
            let bytes = [UInt8](repeating: 0, count: 12) + [8, 0] + frame
            other += big(1) + big(2) + big(UInt32(bytes.count)) + big(UInt32(bytes.count)) + bytes
        }
        #expect(try PacketCapture.packets(in: other) == [packets[0]])
    }

    @Test func packetsHaveTheirChecksums() throws {
        let four = try #require(
            InternetPacket.echoRequest(from: "10.0.0.1", to: "10.0.0.2", identifier: 1, sequence: 2, data: [1, 2, 3]))
        #expect(InternetPacket.checksum(Array(four[..<20])) == 0 && InternetPacket.checksum(Array(four[20...])) == 0)
        let six = try #require(InternetPacket.datagram(from: ("fd00::1", 5), to: ("fd00::2", 6), [9]))
        let body = Array(six[40...])
        let pseudo = Array(six[8..<40]) + [0, 0, 0, UInt8(body.count), 0, 0, 0, 17]
        #expect(InternetPacket.checksum(pseudo + body) == 0)
        #expect(InternetPacket.summary(of: six) == "fd00::1:5 > fd00::2:6, UDP, 49 bytes")
        #expect(
            InternetPacket.echoRequest(from: "10.0.0.1", to: "fd00::1", identifier: 1, sequence: 1, data: []) == nil)
    }

    // spec: NX-11
    @Test("NX-11: what is an IP packet") func packets() throws {
        let packet = try #require(InternetPacket.datagram(from: ("10.0.0.1", 1), to: ("10.0.0.2", 2), [1]))
        #expect(TunnelPacket.packet(of: TunnelPacket.written(packet, family: 2)) == packet)
        #expect(TunnelPacket.packet(of: TunnelPacket.written(packet, family: 30)) == nil)
        #expect(TunnelPacket.packet(of: TunnelPacket.written(packet, family: 10)) == nil)
        #expect(TunnelPacket.packet(of: TunnelPacket.written(packet, family: -1)) == nil)
        #expect(TunnelPacket.packet(of: TunnelPacket.written(packet.dropLast(), family: 2)) == nil)
        #expect(TunnelPacket.packet(of: TunnelPacket.written(Array("no packet".utf8), family: 2)) == nil)
        #expect(TunnelPacket.packet(of: []) == nil && TunnelPacket.packet(of: TunnelPacket.question) == nil)
    }
}
