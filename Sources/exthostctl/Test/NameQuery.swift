// NameQuery: a query for the addresses of a name, and the answer to it (RFC 1035, section 4).

import Glibc
import PointMessages

/// A query of a scenario's program.
struct NameQuery: Sendable {
    /// The name server that the program asks.
    static let server = FlowEndpoint("192.0.2.53", 53)
    private static let number: [UInt8] = [0x45, 0x58]

    private let question: [UInt8]
    private let type: UInt8

    /// The query as a datagram.
    var message: [UInt8] { Self.number + [1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + question }

    /// - Parameter name: labels of 1 to 63 bytes.
    init(_ name: String, isIPv6: Bool) {
        type = isIPv6 ? 28 : 1
        let labels = name.split(separator: ".").map { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        question = labels.flatMap { $0 } + [0, 0, type, 0, 1]
    }

    /// Reads an answer of a provider, which may have any bytes.
    ///
    /// - Returns: the response code, and the addresses of the asked type; nil for bytes that do not answer the query.
    func answer(_ bytes: [UInt8]) -> (code: Int, addresses: [String])? {
        guard bytes.count >= 12, Array(bytes[..<2]) == Self.number, bytes[2] & 0x80 != 0 else { return nil }
        func number(_ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }
        var offset = 12
        for _ in 0..<number(4) {
            guard let end = Self.endOfName(bytes, offset), end + 4 <= bytes.count else { return nil }
            offset = end + 4
        }
        var addresses: [String] = []
        for _ in 0..<number(6) {
            guard let end = Self.endOfName(bytes, offset), end + 10 <= bytes.count else { return nil }
            let data = end + 10..<end + 10 + number(end + 8)
            guard data.upperBound <= bytes.count else { return nil }
            if number(end) == Int(type), number(end + 2) == 1 {
                guard let address = Self.address(Array(bytes[data])) else { return nil }
                addresses.append(address)
            }
            offset = data.upperBound
        }
        return (Int(bytes[3] & 15), addresses)
    }

    /// Returns the place after a name, whose rest may be at another place.
    private static func endOfName(_ bytes: [UInt8], _ start: Int) -> Int? {
        var offset = start
        while offset < bytes.count {
            switch bytes[offset] {
            case 0: return offset + 1
            case 0xc0...: return offset + 2 <= bytes.count ? offset + 2 : nil
            case ..<64: offset += Int(bytes[offset]) + 1
            default: return nil
            }
        }
        return nil
    }

    private static func address(_ bytes: [UInt8]) -> String? {
        guard [4, 16].contains(bytes.count) else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else {
            return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
