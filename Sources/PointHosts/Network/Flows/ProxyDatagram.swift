// ProxyDatagram: the datagrams that programs send through a SOCKS5 proxy (RFC 1928, section 7).

internal import Glibc
internal import PointMessages

/// The form of datagrams, with the other side's place before the contents.
enum ProxyDatagram {
    /// The form on the socket of an association.
    static let form = DatagramServer.Form(read: { read($0) }, write: { write($0) })

    /// - Returns: nil for a fragment, or bytes that are none.
    static func read(_ bytes: [UInt8]) -> FlowDatagram? {
        guard bytes.count >= 4, bytes[2] == 0 else { return nil }
        var rest = bytes[4...]
        func take(_ count: Int) -> [UInt8]? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        let host: String?
        switch bytes[3] {
        case 1: host = take(4).map { ProxyRequest.address($0) }
        case 3: host = take(1).flatMap { take(Int($0[0])) }.map { String(decoding: $0, as: UTF8.self) }
        case 4: host = take(16).map { ProxyRequest.address($0) }
        default: return nil
        }
        guard let host, ProxyRequest.isHost(host), let port = take(2) else { return nil }
        return FlowDatagram(Array(rest), FlowEndpoint(host, Int(port[0]) << 8 | Int(port[1])))
    }

    /// - Returns: nil if the other side's place cannot be written.
    static func write(_ datagram: FlowDatagram) -> [UInt8]? {
        let (host, port) = (datagram.endpoint.host, datagram.endpoint.port)
        var place: [UInt8]
        var address = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, host, &address) == 1 {
            place = [1] + address.prefix(4)
        } else if inet_pton(AF_INET6, host, &address) == 1 {
            place = [4] + address
        } else if (1...255).contains(host.utf8.count) {
            place = [3, UInt8(host.utf8.count)] + Array(host.utf8)
        } else {
            return nil
        }
        return [0, 0, 0] + place + [UInt8(port >> 8 & 0xff), UInt8(port & 0xff)] + datagram.bytes
    }
}
