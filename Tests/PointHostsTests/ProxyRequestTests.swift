// ProxyRequestTests: what programs ask of the proxy of a namespace.

import Foundation
import LinuxSystem
import PointMessages
import Testing

@testable import PointHosts

@Suite struct ProxyRequestTests {
    /// Reads a request that comes byte by byte, and what the proxy says meanwhile.
    private func read(_ bytes: [UInt8]) async throws -> (ProxyRequest, [UInt8]) {
        let source = Source(bytes)
        let request = try await ProxyRequest.read({ source.next() }, { source.said += $0 })
        return (request, source.said)
    }

    private final class Source: @unchecked Sendable {
        private var bytes: ArraySlice<UInt8>
        var said: [UInt8] = []
        init(_ bytes: [UInt8]) { self.bytes = bytes[...] }
        func next() -> [UInt8] { bytes.popFirst().map { [$0] } ?? [] }
    }

    // spec: NX-31
    @Test("NX-31: a program asks by SOCKS5, with a name or an address") func socks() async throws {
        let (named, said) = try await read(
            [5, 2, 0, 2, 5, 1, 0, 3, 8] + Array("test.org".utf8) + [0x01, 0xbb])
        #expect(named.dialect == .socks && named.endpoint.host == "test.org" && named.endpoint.port == 443)
        #expect(said == [5, 0])
        #expect(named.bytes(of: .connected).prefix(2) == [5, 0])
        #expect(named.bytes(of: .refused(page: "")).prefix(2) == [5, 2])
        let (numbered, _) = try await read([5, 1, 0, 5, 1, 0, 1, 192, 0, 2, 1, 0, 80])
        #expect(numbered.endpoint.host == "192.0.2.1" && numbered.endpoint.port == 80)
        let (six, _) = try await read([5, 1, 0, 5, 1, 0, 4, 0x20, 1] + [UInt8](repeating: 0, count: 13) + [1, 0, 80])
        #expect(six.endpoint.host == "2001:0:0:0:0:0:0:1")
    }

    // spec: NX-31
    @Test("NX-31: a program asks for a way for datagrams, which have their other side's place") func datagrams()
        async throws
    {
        let (request, _) = try await read([5, 1, 0, 5, 3, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(request.dialect == .association)
        #expect(request.bytes(of: .associated(port: 0x1234)) == [5, 0, 0, 1, 127, 0, 0, 1, 0x12, 0x34])
        #expect(request.bytes(of: .unsupported).prefix(2) == [5, 7])
        for (place, host) in [
            ([1, 192, 0, 2, 1], "192.0.2.1"), ([3, 1, 0x61], "a"),
            ([4, 0x20, 1] + [UInt8](repeating: 0, count: 13) + [1], "2001:0:0:0:0:0:0:1"),
        ] as [([UInt8], String)] {
            let bytes = [0, 0, 0] + place + [0x12, 0x34, 7, 8]
            let datagram = try #require(ProxyDatagram.read(bytes))
            #expect(datagram == FlowDatagram([7, 8], FlowEndpoint(host, 0x1234)))
            #expect(ProxyDatagram.write(datagram) == bytes)
            for count in 0..<bytes.count - 2 { #expect(ProxyDatagram.read(Array(bytes.prefix(count))) == nil) }
        }
        // A fragment, another kind of place, and names that are none.
        for bytes in [
            [0, 0, 1, 1, 1, 1, 1, 1, 0, 1], [0, 0, 0, 2, 0, 1], [0, 0, 0, 3, 0, 0, 1], [0, 0, 0, 3, 1, 10, 0, 1],
        ] {
            #expect(ProxyDatagram.read(bytes.map { UInt8($0) }) == nil)
        }
        #expect(ProxyDatagram.write(FlowDatagram([], FlowEndpoint("", 1))) == nil)
    }

    // spec: NX-23
    @Test("NX-23: a refused query has its own head, and the machine's name servers are read") func names() throws {
        let query: [UInt8] = [1, 2, 1, 0x20, 0, 1, 0, 0, 0, 0, 0, 0, 0]
        #expect(NameServer.refusal(of: query) == [1, 2, 0x81, 0x25] + query[4...])
        #expect(NameServer.refusal(of: Array(query.prefix(11))) == nil)
        // An answer is no query, so two name servers never answer each other.
        #expect(NameServer.refusal(of: [1, 2, 0x81] + query[3...]) == nil)
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let path = folder.path + "/resolv.conf"
        try Data("# one\nsearch a.test b.test\nnameserver 192.0.2.1\nnameserver\t2001:db8::1\nnameserver\n".utf8)
            .write(to: URL(fileURLWithPath: path))
        let names = NetworkNames.read(path)
        #expect(names.servers == ["192.0.2.1", "2001:db8::1"] && names.searchDomains == ["a.test", "b.test"])
        #expect(NetworkNames.read(path + ".none").servers == ["127.0.0.1"])
    }

    // spec: NX-31
    @Test("NX-31: a program asks by HTTP, with CONNECT or for a whole URL") func http() async throws {
        let (connect, _) = try await read(Array("CONNECT [2001::1]:8443 HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        #expect(connect.dialect == .connect && connect.endpoint.host == "2001::1" && connect.endpoint.port == 8443)
        let (load, _) = try await read(
            Array("GET http://test.org/a?b HTTP/1.1\r\nHost: test.org\r\nProxy-Connection: keep-alive\r\n\r\n".utf8))
        #expect(load.dialect == .load(url: "http://test.org/a?b") && load.endpoint.port == 80)
        #expect(
            String(decoding: load.first, as: UTF8.self)
                == "GET /a?b HTTP/1.1\r\nHost: test.org\r\nConnection: close\r\n\r\n")
        #expect(load.bytes(of: .connected).isEmpty)
        #expect(String(decoding: load.bytes(of: .refused(page: "<p>x")), as: UTF8.self).hasPrefix("HTTP/1.1 403 "))
    }

    @Test(
        "what is no request ends the connection",
        arguments: [
            "", "GET / HTTP/1.1\r\n\r\n", "CONNECT host HTTP/1.1\r\n\r\n", "CONNECT a b:80 HTTP/1.1\r\n\r\n",
            "CONNECT :80 HTTP/1.1\r\n\r\n", "CONNECT a:99999 HTTP/1.1\r\n\r\n", "GET http:// HTTP/1.1\r\n\r\n",
            "\u{5}\u{0}", "\u{5}\u{1}\u{0}\u{5}\u{2}\u{0}\u{1}aaaa\u{0}P",
            "\u{5}\u{1}\u{0}\u{5}\u{1}\u{0}\u{3}\u{2}\r\n\u{0}P",
        ])
    func malformed(text: String) async throws {
        await #expect(throws: ProxyRequest.Fault.self) { try await read(Array(text.utf8)) }
    }

    @Test func aHeadWithoutAnEndIsBounded() async throws {
        let source = Array("GET http://a/".utf8) + [UInt8](repeating: 0x61, count: ProxyRequest.mostHead)
        await #expect(throws: ProxyRequest.Fault.tooLong) { try await read(source) }
    }
}
