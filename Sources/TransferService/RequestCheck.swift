// RequestCheck: the checks of requests that come from clients.

internal import TransferMessages

extension TransferRequest {
    /// The scheme in lower case, and the host name; nil if the text is no absolute URL of ASCII characters.
    var address: (scheme: String, host: String)? {
        guard url.utf8.count <= 8192, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            let colon = url.firstIndex(of: ":")
        else { return nil }
        let scheme = url[..<colon].lowercased()
        var rest = url[url.index(after: colon)...]
        guard let first = scheme.utf8.first, (97...122).contains(first),
            scheme.utf8.allSatisfy({ isTokenCharacter($0) })
        else { return nil }
        guard rest.hasPrefix("//") else { return (scheme, "") }
        rest = rest.dropFirst(2).prefix { !"/?#\\".contains($0) }
        if let mark = rest.lastIndex(of: "@") { rest = rest[rest.index(after: mark)...] }
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            return (scheme, String(rest[...end]).lowercased())
        }
        return (scheme, String(rest.prefix { $0 != ":" }).lowercased())
    }

    /// The reason why the request cannot be performed (BT-7); nil if it can.
    var fault: TransferFault? {
        guard let address else {
            return TransferFault(URLErrorCode.badURL, "this is no absolute URL: \(url.prefix(200))")
        }
        guard address.scheme == "http" || address.scheme == "https" else {
            return TransferFault(
                URLErrorCode.unsupportedURL, "a background session takes http and https only, not \(address.scheme)")
        }
        guard !address.host.isEmpty else { return TransferFault(URLErrorCode.badURL, "the URL names no host") }
        guard (1...32).contains(method.utf8.count), method.utf8.allSatisfy(isTokenCharacter) else {
            return TransferFault(URLErrorCode.unknown, "this is no method of HTTP: \(method.prefix(40))")
        }
        return headers.fault
    }
}

extension [TransferHeader] {
    /// The reason why these fields cannot be sent; nil if they can.
    var fault: TransferFault? {
        guard count <= 128, reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= 64 << 10 else {
            return TransferFault(URLErrorCode.unknown, "the header fields exceed 128, or 64 KiB")
        }
        for header in self {
            guard !header.name.isEmpty, header.name.utf8.allSatisfy(isTokenCharacter),
                header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 9 })
            else {
                return TransferFault(URLErrorCode.unknown, "this is no header field of HTTP: \(header.name.prefix(80))")
            }
        }
        return nil
    }

    /// Returns these fields, and those of a session that they lack, without the fields that the engine sets itself.
    func sent(with session: [TransferHeader]) -> [TransferHeader] {
        let own: Set<String> = ["connection", "content-length", "expect", "if-range", "transfer-encoding"]
        let names = Set(map { $0.name.lowercased() })
        return (self + session.filter { !names.contains($0.name.lowercased()) })
            .filter { !own.contains($0.name.lowercased()) }
    }
}

/// Whether a byte may stand in a token (RFC 9110, section 5.6.2).
private func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122: true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
        UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
        true
    default: false
    }
}
