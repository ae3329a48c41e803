// NameServer: the name server of a namespace, whose queries are flows of a proxy.

internal import LinuxDescriptors
public import PointMessages

/// The flows of queries for names.
enum NameServer {
    /// The port of name servers.
    static let port = 53

    /// The form of queries as datagrams.
    ///
    /// - Parameter server: the name server of the machine, for which the queries would be.
    static func form(_ server: FlowEndpoint) -> DatagramServer.Form {
        DatagramServer.Form(
            read: { FlowDatagram($0, server) }, write: { $0.bytes }, refusal: { refusal(of: $0) })
    }

    /// Serves a connection, over which a program sends queries, to its end.
    static func serve(_ socket: FlowSocket, _ proxy: ProxyHost, _ server: FlowEndpoint) async {
        var description = NetworkFlow(0, identifier: "", .stream)
        description.remote = server
        do {
            guard let flow = try await proxy.open(description) else { return socket.reset() }
            try await flow.opened()
            await ProxiedConnection.exchange(socket, flow, first: [])
        } catch {
            socket.reset()
        }
    }

    /// The answer that a query is refused (RFC 1035, section 4.1.1); nil if it is no query.
    static func refusal(of query: [UInt8]) -> [UInt8]? {
        guard query.count >= 12, query[2] & 0x80 == 0 else { return nil }
        var answer = query
        answer[2] |= 0x80
        answer[3] = answer[3] & 0x70 | 5
        return answer
    }
}

extension NetworkNames {
    /// The name servers and search domains of the machine.
    public static var ofMachine: NetworkNames { read("/etc/resolv.conf") }

    /// Reads a file as `/etc/resolv.conf` is. Without a server in it, loopback is the server, as for the C library.
    static func read(_ path: String) -> NetworkNames {
        let text = String(decoding: (try? readFile(path, maximumSize: 64 << 10)) ?? [], as: UTF8.self)
        var names = NetworkNames([])
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
            switch words.first {
            case "nameserver" where words.count > 1 && names.servers.count < 3: names.servers.append(words[1])
            case "search": names.searchDomains = Array(words.dropFirst().prefix(32))
            default: break
            }
        }
        if names.servers.isEmpty { names.servers = ["127.0.0.1"] }
        return names
    }
}
