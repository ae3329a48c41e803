// NETunnelNetworkSettings: the network of a tunnel.

public import Foundation
import PointMessages

/// The settings that all kinds of tunnels have.
open class NETunnelNetworkSettings: NSObject {
    /// The address of the tunnel's server.
    public let tunnelRemoteAddress: String
    /// The name resolution of the tunnel; nil: the machine's.
    open var dnsSettings: NEDNSSettings?
    /// The proxies of the tunnel; nil: the machine's.
    open var proxySettings: NEProxySettings?

    /// Makes settings of a server.
    public init(tunnelRemoteAddress address: String) { tunnelRemoteAddress = address }

    var message: TunnelSettings {
        var message = TunnelSettings(tunnelRemoteAddress)
        message.names = dnsSettings?.message
        message.proxies = proxySettings?.message
        return message
    }
}

/// The settings of a packet tunnel.
open class NEPacketTunnelNetworkSettings: NETunnelNetworkSettings {
    open var ipv4Settings: NEIPv4Settings?
    open var ipv6Settings: NEIPv6Settings?
    /// The size of the largest packet; nil: by `tunnelOverheadBytes`.
    open var mtu: NSNumber?
    /// The bytes that the tunnel adds to each packet.
    open var tunnelOverheadBytes: NSNumber?

    override var message: TunnelSettings {
        var message = super.message
        message.ipv4 = ipv4Settings?.message
        message.ipv6 = ipv6Settings?.message
        message.mtu = mtu?.intValue
        message.overhead = tunnelOverheadBytes?.intValue
        return message
    }
}

/// The addresses and routes of IPv4.
open class NEIPv4Settings: NSObject {
    public let addresses: [String]
    public let subnetMasks: [String]
    /// The networks whose traffic goes through the tunnel.
    open var includedRoutes: [NEIPv4Route]?
    /// The networks whose traffic does not.
    open var excludedRoutes: [NEIPv4Route]?

    /// Makes settings: as many masks as addresses.
    public init(addresses: [String], subnetMasks: [String]) {
        (self.addresses, self.subnetMasks) = (addresses, subnetMasks)
    }

    var message: NetworkAddresses {
        // An address without a mask is invalid, and so is a mask without an address.
        let count = max(addresses.count, subnetMasks.count)
        return NetworkAddresses(
            (0..<count).map { index in
                NetworkAddress(
                    index < addresses.count ? addresses[index] : "",
                    mask: index < subnetMasks.count ? subnetMasks[index] : "")
            },
            included: (includedRoutes ?? []).map(\.message), excluded: (excludedRoutes ?? []).map(\.message))
    }
}

/// A network of IPv4.
open class NEIPv4Route: NSObject {
    public let destinationAddress: String
    public let destinationSubnetMask: String
    open var gatewayAddress: String?

    /// Makes a route to a network.
    public init(destinationAddress address: String, subnetMask: String) {
        (destinationAddress, destinationSubnetMask) = (address, subnetMask)
    }

    /// Makes the route to all addresses.
    open class func `default`() -> NEIPv4Route { NEIPv4Route(destinationAddress: "0.0.0.0", subnetMask: "0.0.0.0") }

    var message: NetworkAddress {
        NetworkAddress(destinationAddress, mask: destinationSubnetMask, gateway: gatewayAddress)
    }
}

/// The addresses and routes of IPv6.
open class NEIPv6Settings: NSObject {
    public let addresses: [String]
    public let networkPrefixLengths: [NSNumber]
    /// The networks whose traffic goes through the tunnel.
    open var includedRoutes: [NEIPv6Route]?
    /// The networks whose traffic does not.
    open var excludedRoutes: [NEIPv6Route]?

    /// Makes settings: as many lengths as addresses.
    public init(addresses: [String], networkPrefixLengths: [NSNumber]) {
        (self.addresses, self.networkPrefixLengths) = (addresses, networkPrefixLengths)
    }

    var message: NetworkAddresses {
        let count = max(addresses.count, networkPrefixLengths.count)
        return NetworkAddresses(
            (0..<count).map { index in
                NetworkAddress(
                    index < addresses.count ? addresses[index] : "",
                    prefix: index < networkPrefixLengths.count ? networkPrefixLengths[index].intValue : -1)
            },
            included: (includedRoutes ?? []).map(\.message), excluded: (excludedRoutes ?? []).map(\.message))
    }
}

/// A network of IPv6.
open class NEIPv6Route: NSObject {
    public let destinationAddress: String
    public let destinationNetworkPrefixLength: NSNumber
    open var gatewayAddress: String?

    /// Makes a route to a network.
    public init(destinationAddress address: String, networkPrefixLength: NSNumber) {
        (destinationAddress, destinationNetworkPrefixLength) = (address, networkPrefixLength)
    }

    /// Makes the route to all addresses.
    open class func `default`() -> NEIPv6Route { NEIPv6Route(destinationAddress: "::", networkPrefixLength: 0) }

    var message: NetworkAddress {
        NetworkAddress(
            destinationAddress, prefix: destinationNetworkPrefixLength.intValue, gateway: gatewayAddress)
    }
}
