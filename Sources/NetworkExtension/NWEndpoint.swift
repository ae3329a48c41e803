// NWEndpoint: the places to which providers connect.

public import Foundation

/// A place in the network.
open class NWEndpoint: NSObject, @unchecked Sendable {
    // Unchecked: the values of its subclasses are set once, and nobody changes them.

    /// Makes no place; its subclasses are places.
    public override init() {}
}

/// A host and a port.
public final class NWHostEndpoint: NWEndpoint, @unchecked Sendable {
    /// The name or the address of the host.
    public let hostname: String
    /// The number or the name of the port.
    public let port: String

    /// Makes a place of a host.
    public init(hostname: String, port: String) { (self.hostname, self.port) = (hostname, port) }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NWHostEndpoint else { return false }
        return (hostname, port) == (other.hostname, other.port)
    }

    public override var hash: Int { hostname.hashValue ^ port.hashValue }
    public override var description: String { hostname.contains(":") ? "\(hostname).\(port)" : "\(hostname):\(port)" }
}

/// A service of the local network.
public final class NWBonjourServiceEndpoint: NWEndpoint, @unchecked Sendable {
    public let name: String
    public let type: String
    public let domain: String

    /// Makes a place of a service.
    public init(name: String, type: String, domain: String) {
        (self.name, self.type, self.domain) = (name, type, domain)
    }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NWBonjourServiceEndpoint else { return false }
        return (name, type, domain) == (other.name, other.type, other.domain)
    }

    public override var hash: Int { name.hashValue ^ type.hashValue ^ domain.hashValue }
    public override var description: String { "\(name).\(type)\(domain)" }
}
