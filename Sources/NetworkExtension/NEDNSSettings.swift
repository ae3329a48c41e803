// NEDNSSettings: the name resolution of a network.

public import Foundation
import PointMessages

/// The protocol of name servers. The numbers are Apple's (header).
public enum NEDNSProtocol: Int, Sendable {
    case cleartext = 1
    case TLS = 2
    case HTTPS = 3
}

/// The servers and domains of name resolution.
open class NEDNSSettings: NSObject {
    open var dnsProtocol: NEDNSProtocol { .cleartext }
    /// The addresses of the servers.
    public let servers: [String]
    open var searchDomains: [String]?
    /// The domain of the network.
    open var domainName: String?
    /// The domains whose names these servers resolve; an empty text stands for all.
    open var matchDomains: [String]?
    open var matchDomainsNoSearch = false

    /// Makes settings of servers.
    public init(servers: [String]) { self.servers = servers }

    var message: NetworkNames {
        var message = NetworkNames(servers)
        message.searchDomains = searchDomains
        message.domainName = domainName
        message.matchDomains = matchDomains
        message.matchDomainsNoSearch = matchDomainsNoSearch ? true : nil
        message.transport = dnsProtocol == .cleartext ? nil : dnsProtocol.rawValue
        return message
    }
}

/// Name resolution over TLS.
open class NEDNSOverTLSSettings: NEDNSSettings {
    open override var dnsProtocol: NEDNSProtocol { .TLS }
    /// The name of the server, which its certificate has.
    open var serverName: String?

    override var message: NetworkNames {
        var message = super.message
        message.serverName = serverName
        return message
    }
}

/// Name resolution over HTTPS.
open class NEDNSOverHTTPSSettings: NEDNSSettings {
    open override var dnsProtocol: NEDNSProtocol { .HTTPS }
    open var serverURL: URL?

    override var message: NetworkNames {
        var message = super.message
        message.serverName = serverURL?.absoluteString
        return message
    }
}
