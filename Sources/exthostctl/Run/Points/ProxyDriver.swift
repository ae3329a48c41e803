// ProxyDriver: `run` for an app proxy or a DNS proxy: a command whose connections or queries it takes.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Locks
import PointHosts
import PointMessages

/// `run` for an app proxy.
struct ProxyDriver: PointDriver {
    static let point = ProxyHost.point
    static let showsView = false
    static let sharedOptions = DNSProxyDriver.sharedOptions.union(["--server", "--provider-configuration", "--message"])

    static let exploredCalls: [ExplorationCall] = [
        ExplorationCall(StartProxy()),
        ExplorationCall(ProxyNewFlow(NetworkFlow(1, identifier: UUID().uuidString, .stream)), after: [1]),
        ExplorationCall(FlowEntries([FlowEntry(1, .want)]), after: [1]),
        ExplorationCall(StopProxy(reason: 1), after: [1, 2, 3], isLast: true),
    ]

    static var exploredHandlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(FlowEntries.self) { _, _ in Nothing() }
        handlers.on(CancelProxy.self) { _, _ in Nothing() }
        handlers.on(SetTunnelSettings.self) { _, _ in Nothing() }
        handlers.on(SetReasserting.self) { _, _ in Nothing() }
        handlers.on(DisplayMessage.self) { _, _ in DisplayMessage.Reply(isShown: true) }
        return handlers
    }

    private let run: ProxyRun
    private let messages: [String]
    private let protocolValues: (server: String?, values: PointValue?)

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        run = try ProxyRun(options, command.flows.command)
        messages = options.message
        protocolValues = (
            options.server ?? "192.0.2.1", try options.providerConfiguration.map { try TunnelSteps.configuration($0) }
        )
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        var configured = TunnelProtocol(provider: identifier)
        (configured.serverAddress, configured.providerConfiguration) = protocolValues
        return try await run.report(
            identifier, host, TunnelConfiguration("run", configured), messages: messages,
            network: { try await ProgramNetwork($0) })
    }
}

/// `run` for a DNS proxy.
struct DNSProxyDriver: PointDriver {
    static let point = ProxyHost.dnsPoint
    static let sharedOptions: Set<String> = ["-- COMMAND", "--option"]
    static let showsView = false
    static var exploredCalls: [ExplorationCall] { ProxyDriver.exploredCalls }
    static var exploredHandlers: PointHandlers { ProxyDriver.exploredHandlers }

    private let run: ProxyRun

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        run = try ProxyRun(options, command.flows.command)
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        try await run.report(identifier, host, nil, messages: [], network: { try await ProgramNetwork(names: $0) })
    }
}

/// A session of a proxy, and of a command in its network.
private struct ProxyRun: Sendable {
    private let command: [String]
    private let options: PointValue?

    init(_ options: PointOptions, _ command: [String]) throws {
        self.command = command
        self.options = try TunnelSteps.options(options.startOptions)
        guard !command.isEmpty else {
            throw CommandError.usage(
                "a proxy needs a command, whose connections or queries it takes",
                remedy: "Write it at the end: -- getent hosts example.org")
        }
    }

    func report(
        _ identifier: String, _ host: HostApplication, _ configuration: TunnelConfiguration?, messages: [String],
        network: (ProxyHost) async throws -> ProgramNetwork
    ) async throws -> PointReport {
        let notes = ProxyNotes()
        var settings = ProxyHost.Settings()
        (settings.options, settings.configuration) = (options, configuration)
        if configuration == nil { settings.names = .ofMachine }
        settings.showsMessage = { text in
            StandardError.line("the proxy says: \(printable(text))")
            return true
        }
        settings.cancelled = notes.cancelled
        let proxy = ProxyHost(host, identifier, settings: settings, observer: notes.note)
        try await proxy.start()
        let status: Int32
        var text = ""
        do {
            status = try await network(proxy).runCommand(command)
            for message in messages {
                let reply = try await proxy.send(Array(message.utf8)).map { String(decoding: $0, as: UTF8.self) }
                text += "message \(printable(message)): \(reply.map { printable($0) } ?? "no reply")\n"
            }
        } catch {
            await proxy.stop()
            throw error
        }
        await proxy.stop()
        let counters = await proxy.counters
        text += "\(counters.offered) flow\(counters.offered == 1 ? "" : "s"), \(counters.taken) taken"
        text += ", \(counters.refused) refused"
        if counters.undecided > 0 { text += ", \(counters.undecided) without a decision" }
        text += "\n"
        if let end = notes.end { text += "ended: \(printable(end))\n" }
        return PointReport(
            text: text,
            json: [
                ("extension", .string(identifier)), ("status", .integer(Int(status))),
                ("offered", .integer(counters.offered)), ("taken", .integer(counters.taken)),
                ("refused", .integer(counters.refused)), ("undecided", .integer(counters.undecided)),
                ("ended", .optional(notes.end)), ("events", .array(notes.events.map { .object($0.members) })),
            ],
            // The status of a command that has failed by itself, and then the end of the provider.
            status: status != 0 ? status : notes.end == nil ? 0 : ExitStatus.notExpected)
    }
}

/// The events of a proxy's flows, as they come. Each is printed on standard error.
private final class ProxyNotes: Sendable {
    private let state = Mutex<(events: [ProxyEvent], end: String?)>(([], nil))
    /// The maximum number of events that are recorded.
    private static let most = 100_000

    @Sendable func note(_ event: ProxyEvent) {
        state.withLock { if $0.events.count < Self.most { $0.events.append(event) } }
        StandardError.line(event.line)
    }

    @Sendable func cancelled(_ failure: NetworkFailure?) {
        state.withLock { $0.end = failure?.reason ?? "the provider has ended the proxy" }
    }

    var events: [ProxyEvent] { state.withLock { $0.events } }
    /// The reason with which the provider has ended from within.
    var end: String? { state.withLock { $0.end } }
}

extension ProxyEvent {
    /// The event in a line.
    fileprivate var line: String {
        switch kind {
        case .taken: "taken \(printable(flow.name))"
        case .refused: "refused \(printable(flow.name))"
        case .failed(let why): "failed \(printable(flow.name)), \(printable(why))"
        case .closed: "closed \(printable(flow.name)), \(inbound) bytes in, \(outbound) out"
        }
    }

    fileprivate var members: [(name: String, value: JSON)] {
        let (name, why): (String, String?) =
            switch kind {
            case .taken: ("taken", nil)
            case .refused: ("refused", nil)
            case .failed(let why): ("failed", why)
            case .closed: ("closed", nil)
            }
        return [
            ("flow", .string(flow.name)), ("event", .string(name)), ("reason", .optional(why)),
            ("inbound", .integer(inbound)), ("outbound", .integer(outbound)),
        ]
    }
}
