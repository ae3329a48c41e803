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
}
