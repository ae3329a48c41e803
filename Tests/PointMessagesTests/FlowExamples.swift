// FlowExamples: values of every message of network filters and proxies.

import ExtensionPointKit
import PointMessages

private func flow(isFull: Bool) -> NetworkFlow {
    var flow = NetworkFlow(7, identifier: "8F3B6C1E-0000-4000-8000-000000000001", isFull ? .browser : .stream)
    guard isFull else { return flow }
    (flow.url, flow.parentURL) = ("http://example.org/a", "http://example.org/")
    flow.isInbound = true
    (flow.remote, flow.local) = (FlowEndpoint("192.0.2.1", 80), FlowEndpoint("10.0.0.2", 50_000))
    flow.hostname = "example.org"
    (flow.app, flow.appVersion) = ("org.example.browser", "1.2")
    return flow
}

private func verdict(isFull: Bool) -> FlowVerdict {
    var verdict = FlowVerdict(isFull ? .data : .allow)
    guard isFull else { return verdict }
    (verdict.inboundPeek, verdict.outboundPeek) = (1024, 512)
    (verdict.pass, verdict.peek) = (100, 200)
    (verdict.urlKey, verdict.buttonKey) = ("page", "button")
    (verdict.reports, verdict.updatesRules) = (true, true)
    return verdict
}

func filterConfiguration(isFull: Bool) -> FilterConfiguration {
    var configuration = FilterConfiguration()
    guard isFull else { return configuration }
    configuration.name = "Filter"
    configuration.vendor = PointValue(["mode": "strict"])
    (configuration.serverAddress, configuration.username) = ("192.0.2.2", "user")
    configuration.organization = "Example"
    (configuration.passwordReference, configuration.identityReference) = ([1, 2], [3, 255])
    return configuration
}

private func maps(isFull: Bool) -> FilterMaps {
    var maps = FilterMaps()
    guard isFull else { return maps }
    maps.remediationURLs = ["page": "https://example.org/ask"]
    maps.remediationButtons = ["button": "Ask"]
    maps.appendedTexts = ["safe": "&safe=1"]
    return maps
}

private func entry(isFull: Bool) -> FlowEntry {
    var entry = FlowEntry(7, isFull ? .piece : .endOfWriting)
    guard isFull else { return entry }
    entry.bytes = [1, 2, 255]
    entry.datagrams = [FlowDatagram([1, 2, 255], FlowEndpoint("192.0.2.3", 53))]
    (entry.local, entry.error) = (FlowEndpoint("10.0.0.2", 50_000), 2)
    return entry
}

private func names() -> NetworkNames {
    var names = NetworkNames(["192.0.2.5"])
    (names.searchDomains, names.domainName, names.matchDomains) = (["example.org"], "example.org", [""])
    (names.matchDomainsNoSearch, names.transport, names.serverName) = (true, 2, "dns.example.org")
    return names
}

private func configuration() -> TunnelConfiguration {
    var server = NetworkProxy("proxy.example.org", port: 8080)
    (server.username, server.password) = ("user", "secret")
    var proxies = NetworkProxies()
    (proxies.scriptURL, proxies.script, proxies.http, proxies.https) = ("http://example.org/p", "f()", server, server)
    (proxies.exceptions, proxies.matchDomains) = (["local"], ["example.org"])
    var tunnel = TunnelProtocol(provider: "org.example.proxy")
    (tunnel.serverAddress, tunnel.username) = ("192.0.2.4", "user")
    (tunnel.passwordReference, tunnel.identityReference) = ([1], [2])
    tunnel.providerConfiguration = PointValue(["colour": "blue"])
    (tunnel.includesAllNetworks, tunnel.excludesLocalNetworks, tunnel.enforcesRoutes) = (true, true, true)
    tunnel.proxies = proxies
    var connection = OnDemandRule.ConnectionRule(action: 1, domains: ["example.org"])
    (connection.servers, connection.probe) = (["192.0.2.6"], "http://example.org/")
    var rule = OnDemandRule(action: 1)
    (rule.searchDomains, rule.serverAddresses, rule.ssids) = (["example.org"], ["192.0.2.7"], ["home"])
    (rule.probe, rule.connections) = ("http://example.org/", [connection])
    var app = AppRule("org.example.browser")
    (app.requirement, app.path, app.domains) = ("anchor", "/bin/true", ["example.org"])
    var configuration = TunnelConfiguration("A", tunnel)
    (configuration.name, configuration.onDemandRules, configuration.appRules) = ("Proxy", [rule], [app])
    configuration.filter = filterConfiguration(isFull: true)
    return configuration
}

private func start(isFull: Bool) -> StartProxy {
    var message = StartProxy()
    guard isFull else { return message }
    message.options = PointValue(["mode": "strict"])
    message.configuration = configuration()
    message.names = names()
    return message
}

private let replies: KeyValuePairs<String, FlowVerdict> = [
    "full": verdict(isFull: true), "bare": verdict(isFull: false),
]

func flowExamples() -> [MessageExamples] { filterExamples() + controlExamples() + proxyExamples() }

private func filterExamples() -> [MessageExamples] {
    [
        MessageExamples(
            StartFilter.self,
            [
                "full": StartFilter(filterConfiguration(isFull: true)),
                "bare": StartFilter(filterConfiguration(isFull: false)),
            ]),
        MessageExamples(StopFilter.self, ["": StopFilter(reason: 1)]),
        MessageExamples(
            FilterNewFlow.self,
            ["full": FilterNewFlow(flow(isFull: true)), "bare": FilterNewFlow(flow(isFull: false))], replies: replies),
        MessageExamples(
            FilterData.self, ["": FilterData(7, isInbound: true, offset: 3, bytes: [1, 2])], replies: replies),
        MessageExamples(FilterDataComplete.self, ["": FilterDataComplete(7, isInbound: false)], replies: replies),
        MessageExamples(
            FilterRemediation.self,
            ["full": FilterRemediation(flow(isFull: true)), "bare": FilterRemediation(flow(isFull: false))],
            replies: replies),
        MessageExamples(FilterRulesChanged.self, ["": FilterRulesChanged()]),
        MessageExamples(
            FilterReport.self,
            [
                "full": FilterReport(flow(isFull: true), action: 2, event: 1, inbound: 3, outbound: 4),
                "bare": FilterReport(flow(isFull: false), action: 1, event: 3, inbound: 0, outbound: 0),
            ]),
        MessageExamples(FilterFlowClosed.self, ["": FilterFlowClosed(7)]),
        MessageExamples(
            FilterResume.self,
            [
                "full": FilterResume("8F3B6C1E-0000-4000-8000-000000000001", verdict(isFull: true)),
                "bare": FilterResume("8F3B6C1E-0000-4000-8000-000000000001", verdict(isFull: false)),
            ]),
    ]
}

private func controlExamples() -> [MessageExamples] {
    [
        MessageExamples(
            ControlNewFlow.self,
            ["full": ControlNewFlow(flow(isFull: true)), "bare": ControlNewFlow(flow(isFull: false))], replies: replies),
        MessageExamples(
            ControlRemediation.self,
            ["full": ControlRemediation(flow(isFull: true)), "bare": ControlRemediation(flow(isFull: false))],
            replies: replies),
        MessageExamples(ControlRulesChanged.self, ["": ControlRulesChanged()]),
        MessageExamples(
            ControlMaps.self,
            ["full": ControlMaps(maps(isFull: true)), "bare": ControlMaps(maps(isFull: false))]),
    ]
}

private func proxyExamples() -> [MessageExamples] {
    [
        MessageExamples(
            StartProxy.self, ["full": start(isFull: true), "bare": start(isFull: false)]),
        MessageExamples(StopProxy.self, ["": StopProxy(reason: 1)]),
        MessageExamples(
            ProxyNewFlow.self,
            ["full": ProxyNewFlow(flow(isFull: true)), "bare": ProxyNewFlow(flow(isFull: false))],
            replies: ["": ProxyNewFlow.Reply(isTaken: true)]),
        MessageExamples(
            FlowEntries.self,
            ["full": FlowEntries([entry(isFull: true)]), "bare": FlowEntries([entry(isFull: false)])]),
        MessageExamples(
            CancelProxy.self,
            [
                "full": CancelProxy(NetworkFailure(domain: "NSCocoaErrorDomain", code: 4, reason: "gone")),
                "bare": CancelProxy(nil),
            ]),
    ]
}
