// TunnelPacket: the entries of a tunnel's stream.
//
// To the extension, an entry is an IP packet. From the extension, an entry is the question for packets, one byte 1, or a
// packet behind two bytes: 0 and the number of its protocol. The host sends packets only after a question: at most 256 at
// once, which the extension gets in one piece.

/// The entries of a tunnel's stream, and the headers of IP packets.
public enum TunnelPacket {
    /// The most bytes of an IP packet.
    public static let largest = 65_535
    /// The entry that asks for packets.
    public static let question: [UInt8] = [1]
    /// The numbers of the protocols, as on Apple's systems: `AF_INET` and `AF_INET6`.
    public static let (ipv4, ipv6) = (UInt8(2), UInt8(30))

    /// The number of a packet's protocol.
    public static func family(of packet: [UInt8]) -> UInt8 {
        packet.first.map { $0 >> 4 } == 6 ? ipv6 : ipv4
    }

    /// Returns the entry of a packet that the extension writes. A number of no protocol becomes 0.
    public static func written<Bytes: Collection>(_ packet: Bytes, family: Int) -> [UInt8]
    where Bytes.Element == UInt8 {
        var entry: [UInt8] = []
        entry.reserveCapacity(packet.count + 2)
        entry.append(0)
        entry.append(UInt8(exactly: family) ?? 0)
        entry.append(contentsOf: packet)
        return entry
    }

    /// Returns the packet that the extension has written; nil if the entry has none.
    public static func packet(of entry: [UInt8]) -> [UInt8]? {
        guard entry.count > 2, entry[0] == 0, isPacket(entry[2...], family: entry[1]) else { return nil }
        return [UInt8](entry[2...])
    }

    /// Whether bytes are an IP packet of a protocol: the version, the lengths of the header and of the whole.
    public static func isPacket(_ bytes: ArraySlice<UInt8>, family: UInt8) -> Bool {
        guard let first = bytes.first, bytes.count <= largest else { return false }
        func number(_ offset: Int) -> Int {
            Int(bytes[bytes.startIndex + offset]) << 8 | Int(bytes[bytes.startIndex + offset + 1])
        }
        switch (first >> 4, family) {
        case (4, ipv4):
            let header = Int(first & 15) * 4
            return header >= 20 && bytes.count >= header && number(2) >= header && number(2) <= bytes.count
        case (6, ipv6): return bytes.count >= 40 && number(4) + 40 <= bytes.count
        default: return false
        }
    }
}
