// Tunnel: packet tunnels that do what their options say.

import Glibc
import Locks
import NetworkExtension

/// The words in which options name what the tunnel does, other than to come up and repeat each packet.
private func word(_ options: [String: NSObject]?) -> String? { options?["do"] as? String }

/// A tunnel that writes each packet back.
final class Tunnel: NEPacketTunnelProvider, @unchecked Sendable {
    private let notes = Mutex<[String]>([])
    private let mode = Mutex("")

    override init() {
        super.init()
        note("written before the start=\(Witness.writes(packetFlow))")
    }

    private func note(_ text: String) { notes.withLock { $0.append(text) } }

    static func settings(_ address: String = "10.9.0.2", mask: String = "255.255.255.0")
        -> NEPacketTunnelNetworkSettings
    {
        let settings = NEPacketTunnelNetworkSettings(tunnelRemoteAddress: "192.0.2.1")
        settings.ipv4Settings = NEIPv4Settings(addresses: [address], subnetMasks: [mask])
        settings.mtu = 1_400
        return settings
    }

    override func startTunnel(
        options: [String: NSObject]? = nil, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let todo = word(options) ?? ""
        // A start on demand has no options, so a file in the bundle lets it fail.
        if options == nil, Bundle.main.url(forResource: "dies", withExtension: nil) != nil { _exit(3) }
        mode.withLock { $0 = todo }
        note("start options=\(options.map { "\($0.keys.sorted())" } ?? "nil")")
        let configured = protocolConfiguration as? NETunnelProviderProtocol
        note("server=\(configured?.serverAddress ?? "none")")
        note("colour=\(configured?.providerConfiguration?["colour"] as? String ?? "none")")
        note("path=\(defaultPath.map { "\($0.status.rawValue)" } ?? "none")")
        switch todo {
        case "fail": return completionHandler(NSError(domain: "TunnelErrors", code: 7))
        case "hang": return Held.handlers.withLock { $0.append(completionHandler) }
        case "drop": return
        case "die": _exit(3)
        default: break
        }
        let mask = todo == "invalid" ? "255.0.255.0" : "255.255.255.0"
        setTunnelNetworkSettings(todo == "late" ? nil : Self.settings(mask: mask)) { [self] error in
            if let error {
                let found = error as NSError
                note("settings=\(found.domain) \(found.code)")
                return completionHandler(nil)
            }
            if todo == "witness" {
                let witness = Witness(flow: packetFlow)
                packetFlow.readPackets { _, _ in withExtendedLifetime(witness) {} }
            } else if todo != "deaf" {
                echo()
            }
            completionHandler(nil)
        }
    }

    private func echo() {
        packetFlow.readPackets { [self] packets, protocols in
            switch mode.withLock({ $0 }) {
            case "silent": return
            case "slow": usleep(300_000)
            case "dieAtPacket": _exit(4)
            case "cancelAtPacket": return cancelTunnelWithError(NSError(domain: "TunnelErrors", code: 9))
            default: break
            }
            if packets.contains(where: { $0.count == 29 && $0.last == 0xdd }) { _exit(4) }
            packetFlow.writePackets(packets, withProtocols: protocols)
            echo()
        }
    }

    override func stopTunnel(with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void) {
        print("stopped \(reason.rawValue)")
        if mode.withLock({ $0 }) == "dieAtStop" { _exit(5) }
        if mode.withLock({ $0 }) == "stubborn" { return Held.stops.withLock { $0.append(completionHandler) } }
        if mode.withLock({ $0 }) == "misuse" { cancelTunnelWithError(nil) }
        completionHandler()
    }

    override func handleAppMessage(_ messageData: Data, completionHandler: (@Sendable (Data?) -> Void)? = nil) {
        @Sendable func answer(_ text: String) { completionHandler?(Data(text.utf8)) }
        switch String(decoding: messageData, as: UTF8.self) {
        case "notes": answer(notes.withLock { $0.joined(separator: "\n") })
        case "die": _exit(6)
        case "pid": answer("\(getpid())")
        case "nothing": completionHandler?(nil)
        case "reassert":
            reasserting = true
            answer("reasserting")
        case "asserted":
            reasserting = false
            answer("asserted")
        case "cancel":
            cancelTunnelWithError(NSError(domain: "TunnelErrors", code: 9))
            answer("cancelled")
        case "clear":
            setTunnelNetworkSettings(nil) { _ in completionHandler?(Data("cleared".utf8)) }
        case "read":
            packetFlow.readPackets { packets, protocols in
                completionHandler?(
                    Data("\(packets.map { Int($0.last ?? 0) }) \(protocols)".utf8))
            }
        case "write":
            let isWritten = packetFlow.writePackets([Data("no packet".utf8)], withProtocols: [2])
            answer("\(isWritten)")
        case "path": answer("\(defaultPath?.status.rawValue ?? -1)")
        case "show": displayMessage("Hello") { answer("\($0)") }
        case let other: answer("echo \(other)")
        }
    }

    override func sleep(completionHandler: @escaping @Sendable () -> Void) {
        note("sleep")
        if mode.withLock({ $0 }) == "sleepless" { return Held.stops.withLock { $0.append(completionHandler) } }
        completionHandler()
    }

    override func wake() { note("wake") }
}

/// An object that writes a packet when the flow lets its reader go, at the end of the tunnel.
private final class Witness: Sendable {
    private let flow: NEPacketTunnelFlow

    init(flow: NEPacketTunnelFlow) { self.flow = flow }

    /// Writes the head of an IPv4 packet without contents.
    static func writes(_ flow: NEPacketTunnelFlow) -> Bool {
        flow.writePackets([Data([0x45, 0, 0, 20] + [UInt8](repeating: 0, count: 16))], withProtocols: [2])
    }

    deinit { print("written at the end=\(Self.writes(flow))") }
}

/// Handlers that nobody calls.
private enum Held {
    static let handlers = Mutex<[@Sendable ((any Error)?) -> Void]>([])
    static let stops = Mutex<[@Sendable () -> Void]>([])
}

/// A tunnel in the `async` forms, with packets as objects.
final class AsyncTunnel: NEPacketTunnelProvider, @unchecked Sendable {
    private var reader: Task<Void, Never>?

    override func startTunnel(options: [String: NSObject]? = nil) async throws {
        try await setTunnelNetworkSettings(Tunnel.settings())
        reader = Task { [packetFlow] in
            while true {
                let packets = await packetFlow.readPacketObjects()
                if packets.isEmpty { return }
                packetFlow.writePacketObjects(packets)
            }
        }
    }

    override func stopTunnel(with reason: NEProviderStopReason) async {
        // Waits for the last handler, which the end of the flow does not call before the answer.
        print("async stop \(reason.rawValue)")
    }
}

/// A tunnel that writes neither form of the start.
final class EmptyTunnel: NEPacketTunnelProvider {}

@main struct Main { static func main() { NSExtensionMain() } }
