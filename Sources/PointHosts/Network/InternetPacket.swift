// InternetPacket: IP packets that hosts and tests make and read.

import Glibc
import PointMessages

/// IP packets with correct lengths and checksums.
public enum InternetPacket {
    /// The numbers of the protocols inside IP.
    public static let (icmp, tcp, udp, icmpv6) = (UInt8(1), UInt8(6), UInt8(17), UInt8(58))

    /// Makes an ICMP echo request.
    ///
    /// - Parameters:
    ///   - source: the sender's address.
    ///   - destination: the receiver's, of the same family.
    ///   - identifier: the number of the series.
    ///   - sequence: the number in the series.
    ///   - data: what the answer repeats.
    /// - Returns: nil if the addresses are none, or of two families.
    public static func echoRequest(
        from source: String, to destination: String, identifier: UInt16, sequence: UInt16, data: [UInt8]
    ) -> [UInt8]? {
        let isIPv6 = source.contains(":")
        let head: [UInt8] = [isIPv6 ? 128 : 8, 0, 0, 0] + bytes(identifier) + bytes(sequence)
        return make(isIPv6 ? icmpv6 : icmp, from: source, to: destination, head + data, checksumAt: 2)
    }

    /// Makes a UDP packet.
    ///
    /// - Returns: nil if the addresses are none, or of two families.
    public static func datagram(
        from source: (String, UInt16), to destination: (String, UInt16), _ data: [UInt8]
    ) -> [UInt8]? {
        guard data.count <= 65_000 else { return nil }
        let head = bytes(source.1) + bytes(destination.1) + bytes(UInt16(8 + data.count)) + [0, 0]
        return make(udp, from: source.0, to: destination.0, head + data, checksumAt: 6)
    }

    /// The part behind the IP header; nil if the bytes are no IP packet.
    public static func payload(of packet: [UInt8]) -> (protocol: UInt8, bytes: ArraySlice<UInt8>)? {
        guard TunnelPacket.isPacket(packet[...], family: TunnelPacket.family(of: packet)) else { return nil }
        if packet[0] >> 4 == 6 { return (packet[6], packet[40...]) }
        return (packet[9], packet[(Int(packet[0] & 15) * 4)...])
    }

    /// A line about a packet, without its contents.
    public static func summary(of packet: [UInt8]) -> String {
        guard let (number, inner) = payload(of: packet) else { return "\(packet.count) bytes that are no IP packet" }
        let isIPv6 = packet[0] >> 4 == 6
        let source = isIPv6 ? text(packet[8..<24]) : text(packet[12..<16])
        let destination = isIPv6 ? text(packet[24..<40]) : text(packet[16..<20])
        func port(_ offset: Int) -> String {
            guard inner.count >= 4 else { return "" }
            let at = inner.startIndex + offset
            return ":\(Int(inner[at]) << 8 | Int(inner[at + 1]))"
        }
        let (name, hasPorts): (String, Bool) =
            switch number {
            case icmp, icmpv6: ("ICMP\(inner.first.map { " type \($0)" } ?? "")", false)
            case tcp: ("TCP", true)
            case udp: ("UDP", true)
            default: ("protocol \(number)", false)
            }
        return
            "\(source)\(hasPorts ? port(0) : "") > \(destination)\(hasPorts ? port(2) : ""), \(name), \(packet.count) bytes"
    }

    private static func text(_ address: ArraySlice<UInt8>) -> String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = address.count == 4 ? AF_INET : AF_INET6
        return Array(address).withUnsafeBytes { bytes in
            inet_ntop(family, bytes.baseAddress, &buffer, socklen_t(buffer.count)).map { String(cString: $0) } ?? "?"
        }
    }

    private static func make(
        _ number: UInt8, from source: String, to destination: String, _ body: [UInt8], checksumAt place: Int
    ) -> [UInt8]? {
        guard let source = address(source), let destination = address(destination),
            source.count == destination.count, body.count <= 65_000
        else { return nil }
        var body = body
        // ICMP of IPv4 alone has no pseudo header in its sum.
        var pseudo: [UInt8] = []
        if number != icmp {
            pseudo = source + destination
            pseudo +=
                source.count == 4
                ? [0, number] + bytes(UInt16(body.count)) : [0, 0] + bytes(UInt16(body.count)) + [0, 0, 0, number]
        }
        var sum = checksum(pseudo + body)
        if number == udp, sum == 0 { sum = 0xffff }
        (body[place], body[place + 1]) = (UInt8(sum >> 8), UInt8(sum & 255))
        if source.count == 16 {
            return [0x60, 0, 0, 0] + bytes(UInt16(body.count)) + [number, 64] + source + destination + body
        }
        var header: [UInt8] =
            [0x45, 0] + bytes(UInt16(20 + body.count)) + [0, 0, 0x40, 0, 64, number, 0, 0] + source + destination
        let headerSum = checksum(header)
        (header[10], header[11]) = (UInt8(headerSum >> 8), UInt8(headerSum & 255))
        return header + body
    }

    /// The checksum of the Internet's protocols (RFC 1071). Of bytes with their own checksum it is 0.
    public static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var sum: UInt32 = 0
        for index in stride(from: 0, to: bytes.count, by: 2) {
            sum += UInt32(bytes[index]) << 8 | (index + 1 < bytes.count ? UInt32(bytes[index + 1]) : 0)
        }
        while sum > 0xffff { sum = (sum & 0xffff) + (sum >> 16) }
        return ~UInt16(sum)
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

    private static func address(_ text: String) -> [UInt8]? {
        guard text.utf8.count < 64 else { return nil }
        let isIPv6 = text.contains(":")
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        return inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes) == 1 ? bytes : nil
    }
}
