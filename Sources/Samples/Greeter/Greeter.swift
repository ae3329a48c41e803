// Greeter: an app proxy whose far end is itself. It answers each request of HTTP with a page, and refuses other ports.

import NetworkExtension

/// Takes the connections of programs to port 80.
final class Greeter: NEAppProxyProvider {
    override func startProxy(
        options: [String: Any]? = nil, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        print("the proxy is up")
        completionHandler(nil)
    }

    override func stopProxy(with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void) {
        print("the proxy stops, reason \(reason.rawValue)")
        completionHandler()
    }

    override func handleNewFlow(_ flow: NEAppProxyFlow) -> Bool {
        guard let connection = flow as? NEAppProxyTCPFlow, let place = connection.remoteEndpoint as? NWHostEndpoint,
            place.port == "80"
        else { return false }
        connection.open(withLocalEndpoint: nil) { error in
            if error == nil { Self.greet(connection, Data()) }
        }
        return true
    }

    /// Reads the head of a request, of which some bytes have come, and answers it.
    private static func greet(_ flow: NEAppProxyTCPFlow, _ begun: Data) {
        flow.readData { data, error in
            let head = begun + (data ?? Data())
            guard error == nil, head.count > begun.count, head.count <= 16_384 else { return close(flow, error) }
            guard head.range(of: Data("\r\n\r\n".utf8)) != nil else { return greet(flow, head) }
            let line = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self)
            let page = "Hello from \(flow.remoteHostname ?? "here"): \(line)\n"
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(page.utf8.count)\r\nConnection: close\r\n\r\n\(page)"
            flow.write(Data(answer.utf8)) { close(flow, $0) }
        }
    }

    private static func close(_ flow: NEAppProxyTCPFlow, _ error: (any Error)?) {
        flow.closeReadWithError(error)
        flow.closeWriteWithError(error)
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
