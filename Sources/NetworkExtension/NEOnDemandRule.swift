// NEOnDemandRule: the rules by which a host starts and stops a tunnel. The numbers are Apple's (header).

public import Foundation
import PointMessages

/// The effect of a rule.
public enum NEOnDemandRuleAction: Int, Sendable {
    case connect = 1
    case disconnect = 2
    case evaluateConnection = 3
    case ignore = 4
}

/// The kind of a network.
public enum NEOnDemandRuleInterfaceType: Int, Sendable {
    case any = 0
    case ethernet = 1
    case wiFi = 2
    case cellular = 3
}

/// A rule. The first that matches the network counts. Its subclasses are the effects.
open class NEOnDemandRule: NSObject {
    open var action: NEOnDemandRuleAction { .ignore }
    /// The search domains that the network must have one of.
    open var dnsSearchDomainMatch: [String]?
    /// The beginnings of addresses that the network's name servers must have.
    open var dnsServerAddressMatch: [String]?
    open var interfaceTypeMatch = NEOnDemandRuleInterfaceType.any
    /// The names of Wi-Fi networks.
    open var ssidMatch: [String]?
    /// A URL that must answer with status 200.
    open var probeURL: URL?

    public override init() {}

    var message: OnDemandRule {
        var message = OnDemandRule(action: action.rawValue)
        message.searchDomains = dnsSearchDomainMatch
        message.serverAddresses = dnsServerAddressMatch
        message.interface = interfaceTypeMatch.rawValue
        message.ssids = ssidMatch
        message.probe = probeURL?.absoluteString
        return message
    }

    /// Makes the rule of a message.
    static func rule(_ message: OnDemandRule) -> NEOnDemandRule {
        let rule: NEOnDemandRule
        switch NEOnDemandRuleAction(rawValue: message.action) {
        case .connect: rule = NEOnDemandRuleConnect()
        case .disconnect: rule = NEOnDemandRuleDisconnect()
        case .evaluateConnection:
            let evaluation = NEOnDemandRuleEvaluateConnection()
            evaluation.connectionRules = message.connections?.map { NEEvaluateConnectionRule($0) }
            rule = evaluation
        case .ignore, nil: rule = NEOnDemandRuleIgnore()
        }
        rule.dnsSearchDomainMatch = message.searchDomains
        rule.dnsServerAddressMatch = message.serverAddresses
        rule.interfaceTypeMatch = NEOnDemandRuleInterfaceType(rawValue: message.interface) ?? .any
        rule.ssidMatch = message.ssids
        rule.probeURL = message.probe.flatMap { URL(string: $0) }
        return rule
    }
}

/// A rule that starts the tunnel.
open class NEOnDemandRuleConnect: NEOnDemandRule {
    open override var action: NEOnDemandRuleAction { .connect }
}

/// A rule that stops the tunnel.
open class NEOnDemandRuleDisconnect: NEOnDemandRule {
    open override var action: NEOnDemandRuleAction { .disconnect }
}

/// A rule that changes nothing.
open class NEOnDemandRuleIgnore: NEOnDemandRule {
    open override var action: NEOnDemandRuleAction { .ignore }
}

/// A rule that starts the tunnel for connections to some domains.
open class NEOnDemandRuleEvaluateConnection: NEOnDemandRule {
    open override var action: NEOnDemandRuleAction { .evaluateConnection }
    open var connectionRules: [NEEvaluateConnectionRule]?

    override var message: OnDemandRule {
        var message = super.message
        message.connections = connectionRules?.map(\.message)
        return message
    }
}

/// The effect of a rule about connections.
public enum NEEvaluateConnectionRuleAction: Int, Sendable {
    /// Start the tunnel if the name of the host cannot be resolved without it.
    case connectIfNeeded = 1
    case neverConnect = 2
}

/// A rule about the connections to some domains.
open class NEEvaluateConnectionRule: NSObject {
    public let matchDomains: [String]
    public let action: NEEvaluateConnectionRuleAction
    /// The name servers that must resolve the name.
    open var useDNSServers: [String]?
    open var probeURL: URL?

    /// Makes a rule for domains.
    public init(matchDomains domains: [String], andAction action: NEEvaluateConnectionRuleAction) {
        (matchDomains, self.action) = (domains, action)
    }

    convenience init(_ message: OnDemandRule.ConnectionRule) {
        self.init(
            matchDomains: message.domains,
            andAction: NEEvaluateConnectionRuleAction(rawValue: message.action) ?? .neverConnect)
        useDNSServers = message.servers
        probeURL = message.probe.flatMap { URL(string: $0) }
    }

    var message: OnDemandRule.ConnectionRule {
        var message = OnDemandRule.ConnectionRule(action: action.rawValue, domains: matchDomains)
        (message.servers, message.probe) = (useDNSServers, probeURL?.absoluteString)
        return message
    }
}
