// RecordedRequests: which request each packet of a session is about.

public import ExtensionProtocol
import PropertyListCoding

/// Follows a session packet by packet. A packet that names no request is about that of the one which it answers.
public struct RecordedRequests: Sendable {
    private struct Place: Hashable {
        let connection: Int
        let isFromDaemon: Bool
        let serial: Int
    }

    private var asked: [Place: String] = [:]

    public init() {}

    /// The request that `packet` is about, as it writes it; to be asked for every packet, in order.
    public mutating func request(of packet: RecordedPacket) -> String? {
        let request =
            packet.body[Key.request.rawValue]?.string
            ?? (packet.answers == 0
                ? nil : asked[Place(connection: packet.connection, isFromDaemon: !packet.isFromDaemon, serial: packet.answers)])
        if let request {
            asked[Place(connection: packet.connection, isFromDaemon: packet.isFromDaemon, serial: packet.serial)] = request
        }
        return request
    }
}

extension Transcript {
    /// Its packets in order, each with the request that it is about.
    public var packets: [(packet: RecordedPacket, request: String?)] {
        var requests = RecordedRequests()
        return entries.compactMap {
            guard case .packet(let packet) = $0.content else { return nil }
            return (packet, requests.request(of: packet))
        }
    }
}
