// EchoTunnel: a packet tunnel whose far end is itself. It answers pings, UDP and a request of HTTP, without a network.

import NetworkExtension

/// A tunnel to the network 10.9.0.0/24. Each of its addresses answers.
final class EchoTunnel: NEPacketTunnelProvider {
    override func startTunnel(options: [String: NSObject]? = nil) async throws {
        if let reason = options?["fail"] as? String { throw NSError(domain: reason, code: 1) }
        let configured = protocolConfiguration as? NETunnelProviderProtocol
        let settings = NEPacketTunnelNetworkSettings(tunnelRemoteAddress: configured?.serverAddress ?? "10.9.0.1")
        let ipv4 = NEIPv4Settings(addresses: ["10.9.0.2"], subnetMasks: ["255.255.255.0"])
        ipv4.includedRoutes = [NEIPv4Route(destinationAddress: "10.9.0.0", subnetMask: "255.255.255.0")]
        settings.ipv4Settings = ipv4
        settings.ipv6Settings = NEIPv6Settings(addresses: ["fd00:9::2"], networkPrefixLengths: [64])
        settings.dnsSettings = NEDNSSettings(servers: ["10.9.0.1"])
        settings.mtu = 1_400
        try await setTunnelNetworkSettings(settings)
        answerNextPackets()
        print("the tunnel is up")
    }

    override func stopTunnel(with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void) {
        print("the tunnel stops, reason \(reason.rawValue)")
        completionHandler()
    }

    override func handleAppMessage(_ messageData: Data) async -> Data? {
        messageData == Data("status".utf8) ? Data("echo".utf8) : messageData
    }

    private func answerNextPackets() {
        packetFlow.readPackets { [packetFlow, weak self] packets, protocols in
            var answers: [Data] = []
            var numbers: [NSNumber] = []
            for (packet, number) in zip(packets, protocols) {
                guard let answer = Answer.to([UInt8](packet)) else { continue }
                answers.append(Data(answer))
                numbers.append(number)
            }
            if !answers.isEmpty { packetFlow.writePackets(answers, withProtocols: numbers) }
            self?.answerNextPackets()
        }
    }
}

/// The answers to packets. They depend on the packet alone.
enum Answer {
    static func to(_ packet: [UInt8]) -> [UInt8]? {
        guard packet.count >= 20 else { return nil }
        let isIPv6 = packet[0] >> 4 == 6
        let start = isIPv6 ? 40 : Int(packet[0] & 15) * 4
        guard packet.count >= start + 8 else { return nil }
        let body = Array(packet[start...])
        switch (isIPv6 ? packet[6] : packet[9], body[0]) {
        case (1, 8): return turned(packet, start, [0] + body[1...], checksumAt: 2, hasPseudoHeader: false)
        case (58, 128): return turned(packet, start, [129] + body[1...], checksumAt: 2)
        case (17, _):
            return turned(packet, start, Array(body[2..<4] + body[0..<2] + body[4...]), checksumAt: 6)
        case (6, _): return segment(packet, start, body)
        default: return nil
        }
    }

    private static let page = "<html><body><p>Hello from the other end of the tunnel.</p></body></html>\n"

    /// The answer to a segment of TCP: one request gets one page, and the connection ends.
    private static func segment(_ packet: [UInt8], _ start: Int, _ body: [UInt8]) -> [UInt8]? {
        guard body.count >= 20, body.count >= Int(body[12] >> 4) * 4 else { return nil }
        let data = body[(Int(body[12] >> 4) * 4)...]
        let flags = body[13]
        let (fin, syn, reset, acknowledges) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0, flags & 16 != 0)
        if reset { return nil }
        let (sequence, acknowledged) = (number(body, 4), number(body, 8))
        let next = sequence &+ UInt32(data.count) &+ (syn ? 1 : 0) &+ (fin ? 1 : 0)
        var answer = Array(body[2..<4] + body[0..<2])
        if syn {
            answer += bytes(0x1234_5678) + bytes(next) + [0x50, 0x12]
        } else if !data.isEmpty {
            answer += bytes(acknowledged) + bytes(next) + [0x50, 0x19]
        } else if fin, acknowledges {
            answer += bytes(acknowledged) + bytes(next) + [0x50, 0x10]
        } else {
            return nil
        }
        answer += [0xff, 0xff, 0, 0, 0, 0]
        if !data.isEmpty {
            answer += Array(
                "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)".utf8)
        }
        return turned(packet, start, answer, checksumAt: 16)
    }

    /// Returns a packet from the receiver to the sender of another.
    private static func turned(
        _ packet: [UInt8], _ start: Int, _ body: [UInt8], checksumAt place: Int, hasPseudoHeader: Bool = true
    ) -> [UInt8] {
        var header = Array(packet[..<start])
        var body = body
        let isIPv6 = header[0] >> 4 == 6
        let length = isIPv6 ? body.count : start + body.count
        (header[isIPv6 ? 4 : 2], header[isIPv6 ? 5 : 3]) = (UInt8(length >> 8 & 255), UInt8(length & 255))
        let addresses = isIPv6 ? header[24..<40] + header[8..<24] : header[16..<20] + header[12..<16]
        header.replaceSubrange((isIPv6 ? 8 : 12)..<(isIPv6 ? 40 : 20), with: addresses)
        (body[place], body[place + 1]) = (0, 0)
        var summed = body
        if hasPseudoHeader {
            summed = Array(addresses) + [0, isIPv6 ? header[6] : header[9]]
            summed += [UInt8(body.count >> 8), UInt8(body.count & 255)] + body
        }
        let sum = checksum(summed)
        (body[place], body[place + 1]) = (UInt8(sum >> 8), UInt8(sum & 255))
        if !isIPv6 {
            (header[10], header[11]) = (0, 0)
            let sum = checksum(header)
            (header[10], header[11]) = (UInt8(sum >> 8), UInt8(sum & 255))
        }
        return header + body
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var sum: UInt32 = 0
        for index in stride(from: 0, to: bytes.count, by: 2) {
            sum += UInt32(bytes[index]) << 8 | (index + 1 < bytes.count ? UInt32(bytes[index + 1]) : 0)
        }
        while sum > 0xffff { sum = (sum & 0xffff) + (sum >> 16) }
        return ~UInt16(sum)
    }

    private static func number(_ body: [UInt8], _ place: Int) -> UInt32 {
        body[place..<(place + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(number >> (24 - 8 * UInt32($0)) & 255) }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
