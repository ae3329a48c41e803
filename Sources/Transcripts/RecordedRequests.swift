// RecordedRequests: the assignment of a session's packets to requests.

public import ExtensionProtocol
import PropertyListCoding

/// A tracker that follows a session packet by packet.
///
/// A packet that names no request belongs to the request of the packet that it answers.
public struct RecordedRequests: Sendable {
    private struct Place: Hashable {
        let connection: Int
        let isFromDaemon: Bool
        let serial: Int
    }

    private var asked: [Place: String] = [:]

    public init() {}

    /// Returns the identifier of the request that `packet` belongs to, as the packet spells it.
    ///
    /// It must be called for every packet, in order.
    public mutating func request(of packet: RecordedPacket) -> String? {
        let request =
            packet.body[Key.request.rawValue]?.string
            ?? (packet.answers == 0
                ? nil
                : asked[
                    Place(connection: packet.connection, isFromDaemon: !packet.isFromDaemon, serial: packet.answers)])
        if let request {
            asked[Place(connection: packet.connection, isFromDaemon: packet.isFromDaemon, serial: packet.serial)] =
                request
        }
        return request
    }
}

extension Transcript {
    /// The packets in order, each with the request that it belongs to.
    public var packets: [(packet: RecordedPacket, request: String?)] {
        var requests = RecordedRequests()
        return entries.compactMap {
            guard case .packet(let packet) = $0.content else { return nil }
            return (packet, requests.request(of: packet))
        }
    }
}
