// TunnelDriver: `run` for a packet tunnel: it starts, takes packets and messages, and stops.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Locks
import PointHosts
import PointMessages
import PropertyListCoding

struct TunnelDriver: PointDriver {
    static let point = TunnelHost.point
    static let showsView = false

    static let exploredCalls: [ExplorationCall] = [
        ExplorationCall(
            StartTunnel(
                TunnelConfiguration("explored", TunnelProtocol(provider: nil)), options: nil, path: nil, stream: nil)),
        ExplorationCall(ProviderSleep(), after: [1]),
        ExplorationCall(ProviderWake(), after: [1]),
        ExplorationCall(ProviderMessage(Array("status".utf8), expectsReply: true), after: [1]),
        ExplorationCall(StopTunnel(reason: 1), after: [1]),
        ExplorationCall(EndTunnel(), after: [1, 2, 3, 4, 5], isLast: true),
    ]

    static var exploredHandlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(SetTunnelSettings.self) { _, _ in Nothing() }
        handlers.on(SetReasserting.self) { _, _ in Nothing() }
        handlers.on(CancelTunnel.self) { _, _ in Nothing() }
        handlers.on(DisplayMessage.self) { _, _ in DisplayMessage.Reply(isShown: true) }
        return handlers
    }

    /// The time in which a provider may answer the last packet that waits for the network, or for a time.
    private static let answerTime = Duration.seconds(2)
    /// The time between two looks at a provider that does not answer.
    private static let glance = Duration.milliseconds(20)
    /// The number of equal looks after which a provider rests: half a second.
    private static let restingLooks = 25

    private let options: PointValue?
    private let packets: [[UInt8]]
    private let messages: [String]
    private let capture: (path: String, record: PacketCapture)?
    /// The command that runs in the tunnel's network; empty: none.
    private let arguments: [String]
    private let protocolValues: (server: String?, values: PointValue?)

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        self.options = try TunnelSteps.options(options.startOptions)
        packets = try options.send.flatMap { try TunnelSteps.packets($0) }
        messages = options.message
        arguments = command.flows.command
        guard options.tun == !arguments.isEmpty else {
            throw CommandError.usage(
                options.tun ? "--tun has no command" : "a command needs --tun",
                remedy: "Write it at the end: --tun -- curl http://10.9.0.1/")
        }
        capture = options.pcap.map { ($0, PacketCapture()) }
        protocolValues = (
            options.server ?? "192.0.2.1", try options.providerConfiguration.map { try TunnelSteps.configuration($0) }
        )
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let network = arguments.isEmpty ? nil : try await TunnelNetwork()
        let tunnel = TunnelHost(host, device: network)
        try network?.connect(tunnel.packets)
        let report = try await run(identifier, tunnel, network)
        await network?.close()
        return report
    }

    private func run(
        _ identifier: String, _ tunnel: TunnelHost, _ network: TunnelNetwork?
    ) async throws -> PointReport {
        var configured = TunnelProtocol(provider: identifier)
        (configured.serverAddress, configured.providerConfiguration) = protocolValues
        let configuration = TunnelConfiguration("run", configured)
        tunnel.packets.record(to: capture?.record)
        do {
            try await tunnel.start(configuration, options: options)
        } catch {
            let failure = error as NSError
            let reason = (error as? ExtensionHostError)?.message ?? failure.localizedDescription
            return PointReport(
                text: "not started: \(printable(identifier)): \(printable(reason))\n",
                json: [
                    ("extension", .string(identifier)), ("outcome", .string("failed")),
                    ("domain", .string(failure.domain)), ("code", .integer(failure.code)), ("reason", .string(reason)),
                ], status: ExitStatus.notExpected)
        }
        let request = await tunnel.request
        let settings = await tunnel.settings
        var text = settings.map { TunnelSteps.text(of: $0) } ?? "  no settings: the interface is down\n"
        var status: Int32?
        if let network {
            let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
            do {
                status = try await network.run(
                    arguments, environment: environment, in: FileManager.default.currentDirectoryPath)
            } catch {
                await tunnel.stop()
                throw error
            }
        }
        // The packets of the command are enough, if there is one.
        let answers = network != nil && packets.isEmpty ? [] : await exchange(tunnel, settings)
        var replies: [JSON] = []
        for message in messages {
            let reply: Data?
            do {
                reply = try await tunnel.send(Data(message.utf8))
            } catch {
                // A provider that has ended gets no message, and the end says why.
                guard Self.endsSession(error) else {
                    await tunnel.stop()
                    throw error
                }
                text += "  message \(printable(message)): not sent, the provider has ended\n"
                replies.append(.null)
                continue
            }
            let words = reply.map { String(decoding: $0, as: UTF8.self) }
            text += "  message \(printable(message)): \(words.map { printable($0) } ?? "no reply")\n"
            replies.append(.optional(words))
        }
        let wasRunning = await tunnel.running != nil
        await tunnel.stop()
        let end = await Ending(tunnel.state(of: configuration.identifier).failure, request, wasRunning: wasRunning)
        text = "\(end.headline): \(printable(identifier))\(end.reason.map { ": \(printable($0))" } ?? "")\n" + text
        let counters = tunnel.packets.counters
        for answer in answers.prefix(10) { text += "  \(InternetPacket.summary(of: answer))\n" }
        if answers.count > 10 { text += "  and \(answers.count - 10) more\n" }
        text += "  packets: \(counters.sent) sent, \(counters.received) received"
        for (name, count) in TunnelSteps.faults(counters) { text += ", \(count) \(name)" }
        text += "\n"
        for message in await tunnel.messages { text += "  shown: \(printable(message))\n" }
        let remarks = await tunnel.remarks
        for remark in remarks { text += "  remark: \(printable(remark))\n" }
        if let status { text += "  the command ended with status \(status)\n" }
        if let capture { try TunnelSteps.write(capture.record, to: capture.path) }
        return PointReport(
            text: text,
            json: [
                ("extension", .string(identifier)), ("outcome", .string(end.outcome)),
                ("reason", .optional(end.reason)),
                ("settings", settings.map { TunnelSteps.json(of: $0) } ?? .null),
                ("packets", TunnelSteps.json(of: counters)), ("replies", .array(replies)),
                ("remarks", .array(remarks.map { .string($0) })), ("status", .optional(status.map { Int($0) })),
            ],
            // The status of a command that has failed by itself, and then the end of the provider.
            status: status.flatMap { $0 == 0 ? nil : $0 }
                ?? (remarks.isEmpty && !end.hasFailed ? 0 : ExitStatus.notExpected))
    }

    /// Whether an error says that the provider does not run any more.
    private static func endsSession(_ error: any Error) -> Bool {
        if let error = error as? ExtensionHostError {
            return [.interrupted, .contextFinished, .noSuchRequest].contains(error.code)
        }
        let failure = error as NSError
        return failure.domain == NetworkService.vpnErrorDomain && failure.code == 3
    }

    /// The end of a session that had been up.
    private struct Ending {
        /// The reason of an end that the command did not ask for; nil without one.
        let reason: String?
        /// Whether the provider crashed, or ended the tunnel with an error.
        let hasFailed: Bool

        var headline: String { reason == nil ? "started" : "ended" }
        var outcome: String { reason == nil ? "stopped" : "ended" }

        init(_ failure: NetworkFailure?, _ request: ExtensionRequest?, wasRunning: Bool) async {
            let outcome = await request?.outcome
            let isCompleted = if case .completed? = outcome { true } else { false }
            hasFailed = failure != nil || !isCompleted
            if let failure {
                reason = failure.reason
            } else if !isCompleted {
                let why = await request?.explanation?.message
                reason = why ?? outcome?.cause.rawValue ?? "the provider has ended"
            } else {
                reason = wasRunning ? nil : "the provider has ended the tunnel"
            }
        }
    }

    /// Sends the packets, and collects the provider's until as many have come, or nothing comes any more.
    private func exchange(_ tunnel: TunnelHost, _ settings: TunnelSettings?) async -> [[UInt8]] {
        let sent = packets.isEmpty ? TunnelSteps.echoRequest(settings).map { [$0] } ?? [] : packets
        guard !sent.isEmpty else { return [] }
        let (arrivals, continuation) = AsyncStream<[[UInt8]]>.makeStream()
        let remove = tunnel.packets.onPackets { continuation.yield($0) }
        defer { remove() }
        for start in stride(from: 0, to: sent.count, by: 512) {
            await tunnel.packets.waitForRoom()
            tunnel.packets.send(Array(sent[start..<min(start + 512, sent.count)]))
        }
        // A provider need not answer.
        let isAsked = !packets.isEmpty
        let limit = Task {
            await Self.waitForRest(tunnel, isAsked: isAsked)
            continuation.finish()
        }
        var found: [[UInt8]] = []
        for await packets in arrivals {
            found += packets
            if found.count >= sent.count { break }
        }
        limit.cancel()
        return found
    }
}

extension TunnelDriver {
    /// Waits until a provider has ended, or does nothing that could still answer, at most for a time.
    ///
    /// - Parameter isAsked: whether the person has named the packets. A timer or a network may delay their answers.
    private static func waitForRest(_ tunnel: TunnelHost, isAsked: Bool) async {
        let deadline = ContinuousClock.now + answerTime
        var last: RealTimeWait.Rest?
        var looks = 0
        while ContinuousClock.now < deadline, await tunnel.running != nil {
            if !isAsked, let process = await tunnel.request?.processIdentifier.flatMap({ Int32(exactly: $0) }) {
                // What was sent has woken the provider. Packets that it does not have then are packets that it does not
                // read.
                let rest = RealTimeWait.rest(below: process)
                looks = rest != nil && rest == last ? looks + 1 : 0
                if looks >= restingLooks { return }
                last = rest
            }
            do { try await Task.sleep(for: glance) } catch { return }
        }
    }
}

/// The parts that runs and scenarios of packet tunnels share.
enum TunnelSteps {
    /// Reads the options of a start: KEY=VALUE each.
    static func options(_ texts: [String]) throws -> PointValue? {
        guard !texts.isEmpty else { return nil }
        var entries = PropertyListDictionary()
        for text in texts {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw CommandError.usage(
                    "“\(text)” is not KEY=VALUE", remedy: "Write the option as in --option mode=fast")
            }
            entries[String(text[..<equals])] = .string(String(text[text.index(after: equals)...]))
        }
        return PointValue(.dictionary(entries))
    }

    /// Reads the packets of `--send`: digits, or `@` and the path of a pcap file.
    static func packets(_ text: String) throws -> [[UInt8]] {
        if text.hasPrefix("@") {
            let path = String(text.dropFirst())
            do {
                return try PacketCapture.packets(inFile: path)
            } catch {
                throw CommandError.missing(
                    "\(path) has no packets that can be sent: \(error)", remedy: "Name a pcap file")
            }
        }
        let digits = text.filter { !" :_".contains($0) }
        var bytes: [UInt8] = []
        var rest = digits[...]
        while !rest.isEmpty {
            guard rest.count >= 2, let byte = UInt8(rest.prefix(2), radix: 16) else {
                throw CommandError.usage(
                    "“\(text.prefix(64))” is not an even number of hexadecimal digits",
                    remedy: "Write the bytes of an IP packet, or @ and the path of a pcap file")
            }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        guard TunnelPacket.isPacket(bytes[...], family: TunnelPacket.family(of: bytes)) else {
            throw CommandError.usage(
                "“\(text.prefix(64))” is no IP packet: its version or its lengths do not fit",
                remedy: "Write the whole packet, from the first byte of its IP header on")
        }
        return [bytes]
    }

    static func configuration(_ path: String) throws -> PointValue {
        guard let dictionary = try InputFile(path).values().dictionary else {
            throw CommandError.usage("\(path) is not a dictionary", remedy: "Write a dictionary as JSON")
        }
        return PointValue(.dictionary(dictionary))
    }

    /// Returns an echo request to the other end of a tunnel, as far as its settings tell of one.
    static func echoRequest(_ settings: TunnelSettings?) -> [UInt8]? {
        guard let settings, let own = settings.ipv4?.addresses.first?.address else { return nil }
        let other = settings.names?.servers.first { !$0.contains(":") } ?? settings.remoteAddress
        return InternetPacket.echoRequest(
            from: own, to: other, identifier: 1, sequence: 1, data: Array("exthostctl".utf8))
    }

    static func write(_ capture: PacketCapture, to path: String) throws {
        do {
            try Data(capture.file).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandError.missing(
                "\(path) cannot be written: \(error.localizedDescription)",
                remedy: "Name a file in a folder that you may write")
        }
    }

    /// The counters that tell of packets without effect, and are not 0.
    static func faults(_ counters: TunnelPackets.Counters) -> [(String, Int)] {
        [
            ("dropped", counters.dropped), ("lost", counters.lost), ("no IP packets", counters.invalid),
            ("without settings", counters.refused), ("malformed", counters.malformed),
        ].filter { $0.1 > 0 }
    }

    static func text(of settings: TunnelSettings) -> String {
        var lines = ["server \(settings.remoteAddress), MTU \(settings.mtu ?? 1_500)"]
        for (family, found) in [("IPv4", settings.ipv4), ("IPv6", settings.ipv6)] {
            guard let found else { continue }
            lines.append("\(family) \(found.addresses.map { written($0) }.joined(separator: ", "))")
            for (name, routes) in [("routes", found.included), ("except", found.excluded)] where !routes.isEmpty {
                lines.append("\(family) \(name) \(routes.map { written($0) }.joined(separator: ", "))")
            }
        }
        if let names = settings.names { lines.append("DNS \(names.servers.joined(separator: ", "))") }
        return lines.map { "  \(printable($0))\n" }.joined()
    }

    private static func written(_ address: NetworkAddress) -> String {
        "\(address.address)/\(address.prefix.map { "\($0)" } ?? address.mask ?? "")"
    }

    static func json(of settings: TunnelSettings) -> JSON {
        func addresses(_ found: NetworkAddresses?) -> JSON {
            guard let found else { return .null }
            return [
                "addresses": .array(found.addresses.map { .string(written($0)) }),
                "included": .array(found.included.map { .string(written($0)) }),
                "excluded": .array(found.excluded.map { .string(written($0)) }),
            ]
        }
        return [
            "server": .string(settings.remoteAddress), "mtu": .optional(settings.mtu),
            "ipv4": addresses(settings.ipv4), "ipv6": addresses(settings.ipv6),
            "dns": .array((settings.names?.servers ?? []).map { .string($0) }),
        ]
    }

    static func json(of counters: TunnelPackets.Counters) -> JSON {
        [
            "sent": .integer(counters.sent), "delivered": .integer(counters.delivered),
            "received": .integer(counters.received), "dropped": .integer(counters.dropped),
            "lost": .integer(counters.lost), "invalid": .integer(counters.invalid),
            "refused": .integer(counters.refused), "malformed": .integer(counters.malformed),
        ]
    }
}
