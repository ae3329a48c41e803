// NetworkExamples: values of every message of network extensions and of their service.

import ExtensionPointKit
import PointMessages

private let addresses = NetworkAddresses(
    [NetworkAddress("10.9.0.2", mask: "255.255.255.0", prefix: 64, gateway: "10.9.0.1")],
    included: [NetworkAddress("0.0.0.0", mask: "0.0.0.0", prefix: 0, gateway: "10.9.0.1")],
    excluded: [NetworkAddress("192.168.0.0", mask: "255.255.0.0", prefix: 16, gateway: "10.9.0.1")])

private func proxies() -> NetworkProxies {
    var server = NetworkProxy("proxy.example", port: 8_080)
    (server.needsAuthentication, server.username, server.password) = (true, "user", "secret")
    var proxies = NetworkProxies()
    (proxies.isAutomatic, proxies.scriptURL, proxies.script) = (true, "http://example/p.pac", "function F() {}")
    (proxies.isHTTPEnabled, proxies.http, proxies.isHTTPSEnabled, proxies.https) = (true, server, true, server)
    (proxies.excludesSimpleNames, proxies.exceptions, proxies.matchDomains) = (true, ["local"], ["example"])
    return proxies
}

private func settings() -> TunnelSettings {
    var names = NetworkNames(["10.9.0.1"])
    (names.searchDomains, names.domainName, names.matchDomains) = (["example"], "example", [""])
    (names.matchDomainsNoSearch, names.transport, names.serverName) = (true, 2, "dns.example")
    var settings = TunnelSettings("192.0.2.1")
    (settings.ipv4, settings.ipv6, settings.names, settings.proxies) = (addresses, addresses, names, proxies())
    (settings.mtu, settings.overhead) = (1_400, 80)
    return settings
}

private func configuration(isFull: Bool) -> TunnelConfiguration {
    var configured = TunnelProtocol(provider: isFull ? "org.example.tunnel" : nil)
    guard isFull else { return TunnelConfiguration("A", configured) }
    (configured.serverAddress, configured.username) = ("vpn.example", "user")
    (configured.passwordReference, configured.identityReference) = ([1], [2])
    configured.providerConfiguration = PointValue(["colour": "blue"])
    configured.disconnectsOnSleep = true
    (configured.includesAllNetworks, configured.excludesLocalNetworks, configured.enforcesRoutes) = (true, true, true)
    configured.proxies = proxies()
    var connection = OnDemandRule.ConnectionRule(action: 1, domains: ["example"])
    (connection.servers, connection.probe) = (["192.0.2.1"], "http://probe.example")
    var rule = OnDemandRule(action: 3)
    (rule.searchDomains, rule.serverAddresses, rule.interface) = (["example"], ["192.0.2.*"], 2)
    (rule.ssids, rule.probe, rule.connections) = (["Café"], "http://probe.example", [connection])
    var app = AppRule("org.example.app")
    (app.requirement, app.path, app.domains) = ("anchor", "/bin/app", ["example"])
    var configuration = TunnelConfiguration("A", configured)
    (configuration.name, configuration.isOnDemandEnabled) = ("Work", true)
    (configuration.onDemandRules, configuration.appRules) = ([rule], [app])
    configuration.filter = filterConfiguration(isFull: true)
    return configuration
}

private let failure = NetworkFailure(domain: "Tunnel", code: 7, reason: "no server")

/// The offer of a stream, which only a request makes.
private func offer() throws -> PointStreamOffer {
    let file = try PointEncoder.encode(["file": try PointFile(readingAt: "/etc/passwd")])
    let index = file.plist.dictionary?["file"] ?? 0
    return try PointDecoder.decode(
        PointStreamOffer.self,
        from: EncodedValue(
            plist: ["stream": 1, "capacity": 65_536, "parts": .array([index])], descriptors: file.descriptors))
}

func networkExamples() throws -> [MessageExamples] {
    [
        MessageExamples(ProviderSleep.self, ["": ProviderSleep()]),
        MessageExamples(ProviderWake.self, ["": ProviderWake()]),
        MessageExamples(
            ProviderPath.self, ["": ProviderPath(NetworkPath(status: 2, isExpensive: true, isConstrained: true))]),
        MessageExamples(
            DisplayMessage.self, ["": DisplayMessage("Hello")], replies: ["": DisplayMessage.Reply(isShown: true)]),
        MessageExamples(
            ProviderMessage.self, ["": ProviderMessage([1, 2], expectsReply: true)],
            replies: ["full": ProviderMessage.Reply([3]), "bare": ProviderMessage.Reply(nil)]),
        MessageExamples(
            SetTunnelSettings.self, ["full": SetTunnelSettings(settings()), "bare": SetTunnelSettings(nil)]),
        MessageExamples(SetReasserting.self, ["": SetReasserting(true)]),
        MessageExamples(
            StartTunnel.self,
            [
                "full": StartTunnel(
                    configuration(isFull: true), options: PointValue(["mode": "fast"]), path: NetworkPath(),
                    stream: try offer()),
                "bare": StartTunnel(configuration(isFull: false), options: nil, path: nil, stream: nil),
            ]),
        MessageExamples(StopTunnel.self, ["": StopTunnel(reason: 11)]),
        MessageExamples(CancelTunnel.self, ["full": CancelTunnel(failure), "bare": CancelTunnel(nil)]),
        MessageExamples(EndTunnel.self, ["": EndTunnel()]),
    ]
}

func networkServiceExamples() -> [MessageExamples] {
    let state = TunnelState(status: 1, connected: 1_700_000_000.5, failure: failure)
    return [
        MessageExamples(
            LoadConfigurations.self, ["": LoadConfigurations()],
            replies: [
                "full": LoadConfigurations.Reply([configuration(isFull: true)], states: [state]),
                "bare": LoadConfigurations.Reply([configuration(isFull: false)], states: [TunnelState(status: 3)]),
            ]),
        MessageExamples(
            CheckConfiguration.self,
            [
                "full": CheckConfiguration(configuration(isFull: true)),
                "bare": CheckConfiguration(configuration(isFull: false)),
            ],
            replies: [
                "full": ConfigurationChange("org.example.tunnel", [configuration(isFull: true)], number: 7),
                "bare": ConfigurationChange("org.example.tunnel", [configuration(isFull: false)]),
            ]),
        MessageExamples(
            CheckRemoval.self, ["": CheckRemoval("A")],
            replies: [
                "full": ConfigurationChange("org.example.tunnel", [configuration(isFull: true)], number: 7),
                "bare": ConfigurationChange("org.example.tunnel", [configuration(isFull: false)]),
            ]),
        MessageExamples(
            ConfigurationsSaved.self,
            [
                "full": ConfigurationsSaved("org.example.tunnel", number: 7),
                "bare": ConfigurationsSaved("org.example.tunnel"),
            ]),
        MessageExamples(
            StartSession.self,
            [
                "full": StartSession("A", options: PointValue(["mode": "fast"])),
                "bare": StartSession("A", options: nil),
            ]),
        MessageExamples(StopSession.self, ["": StopSession("A")]),
        MessageExamples(
            SessionMessage.self, ["": SessionMessage("A", [1], expectsReply: false)],
            replies: ["full": ProviderMessage.Reply([3]), "bare": ProviderMessage.Reply(nil)]),
        MessageExamples(
            SessionState.self,
            ["full": SessionState("A", state), "bare": SessionState("A", TunnelState(status: 1))]),
        MessageExamples(ConfigurationsChanged.self, ["": ConfigurationsChanged()]),
    ]
}
