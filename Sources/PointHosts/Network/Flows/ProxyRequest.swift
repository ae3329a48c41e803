// ProxyRequest: a program's request to a SOCKS5 or HTTP proxy, and the proxy's answer.

internal import PointMessages

/// A connection that a program asks a proxy for.
struct ProxyRequest: Sendable, Hashable {
    /// The protocol in which the program asks.
    enum Dialect: Sendable, Hashable {
        /// SOCKS version 5 (RFC 1928).
        case socks
        /// HTTP CONNECT (RFC 9110, section 9.3.6).
        case connect
        /// SOCKS version 5: a way for datagrams, as long as the connection.
        case association
        /// A request of HTTP for a whole URL (RFC 9112, section 3.2.2).
        case load(url: String)
    }

    /// The answer of the proxy.
    enum Answer: Sendable, Hashable {
        case connected
        /// The program sends its datagrams to a port of the proxy's loopback.
        case associated(port: Int)
        /// The host has no way for datagrams.
        case unsupported
        /// The filter has refused it. The text is the body of an HTTP answer, in HTML.
        case refused(page: String)
        /// The other side cannot be reached.
        case unreachable
        /// The proxy lets no further connection in.
        case busy
    }

    let dialect: Dialect
    let endpoint: FlowEndpoint
    /// The bytes that go to the other side first.
    var first: [UInt8] = []

    /// A reason to end the connection without an answer.
    enum Fault: Error, Hashable {
        case ended, malformed, tooLong
    }

    /// The maximum length of the head of an HTTP request.
    static let mostHead = 16 << 10

    /// Reads the request of a program.
    ///
    /// - Parameters:
    ///   - read: returns the next bytes; none at the end.
    ///   - write: sends an answer that comes before the request.
    static func read(
        _ read: @escaping () async throws -> [UInt8], _ write: ([UInt8]) async throws -> Void
    ) async throws -> ProxyRequest {
        var input = Input(bytes: [], read: read)
        return try await input.peek() == 5 ? socks(&input, write) : http(&input)
    }

    private struct Input {
        var bytes: [UInt8]
        let read: () async throws -> [UInt8]

        mutating func more() async throws {
            let next = try await read()
            if next.isEmpty { throw Fault.ended }
            bytes += next
        }

        mutating func peek() async throws -> UInt8 {
            while bytes.isEmpty { try await more() }
            return bytes[0]
        }

        mutating func take(_ count: Int) async throws -> [UInt8] {
            while bytes.count < count { try await more() }
            defer { bytes.removeFirst(count) }
            return Array(bytes[..<count])
        }
    }

    // MARK: SOCKS

    private static func socks(
        _ input: inout Input, _ write: ([UInt8]) async throws -> Void
    ) async throws -> ProxyRequest {
        let greeting = try await input.take(2)
        let methods = try await input.take(Int(greeting[1]))
        guard methods.contains(0) else {
            try await write([5, 0xff])
            throw Fault.malformed
        }
        try await write([5, 0])
        let head = try await input.take(4)
        guard head[0] == 5 else { throw Fault.malformed }
        let host: String
        switch head[3] {
        case 1: host = address(try await input.take(4))
        case 3:
            let length = try await input.take(1)[0]
            host = String(decoding: try await input.take(Int(length)), as: UTF8.self)
        case 4: host = address(try await input.take(16))
        default:
            try await write(reply(8))
            throw Fault.malformed
        }
        let port = try await input.take(2)
        let dialect: Dialect? = head[1] == 1 ? .socks : head[1] == 3 ? .association : nil
        guard let dialect, isHost(host) else {
            try await write(reply(dialect == nil ? 7 : 1))
            throw Fault.malformed
        }
        return ProxyRequest(
            dialect: dialect, endpoint: FlowEndpoint(host, Int(port[0]) << 8 | Int(port[1])), first: input.bytes)
    }

    private static func reply(_ code: UInt8) -> [UInt8] { [5, code, 0, 1, 0, 0, 0, 0, 0, 0] }

    /// The text of an address of 4 or 16 bytes.
    static func address(_ bytes: [UInt8]) -> String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }

    /// Whether a text can be a host's name or address. A name goes to the name servers as it is.
    static func isHost(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count < 256
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf)
                    || [0x2d, 0x2e, 0x3a, 0x5f].contains(byte)
            }
    }

    // MARK: HTTP

    private static let headEnd = Array("\r\n\r\n".utf8)

    private static func http(_ input: inout Input) async throws -> ProxyRequest {
        var searched = 0
        while true {
            if let end = end(of: input.bytes, from: searched) {
                let head = String(decoding: input.bytes[..<end], as: UTF8.self)
                return try request(head, rest: Array(input.bytes[(end + headEnd.count)...]))
            }
            guard input.bytes.count < mostHead else { throw Fault.tooLong }
            searched = max(0, input.bytes.count - headEnd.count + 1)
            try await input.more()
        }
    }

    private static func end(of bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= headEnd.count, start <= bytes.count - headEnd.count else { return nil }
        return (start...bytes.count - headEnd.count).first { bytes[$0..<$0 + headEnd.count].elementsEqual(headEnd) }
    }

    private static func request(_ head: String, rest: [UInt8]) throws -> ProxyRequest {
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        let words = (lines.popFirst() ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { throw Fault.malformed }
        if words[0] == "CONNECT" {
            guard let endpoint = endpoint(words[1], defaultPort: nil) else { throw Fault.malformed }
            return ProxyRequest(dialect: .connect, endpoint: endpoint, first: rest)
        }
        let scheme = "http://"
        guard words[1].lowercased().hasPrefix(scheme) else { throw Fault.malformed }
        let place = words[1].dropFirst(scheme.count)
        let authority = place.prefix { !"/?#".contains($0) }
        guard let endpoint = endpoint(authority, defaultPort: 80) else { throw Fault.malformed }
        let path = place.dropFirst(authority.count)
        // One request a connection: the next may be for another host.
        let dropped = ["proxy-connection:", "proxy-authorization:", "connection:", "keep-alive:"]
        let kept = lines.filter { line in !dropped.contains { line.lowercased().hasPrefix($0) } }
        let target = path.hasPrefix("/") ? String(path) : "/" + path
        let text = (["\(words[0]) \(target) \(words[2])"] + kept.map(String.init) + ["Connection: close"])
            .joined(separator: "\r\n")
        return ProxyRequest(
            dialect: .load(url: String(words[1])), endpoint: endpoint, first: Array(text.utf8) + headEnd + rest)
    }

    private static func endpoint(_ text: Substring, defaultPort: Int?) -> FlowEndpoint? {
        var host = text
        var port = defaultPort
        let end = text.hasPrefix("[") ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":")
        if let end {
            host = text[..<end]
            if end < text.endIndex {
                guard text[end] == ":", let number = Int(text[text.index(after: end)...]), (1...65535).contains(number)
                else { return nil }
                port = number
            }
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard let port, isHost(String(host)) else { return nil }
        return FlowEndpoint(String(host), port)
    }

    // MARK: Answers

    /// The bytes of an answer. A load gets none when it is connected: the other side answers.
    func bytes(of answer: Answer) -> [UInt8] {
        switch (dialect, answer) {
        case (_, .associated(let port)):
            [5, 0, 0, 1, 127, 0, 0, 1, UInt8(port >> 8 & 0xff), UInt8(port & 0xff)]
        case (_, .unsupported): Self.reply(7)
        case (.socks, .connected), (.association, .connected): Self.reply(0)
        case (.socks, .refused), (.association, .refused): Self.reply(2)
        case (.socks, .unreachable), (.association, .unreachable): Self.reply(4)
        case (.socks, .busy), (.association, .busy): Self.reply(1)
        case (.connect, .connected): Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
        case (.load, .connected): []
        case (_, .refused(let page)): Self.http("403 Forbidden", page)
        case (_, .unreachable): Self.http("502 Bad Gateway", "<p>The other side cannot be reached.</p>")
        case (_, .busy): Self.http("503 Service Unavailable", "<p>Too many connections are open.</p>")
        }
    }

    private static func http(_ status: String, _ body: String) -> [UInt8] {
        let page = "<!doctype html><meta charset=utf-8>\(body)\n"
        return Array(
            "HTTP/1.1 \(status)\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\nConnection: close\r\n\r\n\(page)"
                .utf8)
    }
}
