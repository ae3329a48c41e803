// FilterDriver: `run` for a network filter: its decision about a flow, or about each connection of a command.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Locks
import PointHosts
import PointMessages

struct FilterDriver: PointDriver {
    static let point = FilterHost.point
    static let showsView = false

    static let exploredCalls: [ExplorationCall] = {
        var flow = NetworkFlow(1, identifier: UUID().uuidString, .browser)
        flow.url = "http://example.org/"
        return [
            ExplorationCall(StartFilter(FilterConfiguration())), ExplorationCall(FilterNewFlow(flow), after: [1]),
            ExplorationCall(FilterRulesChanged(), after: [1]),
            ExplorationCall(StopFilter(reason: 1), after: [1, 2, 3], isLast: true),
        ]
    }()

    private enum Work {
        case flow(NetworkFlow, inbound: [UInt8], outbound: [UInt8])
        case command([String])
    }

    private let work: Work
    private let control: String?
    private let failsOpen: Bool

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        let flows = command.flows
        (control, failsOpen) = (flows.control, flows.failsOpen)
        if !flows.command.isEmpty {
            let others = [
                ("--flow", flows.flow != nil), ("--inbound", flows.inbound != nil),
                ("--outbound", flows.outbound != nil),
            ]
            if let other = others.first(where: \.1)?.0 {
                throw CommandError.usage(
                    "\(other) does not act beside a command, whose connections are the flows",
                    remedy: "Omit one of the two")
            }
            work = .command(flows.command)
            return
        }
        work = .flow(
            try Self.flow(flows.flow ?? "http://example.org/"),
            inbound: try flows.inbound.map { Array(try InputFile($0).data()) } ?? [],
            outbound: try flows.outbound.map { Array(try InputFile($0).data()) } ?? [])
    }

    /// Reads `tcp:HOST:PORT`, or the URL of a load.
    ///
    /// - Throws: `CommandError`.
    static func flow(_ text: String) throws -> NetworkFlow {
        if text.hasPrefix("tcp:") {
            let place = text.dropFirst(4)
            guard let colon = place.lastIndex(of: ":"), let port = Int(place[place.index(after: colon)...]),
                (1...65535).contains(port), colon > place.startIndex
            else {
                throw CommandError.usage("\(text) has no host and port", remedy: "Write it as tcp:example.org:443")
            }
            var flow = NetworkFlow(0, identifier: "", .stream)
            flow.remote = FlowEndpoint(String(place[..<colon]), port)
            flow.hostname = flow.remote?.host
            return flow
        }
        guard let url = URL(string: text), let scheme = url.scheme, let host = url.host, !host.isEmpty else {
            throw CommandError.usage("\(text) is no whole URL", remedy: "Write it as http://example.org/page")
        }
        var flow = NetworkFlow(0, identifier: "", .browser)
        flow.url = text
        flow.hostname = host
        flow.remote = FlowEndpoint(host, url.port ?? (scheme == "https" ? 443 : 80))
        return flow
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        var settings = FilterHost.Settings()
        settings.failsOpen = failsOpen
        settings.showsMessage = { text in
            StandardError.line("the filter says: \(printable(text))")
            return true
        }
        let notes = FlowNotes(isLive: { if case .command = work { true } else { false } }())
        let filter = FilterHost(host, data: identifier, control: control, settings: settings, observer: notes.note)
        try await filter.start()
        let report: PointReport
        do {
            switch work {
            case .flow(let flow, let inbound, let outbound):
                let ending = try await FilteredScript(flow, inbound, outbound).run(filter, notes)
                report = PointReport(
                    text: ending.text, json: [("extension", .string(identifier))] + ending.members,
                    status: ending.isDecided ? 0 : ExitStatus.notExpected)
            case .command(let command):
                let status = try await ProgramNetwork(filter).runCommand(command)
                report = PointReport(
                    text: notes.summary,
                    json: [
                        ("extension", .string(identifier)), ("status", .integer(Int(status))),
                        ("decisions", .array(notes.decisions.map { .object($0.members) })),
                    ],
                    status: status)
            }
        } catch {
            await filter.stop()
            throw error
        }
        await filter.stop()
        return report
    }
}

/// The decisions of a filter, as they come.
final class FlowNotes: Sendable {
    private let all = Mutex<[FlowDecision]>([])
    private let isLive: Bool
    /// The maximum number of decisions that are recorded.
    private static let most = 100_000

    /// - Parameter isLive: whether each decision is printed on standard error.
    init(isLive: Bool) { self.isLive = isLive }

    @Sendable func note(_ decision: FlowDecision) {
        all.withLock { if $0.count < Self.most { $0.append(decision) } }
        if isLive, decision.effect != .filtered { StandardError.line(decision.line) }
    }

    var decisions: [FlowDecision] { all.withLock { $0 } }

    /// The counts of the flows, in words.
    var summary: String {
        let decisions = decisions
        let dropped = Set(
            decisions.filter { $0.effect == .dropped || $0.effect == .remediated }.map(\.flow.identifier))
        let all = Set(decisions.map(\.flow.identifier))
        return "\(all.count) flow\(all.count == 1 ? "" : "s"), \(dropped.count) dropped\n"
    }
}

/// A flow whose bytes a script has.
struct FilteredScript {
    private let description: NetworkFlow
    private let inbound: [UInt8]
    private let outbound: [UInt8]

    init(_ description: NetworkFlow, _ inbound: [UInt8], _ outbound: [UInt8]) {
        (self.description, self.inbound, self.outbound) = (description, inbound, outbound)
    }

    /// The end of the flow, for people, for `--json` and for scenarios.
    struct Ending: Sendable {
        let decisions: [FlowDecision]
        let passed: (inbound: Int, outbound: Int)
        let offered: (inbound: Int, outbound: Int)

        /// The decision that counts: the one that ended the flow, or the first.
        var decision: FlowDecision? {
            decisions.first { $0.effect == .dropped || $0.effect == .remediated }
                ?? decisions.last { $0.effect == .allowed } ?? decisions.first
        }

        /// Whether the filter itself has decided.
        var isDecided: Bool { decision?.reason == .verdict }

        var effect: FlowDecision.Effect {
            // A flow of which the filter has seen every byte has passed.
            decision.map { $0.effect == .filtered ? .allowed : $0.effect } ?? .dropped
        }

        var text: String {
            guard let decision else { return "no decision\n" }
            var text = "\(effect.rawValue): \(printable(decision.flow.name))\n"
            if decision.reason != .verdict { text += "  \(printable(decision.reason.description))\n" }
            if let url = decision.page?.url { text += "  page      \(printable(url))\n" }
            if let button = decision.page?.button { text += "  button    \(printable(button))\n" }
            if let appended = decision.appended { text += "  appended  \(printable(appended))\n" }
            if offered.outbound > 0 { text += "  outbound  \(passed.outbound) of \(offered.outbound) bytes passed\n" }
            if offered.inbound > 0 { text += "  inbound   \(passed.inbound) of \(offered.inbound) bytes passed\n" }
            return text
        }

        var members: [(name: String, value: JSON)] {
            [
                ("verdict", .string(effect.rawValue)), ("flow", .string(decision?.flow.name ?? "")),
                ("reason", .string(decision?.reason.description ?? "")),
                ("inbound", ["offered": .integer(offered.inbound), "passed": .integer(passed.inbound)]),
                ("outbound", ["offered": .integer(offered.outbound), "passed": .integer(passed.outbound)]),
                ("decisions", .array(decisions.map { .object($0.members) })),
            ]
        }
    }

    func run(_ filter: FilterHost, _ notes: FlowNotes) async throws -> Ending {
        let flow = try await filter.open(description)
        do {
            for (bytes, direction) in [(outbound, FilteredFlow.Direction.outbound), (inbound, .inbound)] {
                // As the pieces of a socket come.
                for start in stride(from: 0, to: bytes.count, by: 64 << 10) {
                    _ = try await flow.pass(Array(bytes[start..<min(bytes.count, start + 64 << 10)]), direction)
                }
                _ = try await flow.finish(direction)
            }
        } catch {
            // The decision that dropped the flow is among the notes.
        }
        let passed = await flow.passed
        await flow.close()
        return Ending(
            decisions: notes.decisions.filter { $0.flow.identifier == flow.value.identifier }, passed: passed,
            offered: (inbound.count, outbound.count))
    }
}

extension NetworkFlow {
    /// The flow in words: its URL, or its other end.
    var name: String {
        url ?? remote.map { "\(kind == .datagrams ? "udp" : "tcp"):\($0.host):\($0.port)" } ?? "unknown"
    }
}

extension FlowDecision {
    /// The decision in a line.
    var line: String {
        // What is closed without a refusal has passed.
        var words = "\(effect == .closed ? "allowed" : effect.rawValue) \(printable(flow.name))"
        if reason != .verdict { words += ", \(printable(reason.description))" }
        if effect == .closed { words += ", \(inbound) bytes in, \(outbound) out" }
        return words
    }

    fileprivate var members: [(name: String, value: JSON)] {
        [
            ("flow", .string(flow.name)), ("subject", .string(subject.rawValue)), ("effect", .string(effect.rawValue)),
            ("reason", .string(reason.description)), ("inbound", .integer(inbound)), ("outbound", .integer(outbound)),
        ]
    }
}
