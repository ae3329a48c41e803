// PacketCapture: recorded packets, as files of libpcap's format.

public import Foundation
import LinuxDescriptors
import LinuxSystem
import Locks
import PointMessages

/// A record of IP packets, within bounds. Safe to use from any thread.
public final class PacketCapture: Sendable {
    /// The most bytes of a file.
    public static let largestFile = 64 << 20
    /// The most packets of a file.
    public static let mostPackets = 1_000_000

    private struct State {
        var bytes: [UInt8] = PacketCapture.header
        var count = 0
        var omitted = 0
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> Date

    /// Makes an empty record.
    public init(clock: @escaping @Sendable () -> Date = { Date() }) { self.clock = clock }

    /// The number of packets, and of those for which there was no room.
    public var count: (recorded: Int, omitted: Int) { state.withLock { ($0.count, $0.omitted) } }

    /// The record as the contents of a file: of version 2.4, with packets of LINKTYPE_RAW.
    public var file: [UInt8] { state.withLock { $0.bytes } }

    /// Adds packets.
    public func add(_ packets: [[UInt8]]) {
        let time = clock().timeIntervalSince1970
        let seconds = UInt32(clamping: Int(time))
        let micros = UInt32(clamping: Int((time - Double(seconds)) * 1_000_000))
        state.withLock { state in
            for packet in packets {
                guard state.count < Self.mostPackets, state.bytes.count + 16 + packet.count <= Self.largestFile else {
                    state.omitted += 1
                    continue
                }
                state.count += 1
                for number in [seconds, micros, UInt32(packet.count), UInt32(packet.count)] {
                    Self.append(number, to: &state.bytes)
                }
                state.bytes += packet
            }
        }
    }

    private static var header: [UInt8] {
        var bytes: [UInt8] = []
        // The magic number; version 2.4; zone and accuracy; the most bytes of a packet; LINKTYPE_RAW.
        for number in [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 101] as [UInt32] { append(number, to: &bytes) }
        return bytes
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    // MARK: Reading

    /// A file that is no record, or beyond the bounds.
    public struct Fault: Error, CustomStringConvertible, LocalizedError {
        public let description: String
        public var errorDescription: String? { description }
    }

    /// Reads the IP packets of a file.
    ///
    /// - Throws: `Fault`; `SystemError` if the file cannot be read.
    public static func packets(inFile path: String) throws -> [[UInt8]] {
        try packets(in: try readFile(path, maximumSize: largestFile))
    }

    /// Reads the IP packets of a record. Packets of other protocols are left out.
    ///
    /// It reads both byte orders and both units of time, with packets of LINKTYPE_RAW, NULL, Ethernet or Linux's
    /// cooked form.
    ///
    /// - Throws: `Fault` for other formats, for a packet that was cut, or for too many.
    public static func packets(in bytes: [UInt8]) throws -> [[UInt8]] {
        guard bytes.count >= 24 else { throw Fault(description: "the file has no header of a record of packets") }
        let isLittle: Bool
        switch number(bytes, 0, isLittle: true) {
        case 0xa1b2_c3d4, 0xa1b2_3c4d: isLittle = true
        case 0xd4c3_b2a1, 0x4d3c_b2a1: isLittle = false
        case 0x0a0d_0d0a:
            throw Fault(description: "the file is of the format pcapng; convert it: editcap -F pcap IN OUT")
        default: throw Fault(description: "the file is no record of packets of libpcap's format")
        }
        let link = number(bytes, 20, isLittle: isLittle) & 0xffff
        let prefix: Int
        switch link {
        case 101, 12, 228, 229: prefix = 0
        case 0, 108: prefix = 4
        case 1: prefix = 14
        case 113: prefix = 16
        default: throw Fault(description: "the packets of the file are of LINKTYPE \(link), which has no reader here")
        }
        var (offset, found) = (24, [[UInt8]]())
        var seen = 0
        while offset < bytes.count {
            guard bytes.count - offset >= 16 else {
                throw Fault(description: "the file ends within packet \(seen + 1)")
            }
            let (stored, whole) = (
                Int(number(bytes, offset + 8, isLittle: isLittle)), Int(number(bytes, offset + 12, isLittle: isLittle))
            )
            offset += 16
            seen += 1
            guard seen <= mostPackets else { throw Fault(description: "the file has more than \(mostPackets) packets") }
            guard stored <= bytes.count - offset else {
                throw Fault(description: "the file ends within packet \(seen)")
            }
            guard stored == whole else { throw Fault(description: "packet \(seen) was cut when it was recorded") }
            defer { offset += stored }
            guard stored > prefix, stored - prefix <= TunnelPacket.largest else { continue }
            var packet = bytes[(offset + prefix)..<(offset + stored)]
            // Ethernet fills short frames up.
            if let length = length(of: packet), length < packet.count { packet = packet.prefix(length) }
            let copy = [UInt8](packet)
            if TunnelPacket.isPacket(copy[...], family: TunnelPacket.family(of: copy)) { found.append(copy) }
        }
        return found
    }

    /// The length that the header of an IP packet states.
    private static func length(of packet: ArraySlice<UInt8>) -> Int? {
        func number(_ offset: Int) -> Int {
            Int(packet[packet.startIndex + offset]) << 8 | Int(packet[packet.startIndex + offset + 1])
        }
        switch packet.first.map({ $0 >> 4 }) {
        case 4 where packet.count >= 20: return number(2)
        case 6 where packet.count >= 40: return number(4) + 40
        default: return nil
        }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, isLittle: Bool) -> UInt32 {
        let value =
            UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2]) << 16
            | UInt32(bytes[offset + 3]) << 24
        return isLittle ? value : value.byteSwapped
    }
}
