// SwiftTemplate+Network: the templates of network extensions.

extension SwiftTemplate {
    /// A packet tunnel.
    var tunnel: Parts {
        var parts = Parts(
            "a packet tunnel that answers pings",
            className: "PacketTunnelProvider", modules: ["ExtensionFoundation", "NetworkExtension"],
            run: "exthostctl run .")
        parts.source = """
            // PacketTunnelProvider: a packet tunnel that answers pings itself.

            import NetworkExtension

            final class PacketTunnelProvider: NEPacketTunnelProvider {
                override func startTunnel(options: [String: NSObject]? = nil) async throws {
                    // A real provider connects to this server, by a socket.
                    let server = (protocolConfiguration as? NETunnelProviderProtocol)?.serverAddress ?? "192.0.2.1"
                    let settings = NEPacketTunnelNetworkSettings(tunnelRemoteAddress: server)
                    settings.ipv4Settings = NEIPv4Settings(addresses: ["10.8.0.2"], subnetMasks: ["255.255.255.0"])
                    settings.mtu = 1_400
                    try await setTunnelNetworkSettings(settings)
                    readPackets()
                }

                override func stopTunnel(
                    with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void
                ) {
                    completionHandler()
                }

                private func readPackets() {
                    packetFlow.readPackets { packets, protocols in
                        for (packet, number) in zip(packets, protocols) {
                            guard let reply = Self.reply(to: packet) else { continue }
                            self.packetFlow.writePackets([reply], withProtocols: [number])
                        }
                        self.readPackets()
                    }
                }

                /// Returns the echo reply to a packet; nil if it is no echo request of IPv4.
                private static func reply(to packet: Data) -> Data? {
                    var bytes = [UInt8](packet)
                    guard bytes.count >= 28, bytes[0] == 0x45, bytes[9] == 1, bytes[20] == 8 else { return nil }
                    bytes.replaceSubrange(12..<20, with: bytes[16..<20] + bytes[12..<16])
                    // The type goes from 8 to 0, so the checksum grows by as much (RFC 1624).
                    bytes[20] = 0
                    let sum = (UInt32(bytes[22]) << 8 | UInt32(bytes[23])) + 0x0800
                    let folded = (sum & 0xffff) + (sum >> 16)
                    (bytes[22], bytes[23]) = (UInt8(folded >> 8), UInt8(folded & 255))
                    return Data(bytes)
                }
            }

            """
        parts.test = "aPingIsAnswered"
        parts.session = """
                        let tunnel = TunnelHost(host.application)
                        try await tunnel.start(provider: "\(project.extensionIdentifier)")
                        let (answers, continuation) = AsyncStream<[[UInt8]]>.makeStream()
                        tunnel.packets.onPackets { continuation.yield($0) }
                        let ping = try #require(
                            InternetPacket.echoRequest(
                                from: "10.8.0.2", to: "10.8.0.1", identifier: 1, sequence: 1, data: [1, 2]))
                        tunnel.packets.send([ping])
                        var replies = answers.makeAsyncIterator()
                        let reply = try #require(await replies.next()?.first)
                        // An echo reply.
                        #expect(InternetPacket.payload(of: reply)?.bytes.first == 0)
                        await tunnel.stop()
            """
        parts.entitlement = "packet-tunnel-provider"
        parts.isNetworkClient = true
        return parts
    }

    /// A network filter.
    var filter: Parts {
        var parts = Parts(
            "a network filter that refuses the hosts of a list",
            className: "FilterDataProvider", modules: ["ExtensionFoundation", "NetworkExtension"],
            run: "exthostctl run . --flow http://ads.example/banner")
        parts.source = """
            // FilterDataProvider: a network filter that refuses the hosts of a list.

            import NetworkExtension

            final class FilterDataProvider: NEFilterDataProvider {
                private static let refused: Set<String> = ["ads.example", "tracker.example"]

                override func startFilter(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
                    // A real provider reads the list that its app has written into the container of their group.
                    completionHandler(nil)
                }

                override func stopFilter(
                    with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void
                ) {
                    completionHandler()
                }

                override func handleNewFlow(_ flow: NEFilterFlow) -> NEFilterNewFlowVerdict {
                    let host = flow.url?.host ?? (flow as? NEFilterSocketFlow)?.remoteHostname ?? ""
                    return Self.refused.contains(host) ? .drop() : .allow()
                }
            }

            """
        parts.test = "aHostIsRefused"
        parts.session = """
                        let filter = FilterHost(host.application, data: "\(project.extensionIdentifier)")
                        try await filter.start()
                        for (name, isAllowed) in [("ads.example", false), ("example.org", true)] {
                            var wanted = NetworkFlow(0, identifier: "", .browser)
                            (wanted.url, wanted.hostname) = ("https://\\(name)/", name)
                            let flow = try await filter.open(wanted)
                            #expect(await flow.isAllowed == isAllowed)
                            await flow.close()
                        }
                        await filter.stop()
            """
        parts.entitlement = "content-filter-provider"
        return parts
    }

    /// A network filter of two providers: the control provider writes the rules that its data provider reads.
    var controlledFilter: Parts {
        let data = "\(project.identifier).data"
        var parts = Parts(
            "a control provider that writes rules, and the data provider that reads them",
            className: "FilterControlProvider", modules: ["ExtensionFoundation", "NetworkExtension"],
            run: "exthostctl run . --extension \(data) --control-provider \(project.extensionIdentifier) "
                + "--flow http://ads.example/banner")
        parts.source = """
            // FilterControlProvider: a control provider that writes the rules of its app's filter.

            import NetworkExtension

            final class FilterControlProvider: NEFilterControlProvider {
                override func startFilter(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
                    completionHandler(nil)
                }

                override func stopFilter(
                    with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void
                ) {
                    completionHandler()
                }

                override func handleNewFlow(_ flow: NEFilterFlow) async -> NEFilterControlVerdict {
                    // A real provider fetches the rules, for it has the network.
                    let refused = ["ads.example", "tracker.example"]
                    let folder = FileManager.default.containerURL(
                        forSecurityApplicationGroupIdentifier: "group.\(project.identifier)")
                    do {
                        guard let folder else { throw CocoaError(.fileNoSuchFile) }
                        try JSONEncoder().encode(refused).write(to: folder.appendingPathComponent("refused.json"))
                    } catch {
                        return .drop(withUpdateRules: false)
                    }
                    return .updateRules()
                }
            }

            """
        parts.companion = Companion(
            suffix: "Data", identifier: data, point: "com.apple.networkextension.filter-data",
            className: "FilterDataProvider", entitlement: "content-filter-provider",
            source: """
                // FilterDataProvider: a network filter that refuses the hosts of its control provider's rules.

                import NetworkExtension

                final class FilterDataProvider: NEFilterDataProvider {
                    private var refused: Set<String>?

                    override func startFilter(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
                        handleRulesChanged()
                        completionHandler(nil)
                    }

                    override func stopFilter(
                        with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void
                    ) {
                        completionHandler()
                    }

                    override func handleNewFlow(_ flow: NEFilterFlow) -> NEFilterNewFlowVerdict {
                        guard let refused else { return .needRules() }
                        let host = flow.url?.host ?? (flow as? NEFilterSocketFlow)?.remoteHostname ?? ""
                        return refused.contains(host) ? .drop() : .allow()
                    }

                    override func handleRulesChanged() {
                        let folder = FileManager.default.containerURL(
                            forSecurityApplicationGroupIdentifier: "group.\(project.identifier)")
                        guard let folder,
                            let rules = try? Data(contentsOf: folder.appendingPathComponent("refused.json"))
                        else { return }
                        refused = try? JSONDecoder().decode(Set<String>.self, from: rules)
                    }
                }

                """)
        parts.test = "theRulesDecide"
        parts.session = """
                        let filter = FilterHost(
                            host.application, data: "\(data)",
                            control: "\(project.extensionIdentifier)")
                        try await filter.start()
                        for (name, isAllowed) in [("ads.example", false), ("example.org", true)] {
                            var wanted = NetworkFlow(0, identifier: "", .browser)
                            (wanted.url, wanted.hostname) = ("https://\\(name)/", name)
                            let flow = try await filter.open(wanted)
                            #expect(await flow.isAllowed == isAllowed)
                            await flow.close()
                        }
                        await filter.stop()
            """
        parts.entitlement = "content-filter-provider"
        parts.isNetworkClient = true
        return parts
    }

    /// An app proxy.
    var appProxy: Parts {
        var parts = Parts(
            "an app proxy that answers each request of HTTP itself",
            className: "AppProxyProvider", modules: ["ExtensionFoundation", "NetworkExtension"],
            run: "exthostctl run . -- curl -s http://any.example/hello")
        parts.source = """
            // AppProxyProvider: an app proxy that answers each request of HTTP itself.

            import NetworkExtension

            final class AppProxyProvider: NEAppProxyProvider {
                override func startProxy(
                    options: [String: Any]? = nil, completionHandler: @escaping @Sendable ((any Error)?) -> Void
                ) {
                    completionHandler(nil)
                }

                override func stopProxy(
                    with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void
                ) {
                    completionHandler()
                }

                override func handleNewFlow(_ flow: NEAppProxyFlow) -> Bool {
                    // A flow that is not taken ends. A real provider connects to its server, by a socket.
                    guard let flow = flow as? NEAppProxyTCPFlow else { return false }
                    flow.open(withLocalEndpoint: nil) { error in
                        if error == nil { Self.answer(flow, Data()) }
                    }
                    return true
                }

                /// Reads the head of a request, of which some bytes have come, and answers it.
                private static func answer(_ flow: NEAppProxyTCPFlow, _ begun: Data) {
                    flow.readData { data, error in
                        let head = begun + (data ?? Data())
                        guard error == nil, head.count > begun.count, head.count <= 16_384 else {
                            return close(flow, error)
                        }
                        guard head.range(of: Data("\\r\\n\\r\\n".utf8)) != nil else { return answer(flow, head) }
                        let page = "\(name) is \\(flow.remoteHostname ?? "here")\\n"
                        let fields = "Content-Length: \\(page.utf8.count)\\r\\nConnection: close"
                        flow.write(Data("HTTP/1.1 200 OK\\r\\n\\(fields)\\r\\n\\r\\n\\(page)".utf8)) { close(flow, $0) }
                    }
                }

                private static func close(_ flow: NEAppProxyTCPFlow, _ error: (any Error)?) {
                    flow.closeReadWithError(error)
                    flow.closeWriteWithError(error)
                }
            }

            """
        parts.test = "aRequestIsAnswered"
        parts.session = """
                        let proxy = ProxyHost(host.application, "\(project.extensionIdentifier)")
                        try await proxy.start()
                        var wanted = NetworkFlow(0, identifier: "", .stream)
                        (wanted.remote, wanted.hostname) = (FlowEndpoint("any.example", 80), "any.example")
                        let flow = try #require(try await proxy.open(wanted))
                        try await flow.opened()
                        try await flow.write(Array("GET / HTTP/1.1\\r\\n\\r\\n".utf8))
                        var answer: [UInt8] = []
                        while true {
                            let bytes = try await flow.read()
                            if bytes.isEmpty { break }
                            answer += bytes
                        }
                        #expect(String(decoding: answer, as: UTF8.self).hasSuffix("is any.example\\n"))
                        await proxy.stop()
            """
        parts.entitlement = "app-proxy-provider"
        parts.isNetworkClient = true
        return parts
    }

    /// A DNS proxy.
    var dnsProxy: Parts {
        var parts = Parts(
            "a DNS proxy that answers for the names of a list",
            className: "DNSProxyProvider", modules: ["ExtensionFoundation", "NetworkExtension"],
            run: "exthostctl run . -- getent hosts printer.home")
        parts.source = """
            // DNSProxyProvider: a DNS proxy that answers for the names of a list. All others do not exist.

            import NetworkExtension

            final class DNSProxyProvider: NEDNSProxyProvider {
                private static let addresses: [String: [UInt8]] = ["printer.home": [192, 0, 2, 7]]

                override func startProxy(
                    options: [String: Any]? = nil, completionHandler: @escaping @Sendable ((any Error)?) -> Void
                ) {
                    completionHandler(nil)
                }

                override func stopProxy(
                    with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void
                ) {
                    completionHandler()
                }

                override func handleNewFlow(_ flow: NEAppProxyFlow) -> Bool {
                    // A real provider asks a server for other names: systemDNSSettings has the system's.
                    guard let flow = flow as? NEAppProxyUDPFlow else { return false }
                    flow.open(withLocalEndpoint: nil) { error in
                        if error == nil { Self.answerNext(flow) }
                    }
                    return true
                }

                private static func answerNext(_ flow: NEAppProxyUDPFlow) {
                    flow.readDatagrams { datagrams, endpoints, error in
                        guard let datagrams, let endpoints, error == nil, !datagrams.isEmpty else {
                            flow.closeReadWithError(error)
                            return flow.closeWriteWithError(error)
                        }
                        let answers = zip(datagrams, endpoints).compactMap { query, endpoint in
                            answer(to: [UInt8](query)).map { (Data($0), endpoint) }
                        }
                        flow.writeDatagrams(answers.map(\\.0), sentBy: answers.map(\\.1)) { _ in answerNext(flow) }
                    }
                }

                /// Returns the answer to a query for one name (RFC 1035, section 4); nil for other messages.
                private static func answer(to query: [UInt8]) -> [UInt8]? {
                    guard query.count >= 12, query[2] & 0xf8 == 0, query[4] == 0, query[5] == 1 else { return nil }
                    var labels: [String] = []
                    var offset = 12
                    while offset < query.count, query[offset] != 0 {
                        let end = offset + Int(query[offset]) + 1
                        guard query[offset] < 64, end < query.count else { return nil }
                        labels.append(String(decoding: query[offset + 1..<end], as: UTF8.self).lowercased())
                        offset = end
                    }
                    // The name's last label is empty. The type and the class come after it.
                    guard offset + 5 <= query.count else { return nil }
                    let address = addresses[labels.joined(separator: ".")]
                    let isForIPv4 = query[offset + 1] == 0 && query[offset + 2] == 1
                    var answer = Array(query[..<(offset + 5)])
                    answer[2] = 0x84 | query[2] & 1
                    answer[3] = 0x80 | (address == nil ? 3 : 0)
                    answer.replaceSubrange(6..<12, with: [0, address != nil && isForIPv4 ? 1 : 0, 0, 0, 0, 0])
                    // The name is that of the question. The answer holds for a minute.
                    if let address, isForIPv4 { answer += [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4] + address }
                    return answer
                }
            }

            """
        parts.test = "aNameHasItsAddress"
        parts.session = """
                        let proxy = ProxyHost(host.application, "\(project.extensionIdentifier)")
                        try await proxy.start()
                        let server = FlowEndpoint("192.0.2.53", 53)
                        var wanted = NetworkFlow(0, identifier: "", .datagrams)
                        wanted.remote = server
                        let flow = try #require(try await proxy.open(wanted))
                        try await flow.opened()
                        let head: [UInt8] = [1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
                        let question = [7] + Array("printer".utf8) + [4] + Array("home".utf8) + [0, 0, 1, 0, 1]
                        try await flow.send([FlowDatagram(head + question, server)])
                        let answer = try #require(try await flow.receive().first)
                        #expect(answer.bytes.prefix(2) == [1, 2] && answer.bytes.suffix(4) == [192, 0, 2, 7])
                        await proxy.stop()
            """
        parts.entitlement = "dns-proxy"
        parts.isNetworkClient = true
        return parts
    }
}
