// TunnelStage: a packet tunnel of a test, and the host of tunnels.

import ExtensionHostTesting
import ExtensionPointKit
import Foundation
import Locks
import PointHosts
import PointMessages
import PropertyListCoding

struct TunnelStage {
    static let identifier = "org.exthost.tests.tunnel"

    let bundles: TestBundles
    let daemon: TestDaemon
    let host: HostApplication
    let tunnel: TunnelHost
    /// The output of the providers.
    let output: Output

    static func with(
        _ principal: String = "Tunnel.Tunnel", _ bundles: TestBundles? = nil, isEntitled: Bool = true,
        clock: TestDaemon.ClockKind = .real, limits: TunnelHost.Limits = TunnelHost.Limits(),
        arguments: [String] = [],
        _ body: (TunnelStage) async throws -> Void
    ) async throws {
        let bundles = try bundles ?? TestBundles()
        try add(to: bundles, principal, isEntitled: isEntitled)
        try await withTestDaemon(applications: [bundles.path], clock: clock, arguments: arguments) { daemon in
            let output = Output()
            let host = try await daemon.host("network", onOutput: { output.add($0) }).application
            let tunnel = TunnelHost(host, limits: limits)
            try await tunnel.serve()
            try await body(TunnelStage(bundles: bundles, daemon: daemon, host: host, tunnel: tunnel, output: output))
        }
    }

    static func add(
        to bundles: TestBundles, _ principal: String = "Tunnel.Tunnel", as name: String = "tunnel",
        isEntitled: Bool = true
    ) throws {
        try bundles.add(
            name, program: SampleApplications.buildFolder + "/Tunnel", point: TunnelHost.point,
            principalClass: principal, rule: nil)
        if isEntitled { try entitle(bundles, name) }
    }

    static func entitle(_ bundles: TestBundles, _ name: String) throws {
        try bundles.write(
            ["com.apple.developer.networking.networkextension": ["packet-tunnel-provider"]],
            to: "\(bundles.path)/Tests.app/PlugIns/\(name).appex/Entitlements.plist")
    }

    static func configuration(
        _ name: String = "test", provider: String = identifier, isOnDemand: Bool = false
    ) -> TunnelConfiguration {
        var configured = TunnelProtocol(provider: provider)
        configured.serverAddress = "198.51.100.7"
        configured.providerConfiguration = PointValue(["colour": "green"])
        var configuration = TunnelConfiguration(name, configured)
        configuration.isOnDemandEnabled = isOnDemand
        configuration.onDemandRules = [OnDemandRule(action: 1)]
        return configuration
    }

    /// Starts the tunnel with a word in its options.
    func start(_ word: String? = nil, isOnDemand: Bool = false) async throws {
        try await tunnel.start(
            Self.configuration(isOnDemand: isOnDemand),
            options: word.map { PointValue(["do": .string($0)]) })
    }

    var status: TunnelHost.Status { get async { await tunnel.status(of: "test") } }

    /// Asks the provider.
    func ask(_ words: String) async throws -> String? {
        try await tunnel.send(Data(words.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The notes of the provider.
    func notes() async throws -> [String] {
        try await ask("notes").map { $0.split(separator: "\n").map(String.init) } ?? []
    }

    /// A packet with a number in its last byte.
    static func packet(_ number: Int, size: Int = 29) -> [UInt8] {
        let data = [UInt8](repeating: 0, count: size - 29) + [UInt8(truncatingIfNeeded: number)]
        return InternetPacket.datagram(from: ("10.9.0.2", 9), to: ("10.9.0.1", 9), data) ?? []
    }

    /// A packet of 36 bytes with a 64-bit number.
    static func numbered(_ number: Int) -> [UInt8] {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        return InternetPacket.datagram(from: ("10.9.0.2", 9), to: ("10.9.0.1", 9), bytes) ?? []
    }

    static func number(of packet: [UInt8]) -> Int { packet.suffix(8).reduce(0) { $0 << 8 | Int($1) } }
}

/// The packets that a provider has written. Safe to use from any thread.
final class Arrivals: Sendable {
    private let found = Mutex<[[UInt8]]>([])

    init(_ packets: TunnelPackets) { packets.onPackets { [self] packets in found.withLock { $0 += packets } } }

    var packets: [[UInt8]] { found.withLock { $0 } }
    var last: [Int] { packets.map { Int($0.last ?? 0) } }
}
