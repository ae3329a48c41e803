// PacketDisturbance: what may befall a packet on its way, below serials and credit, for faults on demand.

import ExtensionWire
import LinuxDescriptors

/// Of the next packet that says something of the two sides' business. Credit, last words and questions whether somebody is there pass:
/// when they come is nobody's choice.
public enum PacketDisturbance: Sendable, Hashable {
    /// Its first bytes only, at least one and not all: `share` of 256 parts of them.
    case truncated(share: UInt8)
    case duplicated
    /// It comes after the one that follows it.
    case late
    /// These bytes come, and before it.
    case noise([UInt8])
}

/// A packet as it travels.
struct TravellingPacket: Sendable {
    var bytes: [UInt8]
    var descriptors: [SharedDescriptor]
}

/// The packets of one direction that something befalls; a connection has one only where something does.
struct DisturbedPackets: Sendable {
    private var disturbance: PacketDisturbance?
    /// Waits for the packet that follows it.
    private var late: TravellingPacket?
    /// Have come, and are to be taken before any other.
    private(set) var arrived: [TravellingPacket] = []

    mutating func disturb(_ disturbance: PacketDisturbance) {
        if case .noise(let bytes) = disturbance {
            arrived.append(TravellingPacket(bytes: bytes, descriptors: []))
        } else {
            self.disturbance = disturbance
        }
    }

    private static let questions = Set(
        [MessageKind.fence, .fenceReply, .checkMainQueue, .mainQueueRuns].map(\.rawValue))

    mutating func takeArrived() -> TravellingPacket? { arrived.isEmpty ? nil : arrived.removeFirst() }

    /// Nothing is left to happen.
    var isOver: Bool { disturbance == nil && late == nil && arrived.isEmpty }

    /// A packet comes from where packets come from; what comes of it is in `arrived`.
    mutating func pass(_ packet: TravellingPacket, _ header: PacketHeader?) {
        if header?.serial == 0 { return arrived.append(packet) }
        var met: PacketDisturbance?
        if !Self.questions.contains(header?.kind ?? 0) { swap(&met, &disturbance) }
        switch met {
        case .truncated(let share):
            let count = max(1, min(packet.bytes.count - 1, packet.bytes.count * Int(share) / 256))
            arrived.append(TravellingPacket(bytes: Array(packet.bytes[..<count]), descriptors: packet.descriptors))
        case .duplicated: arrived += [packet, packet]
        case .late:
            late = packet
            return
        case .noise, nil: arrived.append(packet)
        }
        if let late {
            arrived.append(late)
            self.late = nil
        }
    }
}
