// ControlService: the questions and orders that hosts and tools have in common.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import PropertyListCoding

/// Answers one connection's control messages.
@HostActor
final class ControlService {
    /// Entries of a list in one packet at the most; fewer where they are large.
    static let pageLimit = 64

    let engine: Engine
    /// Strong: sending may close it, and with it goes whoever else held it.
    let peer: Peer
    let credentials: PeerCredentials
    /// What it is told of, and may order.
    let reach: Reach
    /// False once the connection has gone.
    private(set) var isConnected = true
    /// Registrations that are being read.
    var registering = 0
    /// Orders to the registry, and questions that take a thread, that have not been answered.
    var ordering = 0
    private var watch: WatchStream?
    private var reading: LogStream?
    private var recording: RecordingStream?
    /// Of the app that runs for this connection, or is on its way.
    var following: AppFollower?
    /// Under which this connection's registrations are kept.
    let owner = Registrations.Owner()

    init(engine: Engine, peer: Peer, credentials: PeerCredentials) {
        self.engine = engine
        self.peer = peer
        self.credentials = credentials
        reach = Reach(of: credentials, in: engine.options)
        peer.onDrained = { [weak self] in
            self?.watch?.schedule()
            self?.reading?.schedule()
            self?.recording?.schedule()
            self?.following?.drained()
        }
    }

    /// Whether a stream of its has more to send.
    var isBehind: Bool { watch?.isBehind == true || reading?.isBehind == true }

    func connectionClosed() {
        isConnected = false
        (watch, reading) = (nil, nil)
        recording?.end()
        recording = nil
        following?.leave()
        following = nil
        removeRegistrations()
    }

    /// False when the packet is no control message.
    func handle(_ packet: Packet) throws(ProtocolError) -> Bool {
        switch packet.kind {
        case .listExtensions:
            listExtensions(packet, try packet.message())
        case .listProcesses:
            let processes = visibleProcesses
            page(packet, try packet.message(ListProcesses.self).offset, processes.map(\.record))
        case .listHosts:
            let hosts = visibleHosts.sorted { $0.name < $1.name }
            page(packet, try packet.message(ListHosts.self).offset, hosts.map(\.record))
        case .listRequests:
            let requests = engine.requests.values.filter { reach.includes($0.user) }.sorted {
                ($0.began, $0.identifier.description) < ($1.began, $1.identifier.description)
            }
            page(packet, try packet.message(ListRequests.self).offset, requests.map(\.record))
        case .listExits: listExits(packet, try packet.message(ListExits.self).offset)
        case .listPoints: page(packet, try packet.message(ListPoints.self).offset, engine.options.points.records)
        case .setHostState: setHostState(packet, try packet.message())
        case .cancel: cancel(packet, try packet.message(Cancel.self).request)
        case .watch: startWatch(packet, try packet.message())
        case .status: engine.launchMeans.whenKnown { [engine, peer, reach] _ in peer.reply(packet, engine.status(for: reach)) }
        case .getStatistics: tellStatistics(packet)
        case .kill: kill(packet, try packet.message(Kill.self).target)
        case .resetBreaker:
            let name = try packet.message(ResetBreaker.self).extensionIdentifier
            if engine.supervisor.resetBreaker(name, of: breakerUser) || engine.bundle(name, for: owner) != nil {
                peer.reply(packet, Success())
            } else {
                peer.reply(packet, engine.noSuchExtension(name, remedy: "exthostctl list shows what there is"))
            }
        case .getConfiguration:
            let configuration = engine.configuration
            peer.reply(
                packet,
                ConfigurationReport(
                    settings: configuration.report, problems: configuration.problems, files: configuration.files))
        case .readLog: readLog(packet, try packet.message())
        case .addBundle: addBundle(packet, try packet.message(AddBundle.self).path)
        case .removeBundle: removeBundle(packet, try packet.message(RemoveBundle.self).path)
        case .elect: elect(packet, try packet.message())
        case .showExtension: showExtension(packet, try packet.message(ShowExtension.self).name)
        case .match: match(packet, try packet.message())
        case .explain: explain(packet, try packet.message())
        case .register: register(packet, try packet.message(Register.self).path)
        case .openApp: openApp(packet, try packet.message())
        case .closeApp: closeApp(packet, try packet.message(CloseApp.self).identifier)
        case .record: record(packet, try packet.message(Record.self).contents)
        case .endRecording: endRecording(packet)
        case .addFault: addFault(packet, try packet.message(AddFault.self).order)
        case .listFaults: page(packet, try packet.message(ListFaults.self).offset, engine.faults?.records ?? [])
        case .clearFaults: clearFaults(packet)
        case .advanceClock: try advanceClock(packet, try packet.message())
        default: return false
        }
        return true
    }

    private var visibleProcesses: [ExtensionProcess] {
        engine.supervisor.processes.values.filter { reach.includes($0.user) }.sorted { $0.pid < $1.pid }
    }

    private var visibleHosts: [HostSession] { engine.hosts.values.filter { reach.includes($0.credentials.uid) } }

    /// Whose breakers it resets; nil: everybody's.
    private var breakerUser: UInt32? { reach.isEverything ? nil : credentials.uid }

    private func page<Entry: ListEntry>(_ packet: Packet, _ offset: Int, _ all: [Entry]) {
        let first = min(max(0, offset), all.count)
        page(packet, of: Array(all[first...].prefix(Self.pageLimit)), from: first, count: all.count)
    }

    /// As many of these as a packet holds.
    func page<Entry: ListEntry>(_ packet: Packet, of candidates: [Entry], from first: Int, count: Int) {
        peer.reply(packet, Page(entries: Self.fitting(candidates), offset: first, count: count))
    }

    /// As many of these as a packet holds.
    static func fitting<Entry: ListEntry>(_ candidates: [Entry]) -> [Entry] {
        var entries: [Entry] = []
        var size = 0
        for entry in candidates {
            // An entry's own bound keeps a single one within a packet.
            let cost = (try? entry.wire.encodeBinary().count) ?? 0
            if !entries.isEmpty, size + cost > PacketLimits.body / 2 { break }
            size += cost
            entries.append(entry)
        }
        return entries
    }

    private func setHostState(_ packet: Packet, _ message: SetHostState) {
        guard let host = engine.hosts[message.host], reach.includes(host.credentials.uid) else {
            let names = visibleHosts.map(\.name).sorted().joined(separator: ", ")
            return peer.reply(
                packet,
                ExtensionHostError(
                    .noSuchHost, "no host \(message.host) is connected",
                    remedy: names.isEmpty ? "None is connected: start the host application first" : "Connected are: \(names)"))
        }
        guard credentials.uid == host.credentials.uid || credentials.uid == 0 else {
            return peer.reply(packet, ExtensionHostError(.notPermitted, "host \(message.host) is another user's"))
        }
        host.move(to: message.state)
        peer.reply(packet, Success())
    }

    private func cancel(_ packet: Packet, _ identifier: RequestIdentifier) {
        guard let request = engine.requests[identifier], reach.includes(request.user) else {
            return peer.reply(packet, ExtensionHostError(.noSuchRequest, "request \(identifier) is not open"))
        }
        request.cancel(.cancelledByOperator)
        peer.reply(packet, Success())
    }

    private func kill(_ packet: Packet, _ target: Kill.Target) {
        let all = visibleProcesses
        let chosen: [ExtensionProcess]
        let name: String
        switch target {
        case .identifier(let identifier): (chosen, name) = (all.filter { $0.bundle.identifier == identifier }, identifier)
        case .pid(let pid): (chosen, name) = (all.filter { $0.pid == pid }, "an extension with pid \(pid)")
        }
        guard !chosen.isEmpty else {
            return peer.reply(
                packet,
                ExtensionHostError(.noSuchExtension, "\(name) is not running", remedy: "exthostctl ps shows what runs"))
        }
        let killed = Killed(pids: chosen.map(\.pid))
        var living = chosen.count
        for process in chosen {
            engine.order { process.kill(.terminatedByOperator, by: "operator") }
            process.whenOver { [weak self] in
                living -= 1
                if living == 0, let self, isConnected { peer.reply(packet, killed) }
            }
        }
    }

    private func readLog(_ packet: Packet, _ message: ReadLog) {
        guard reading == nil else {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .invalidArgument, "this connection reads a log already", remedy: "Read again on a connection of its own"))
        }
        let source: LogStream.Source
        do {
            source = try logSource(message.name)
        } catch {
            return peer.reply(packet, error)
        }
        reading = LogStream(source, follows: message.follow, log: engine.output, peer: peer) { [weak self] in
            self?.peer.reply(packet, Success())
            self?.reading = nil
        }
    }

    /// Extensions come first: no identifier of one can be taken for a whole request's.
    private func logSource(_ name: String) throws(ExtensionHostError) -> LogStream.Source {
        // Of the system's daemon each user has rings of its own; root names whose it means, as UID/IDENTIFIER.
        let ring = reach.isEverything ? name : OutputLog.name(of: name, user: credentials.uid)
        if engine.bundle(name, for: owner) != nil || engine.output.ring(of: ring) != nil { return .extension(ring) }
        guard name.utf8.count >= 4 else { throw Self.nothingCalled(name) }
        let prefix = name.uppercased()
        let open = engine.requests.filter { $0.key.description.hasPrefix(prefix) && reach.includes($0.value.user) }.map(\.key)
        let matching = Set(open + engine.output.requests(startingWith: prefix) { reach.includes($0) })
        guard let request = matching.first else { throw Self.nothingCalled(name) }
        guard matching.count == 1 else {
            throw ExtensionHostError(
                .invalidArgument, "\(matching.count) requests begin with \(prefix)", remedy: "Give more of the identifier")
        }
        return .request(request)
    }

    private static func nothingCalled(_ name: String) -> ExtensionHostError {
        ExtensionHostError(
            .noSuchExtension, "there is no extension \(name), and no request that the log knows begins so",
            remedy: "exthostctl list -A -D shows the extensions; of requests the last \(OutputLog.requestsKept) are known")
    }

    private func startWatch(_ packet: Packet, _ message: Watch) {
        guard watch == nil else {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .invalidArgument, "this connection watches already", remedy: "Watch again on a connection of its own"))
        }
        watch = WatchStream(message, log: engine.log, peer: peer, reach: reach) { [weak self] in
            self?.peer.reply(packet, Success())
            if !message.follow { self?.watch = nil }
        }
    }

    private func record(_ packet: Packet, _ contents: Bool) {
        do throws(ExtensionHostError) {
            guard recording == nil else {
                throw ExtensionHostError(
                    .invalidArgument, "this connection records already", remedy: "Record again on a connection of its own")
            }
            recording = try RecordingStream(of: engine, for: peer, credentials, contents: contents, answering: packet)
        } catch {
            peer.reply(packet, error)
        }
    }

    private func endRecording(_ packet: Packet) {
        guard let recording else {
            return peer.reply(packet, ExtensionHostError(.invalidArgument, "this connection does not record"))
        }
        recording.finish { [weak self] in
            guard let self else { return }
            self.recording = nil
            peer.reply(packet, Success())
        }
    }

    private func advanceClock(_ packet: Packet, _ message: AdvanceClock) throws(ProtocolError) {
        guard let clock = engine.clock as? VirtualClock, let turns = engine.turns else {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .invalidArgument, "this daemon's clock is real", remedy: "Start it with --ephemeral --clock virtual"))
        }
        guard message.delay >= 0, message.delay <= 1e9 else {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .invalidArgument, "a clock cannot be moved by \(message.delay) s", remedy: "Give 0 to 1,000,000,000 seconds"))
        }
        // Rounded: 1.9 s is a little less as a binary fraction, and a timer that is due then must not miss it.
        let delay = Duration.nanoseconds(Int64((message.delay * 1e9).rounded()))
        ClockAdvance.run(clock, by: delay, turns) { [weak self] in self?.peer.reply(packet, Success()) }
    }
}
