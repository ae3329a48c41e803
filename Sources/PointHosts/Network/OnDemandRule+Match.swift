// OnDemandRule+Match: the choice of the rule that holds for a network.

import Foundation
public import PointMessages

/// The network of the machine, as on-demand rules see it.
public struct MachineNetwork: Sendable, Hashable {
    /// The kind of an interface. The numbers are Apple's.
    public enum Interface: Int, Sendable {
        /// A wire.
        case ethernet = 1
        /// A wireless network.
        case wiFi = 2
        /// A mobile network.
        case cellular = 3
    }

    /// The kind of the interface.
    public var interface: Interface
    /// The name of the Wi-Fi network.
    public var ssid: String?
    /// The search domains of its name servers.
    public var searchDomains: [String]
    /// The addresses of its name servers.
    public var serverAddresses: [String]
    /// The URLs of probes that answer with status 200.
    public var probes: Set<String>
    /// The path that providers see.
    public var path: NetworkPath

    /// Makes a network that works.
    public init(
        _ interface: Interface = .ethernet, ssid: String? = nil, searchDomains: [String] = [],
        serverAddresses: [String] = [], probes: Set<String> = [], path: NetworkPath = NetworkPath()
    ) {
        (self.interface, self.ssid, self.searchDomains) = (interface, ssid, searchDomains)
        (self.serverAddresses, self.probes, self.path) = (serverAddresses, probes, path)
    }
}

extension OnDemandRule {
    /// The numbers of actions.
    static let (connect, disconnect, evaluate, ignore) = (1, 2, 3, 4)

    /// Whether the rule holds for a network.
    func matches(_ network: MachineNetwork) -> Bool {
        if interface != 0, interface != network.interface.rawValue { return false }
        if let ssids, !ssids.isEmpty, !ssids.contains(where: { $0 == network.ssid }) { return false }
        if let searchDomains, !searchDomains.isEmpty,
            !searchDomains.contains(where: { domain in
                network.searchDomains.contains { Self.isWithin($0, domain) }
            })
        {
            return false
        }
        if let serverAddresses, !serverAddresses.isEmpty {
            // Each of the network's servers must match one, which may end with a star.
            let isMet = network.serverAddresses.allSatisfy { address in
                serverAddresses.contains { pattern in
                    pattern.hasSuffix("*") ? address.hasPrefix(pattern.dropLast()) : address == pattern
                }
            }
            if network.serverAddresses.isEmpty || !isMet { return false }
        }
        if let probe, !network.probes.contains(probe) { return false }
        return true
    }

    /// Whether a connection to a host starts the tunnel by this rule.
    ///
    /// - Parameter isResolved: whether the name of the host is found without the tunnel.
    func starts(for host: String, isResolved: Bool) -> Bool {
        guard action == Self.evaluate,
            let rule = connections?.first(where: { $0.domains.contains { Self.isWithin(host, $0) } })
        else { return action == Self.connect }
        return rule.action == 1 && !isResolved
    }

    /// Whether a domain is another one or below it. A star before it counts for nothing.
    private static func isWithin(_ domain: String, _ other: String) -> Bool {
        let (domain, other) = (domain.lowercased(), other.lowercased().drop { "*.".contains($0) })
        return domain == other || domain.hasSuffix("." + other)
    }
}

extension TunnelConfiguration {
    /// The first rule that holds for a network; nil without one, or if the configuration has no rules in force.
    func rule(for network: MachineNetwork) -> OnDemandRule? {
        guard isEnabled, isOnDemandEnabled, [1, 3].contains(network.path.status) else { return nil }
        return onDemandRules?.first { $0.matches(network) }
    }
}
