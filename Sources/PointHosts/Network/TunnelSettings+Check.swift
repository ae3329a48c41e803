// TunnelSettings+Check: the faults of a tunnel's settings.

import Foundation
import Glibc
import PointMessages

extension TunnelSettings {
    /// The addresses, routes, servers or domains at most.
    private static let most = 128

    /// The reason why the settings cannot be put in force; nil if they can.
    var fault: String? {
        guard !remoteAddress.isEmpty, remoteAddress.utf8.count <= 255 else {
            return "the tunnelRemoteAddress is empty or longer than 255 bytes"
        }
        if let mtu, !(576...65_535).contains(mtu) { return "the mtu \(mtu) is not from 576 to 65535" }
        if let overhead, !(0...1_000).contains(overhead) {
            return "tunnelOverheadBytes \(overhead) is not from 0 to 1000"
        }
        if let ipv4, let fault = Self.fault(of: ipv4, isIPv6: false) { return fault }
        if let ipv6, let fault = Self.fault(of: ipv6, isIPv6: true) { return fault }
        if let names, let fault = Self.fault(of: names) { return fault }
        if let proxies, let fault = Self.fault(of: proxies) { return fault }
        return nil
    }

    /// The size of the largest packet.
    var effectiveMTU: Int { mtu ?? max(1_280, 1_500 - (overhead ?? 0)) }

    private static func fault(of settings: NetworkAddresses, isIPv6: Bool) -> String? {
        let family = isIPv6 ? "IPv6" : "IPv4"
        for (name, list) in [
            ("addresses", settings.addresses), ("includedRoutes", settings.included),
            ("excludedRoutes", settings.excluded),
        ] where list.count > most {
            return "the \(family) \(name) are \(list.count), more than \(most)"
        }
        guard !settings.addresses.isEmpty else { return "the \(family) settings have no address" }
        for address in settings.addresses + settings.included + settings.excluded {
            guard isAddress(address.address, isIPv6: isIPv6) else {
                return "“\(address.address.prefix(64))” is no \(family) address"
            }
            if length(of: address, isIPv6: isIPv6) == nil {
                let found = address.mask ?? address.prefix.map { "\($0)" } ?? ""
                return "“\(found.prefix(64))” is no mask of \(address.address)"
            }
            if let gateway = address.gateway, !isAddress(gateway, isIPv6: isIPv6) {
                return "“\(gateway.prefix(64))” is no \(family) address of a gateway"
            }
        }
        return nil
    }

    private static func fault(of names: NetworkNames) -> String? {
        guard !names.servers.isEmpty || (names.transport ?? 1) != 1 else { return "the DNS settings have no server" }
        let domains = (names.searchDomains ?? []) + (names.matchDomains ?? []) + [names.domainName].compactMap(\.self)
        guard names.servers.count <= most, domains.count <= most else { return "the DNS settings are too many" }
        for server in names.servers where !isAddress(server, isIPv6: false) && !isAddress(server, isIPv6: true) {
            return "“\(server.prefix(64))” is no address of a DNS server"
        }
        for domain in domains where domain.utf8.count > 253 || domain.contains(where: \.isWhitespace) {
            return "“\(domain.prefix(64))” is no domain"
        }
        return nil
    }

    private static func fault(of proxies: NetworkProxies) -> String? {
        for proxy in [proxies.http, proxies.https].compactMap(\.self) {
            guard !proxy.address.isEmpty, proxy.address.utf8.count <= 255, (1...65_535).contains(proxy.port) else {
                return "“\(proxy.address.prefix(64)):\(proxy.port)” is no proxy server"
            }
        }
        return nil
    }

    static func isAddress(_ text: String, isIPv6: Bool) -> Bool {
        guard text.utf8.count < 64 else { return false }
        var bytes = in6_addr()
        return inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes) == 1
    }

    /// The length of the prefix; nil if the mask has gaps or is none.
    static func length(of address: NetworkAddress, isIPv6: Bool) -> Int? {
        if isIPv6 { return address.prefix.flatMap { (0...128).contains($0) ? $0 : nil } }
        var bytes = in_addr()
        guard let mask = address.mask, mask.utf8.count < 64, inet_pton(AF_INET, mask, &bytes) == 1 else { return nil }
        let number = UInt32(bigEndian: bytes.s_addr)
        let length = (~number).leadingZeroBitCount
        return number == (length == 0 ? 0 : ~UInt32(0) << (32 - UInt32(length))) ? length : nil
    }
}
