// PacketDisturbance: disturbances of packets below serials and credit, for faults on demand.

import ExtensionWire
import LinuxDescriptors

/// A disturbance of the next packet.
///
/// Credit, last words and liveness questions pass unchanged: nobody controls when they come.
public enum PacketDisturbance: Sendable, Hashable {
    /// The packet loses its end: its first `share` of 256 parts arrive, at least one byte and not all.
    case truncated(share: UInt8)
    case duplicated
    /// The packet arrives after the one that follows it.
    case late
    /// Bytes that arrive before the packet.
    case noise([UInt8])
}

/// A packet on its way.
struct TravellingPacket: Sendable {
    var bytes: [UInt8]
    var descriptors: [SharedDescriptor]
}

/// The disturbed packets of one direction; a connection has this value only while a disturbance is pending.
struct DisturbedPackets: Sendable {
    private var disturbance: PacketDisturbance?
    /// The packet that waits for the packet that follows it.
    private var late: TravellingPacket?
    /// The packets that have arrived, to be read before any other.
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

    /// Whether no disturbance is pending.
    var isOver: Bool { disturbance == nil && late == nil && arrived.isEmpty }

    /// Takes a packet from the socket or queue; appends what results from it to `arrived`.
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
