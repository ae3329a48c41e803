// ControlService: the questions and orders that hosts and tools share.

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
    /// The maximum number of list entries in one packet; fewer where they are large.
    static let pageLimit = 64

    let engine: Engine
    var context: DaemonContext { engine.context }
    var inventory: Inventory { engine.inventory }
    var catalog: BundleCatalog { engine.catalog }
    /// The connection's peer.
    ///
    /// The reference is strong, because sending may close the peer, and its other owners go with it.
    let peer: Peer
    let credentials: PeerCredentials
    /// The data that the connection may see, and the orders that it may give.
    let scope: AccessScope
    /// Whether the connection still exists.
    private(set) var isConnected = true
    /// The number of registrations that are being read.
    var registering = 0
    /// The number of orders to the registry, and of questions that take a thread, that have not been answered.
    var ordering = 0
    private var watching: WatchStream?
    private var reading: LogStream?
    private var recording: RecordingStream?
    /// The follower of the app that runs for this connection, or is being launched for it.
    var following: AppFollower?
    /// The owner under which this connection's registrations are stored.
    let owner = Registrations.Owner()

    init(engine: Engine, peer: Peer, credentials: PeerCredentials) {
        self.engine = engine
        self.peer = peer
        self.credentials = credentials
        scope = AccessScope(of: credentials, in: engine.context.options)
    }

    /// Continues the streams, since everything queued for the peer has been sent.
    func drained() {
        watching?.schedule()
        reading?.schedule()
        recording?.schedule()
        following?.drained()
    }

    /// Whether a stream of this connection has more to send.
    var isBehind: Bool { watching?.isBehind == true || reading?.isBehind == true }

    func connectionClosed() {
        isConnected = false
        (watching, reading) = (nil, nil)
        recording?.end()
        recording = nil
        following?.leave()
        following = nil
        removeRegistrations()
    }

    /// Handles a packet; returns false if it is not a control message.
    func handle(_ packet: Packet) throws(ProtocolError) -> Bool { try Self.routes.take(packet, of: self, from: peer) }

    private static let routes: Routes<ControlService> = {
        var routes = Routes<ControlService>()
        routes.on(ControlService.status)
        routes.on(ControlService.statistics)
        routes.on(ControlService.configuration)
        // Bundles and points.
        routes.on(ControlService.listExtensions)
        routes.on(ControlService.showExtension)
        routes.on(ControlService.listPoints)
        routes.on(ControlService.match)
        routes.on(ControlService.explain)
        routes.on(ControlService.addBundle)
        routes.on(ControlService.removeBundle)
        routes.on(ControlService.elect)
        routes.on(ControlService.setConsent)
        routes.on(ControlService.readAnnotations)
        routes.on(ControlService.register)
        // Hosts, requests, processes, apps.
        routes.on(ControlService.listProcesses)
        routes.on(ControlService.listHosts)
        routes.on(ControlService.listRequests)
        routes.on(ControlService.listExits)
        routes.on(ControlService.setHostState)
        routes.on(ControlService.cancel)
        routes.on(ControlService.kill)
        routes.on(ControlService.resetBreaker)
        routes.on(ControlService.getStreamCarrier)
        routes.on(ControlService.openApp)
        routes.on(ControlService.closeApp)
        // Streams.
        routes.on(ControlService.watch)
        routes.on(ControlService.readLog)
        routes.on(ControlService.record)
        routes.on(ControlService.endRecording)
        // Faults and virtual time, for tests.
        routes.on(ControlService.addFault)
        routes.on(ControlService.listFaults)
        routes.on(ControlService.clearFaults)
        routes.on(ControlService.advanceClock)
        return routes
    }()

    private func status(_: Status, _ reply: Reply<DaemonStatus>) {
        engine.launchCapabilities.whenKnown { [engine, scope] _ in reply(engine.status(for: scope)) }
    }

    private func configuration(_: GetConfiguration) -> ConfigurationReport {
        let configuration = context.configuration
        return ConfigurationReport(
            settings: configuration.report, problems: configuration.problems, files: configuration.files)
    }

    /// Bytes in memory that others share can be neither recorded nor put in the order of a virtual clock.
    private func getStreamCarrier(_: GetStreamCarrier) -> StreamCarrierName {
        StreamCarrierName(isRouted: context.clock is VirtualClock || context.recorder.isOn)
    }

    private func listProcesses(_ message: ListProcesses) -> Page<ProcessRecord> {
        Self.page(visibleProcesses.map(\.record), from: message.offset)
    }

    private func listHosts(_ message: ListHosts) -> Page<HostRecord> {
        Self.page(visibleHosts.sorted { $0.name < $1.name }.map(\.record), from: message.offset)
    }

    private func listRequests(_ message: ListRequests) -> Page<RequestRecord> {
        let requests = inventory.requests.values.filter { scope.includes($0.user) }.sorted {
            ($0.began, $0.identifier.description) < ($1.began, $1.identifier.description)
        }
        return Self.page(requests.map(\.record), from: message.offset)
    }

    private func listPoints(_ message: ListPoints) -> Page<PointRecord> {
        Self.page(context.options.points.records, from: message.offset)
    }

    private var visibleProcesses: [ExtensionProcess] {
        inventory.processes.values.filter { scope.includes($0.user) }.sorted { $0.pid < $1.pid }
    }

    private var visibleHosts: [Host] { inventory.hosts.values.filter { scope.includes($0.credentials.uid) } }

    /// The user whose breakers the connection may reset; nil: every user.
    private var breakerUser: UInt32? { scope.isEverything ? nil : credentials.uid }

    /// Returns a page of `all` from `offset` on, with as many entries as a packet holds.
    static func page<Entry: ListEntry>(_ all: [Entry], from offset: Int) -> Page<Entry> {
        let first = min(max(0, offset), all.count)
        return page(of: Array(all[first...].prefix(pageLimit)), from: first, count: all.count)
    }

    /// Returns a page with as many of `candidates` as a packet holds.
    static func page<Entry: ListEntry>(of candidates: [Entry], from first: Int, count: Int) -> Page<Entry> {
        Page(entries: fitting(candidates), offset: first, count: count)
    }

    /// Returns as many of `candidates` as a packet holds.
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

    private func setHostState(_ message: SetHostState) throws(ExtensionHostError) -> Success {
        guard let host = inventory.hosts[message.host], scope.includes(host.credentials.uid) else {
            let names = visibleHosts.map(\.name).sorted().joined(separator: ", ")
            throw ExtensionHostError(
                .noSuchHost, "no host \(message.host) is connected",
                remedy: names.isEmpty
                    ? "No host is connected: start the host application first" : "Connected hosts: \(names)")
        }
        guard credentials.uid == host.credentials.uid || credentials.uid == 0 else {
            throw ExtensionHostError(.notPermitted, "host \(message.host) belongs to another user")
        }
        engine.announcements.move(host, to: message.state)
        return Success()
    }

    private func cancel(_ message: Cancel) throws(ExtensionHostError) -> Success {
        let identifier = message.request
        guard let request = inventory.requests[identifier], scope.includes(request.user) else {
            throw ExtensionHostError(.noSuchRequest, "request \(identifier) is not open")
        }
        request.cancel(.cancelledByOperator)
        return Success()
    }

    private func resetBreaker(_ message: ResetBreaker) throws(ExtensionHostError) -> Success {
        let name = message.extensionIdentifier
        guard engine.breakers.reset(name, of: breakerUser) || catalog.bundle(name, for: owner) != nil else {
            throw catalog.noSuchExtension(name, remedy: "exthostctl list lists the extensions")
        }
        return Success()
    }

    private func kill(_ message: Kill, _ reply: Reply<Killed>) throws(ExtensionHostError) {
        let all = visibleProcesses
        let chosen: [ExtensionProcess]
        let name: String
        switch message.target {
        case .identifier(let identifier):
            (chosen, name) = (all.filter { $0.bundle.identifier == identifier }, identifier)
        case .pid(let pid): (chosen, name) = (all.filter { $0.pid == pid }, "an extension with pid \(pid)")
        }
        guard !chosen.isEmpty else {
            throw ExtensionHostError(
                .noSuchExtension, "\(name) is not running", remedy: "exthostctl ps lists the running ones")
        }
        let killed = Killed(pids: chosen.map(\.pid))
        var living = chosen.count
        for process in chosen {
            context.order { process.kill(.terminatedByOperator, by: "operator") }
            process.whenOver { [weak self] in
                living -= 1
                if living == 0, let self, isConnected { reply(killed) }
            }
        }
    }

    private func readLog(_ message: ReadLog, _ reply: Reply<Success>) throws(ExtensionHostError) {
        guard reading == nil else {
            throw ExtensionHostError(
                .invalidArgument, "this connection already reads a log", remedy: "Use another connection")
        }
        let source = try logSource(message.name)
        reading = LogStream(source, follows: message.follow, log: context.output, peer: peer) { [weak self] in
            reply(Success())
            self?.reading = nil
        }
    }

    /// Returns the log that `name` means. Extensions come first: no identifier of one looks like that of a whole
    /// request.
    private func logSource(_ name: String) throws(ExtensionHostError) -> LogStream.Source {
        // In the system's daemon each user has separate rings; root names the user, as UID/IDENTIFIER.
        let ring = scope.isEverything ? name : OutputLog.name(of: name, user: credentials.uid)
        if catalog.bundle(name, for: owner) != nil || context.output.ring(of: ring) != nil { return .extension(ring) }
        guard name.utf8.count >= 4 else { throw Self.nothingCalled(name) }
        let prefix = name.uppercased()
        let open = inventory.requests.filter { $0.key.description.hasPrefix(prefix) && scope.includes($0.value.user) }
            .map(\.key)
        let matching = Set(open + context.output.requests(startingWith: prefix) { scope.includes($0) })
        guard let request = matching.first else { throw Self.nothingCalled(name) }
        guard matching.count == 1 else {
            throw ExtensionHostError(
                .invalidArgument, "\(matching.count) requests begin with \(prefix)",
                remedy: "Give more of the identifier")
        }
        return .request(request)
    }

    private static func nothingCalled(_ name: String) -> ExtensionHostError {
        ExtensionHostError(
            .noSuchExtension, "there is no extension \(name), and no known request begins with it",
            remedy:
                "exthostctl list -A -D lists the extensions; the daemon knows the last \(OutputLog.requestsKept) requests"
        )
    }

    private func watch(_ message: Watch, _ reply: Reply<Success>) throws(ExtensionHostError) {
        guard watching == nil else {
            throw ExtensionHostError(
                .invalidArgument, "this connection already watches the log", remedy: "Use another connection")
        }
        watching = WatchStream(message, log: context.log, peer: peer, scope: scope) { [weak self] in
            reply(Success())
            if !message.follow { self?.watching = nil }
        }
    }

    private func record(_ message: Record, _ reply: Reply<Recording>) throws(ExtensionHostError) {
        guard recording == nil else {
            throw ExtensionHostError(
                .invalidArgument, "this connection already records", remedy: "Use another connection")
        }
        recording = try RecordingStream(
            of: engine, for: peer, credentials, contents: message.contents, answering: reply)
    }

    private func endRecording(_: EndRecording, _ reply: Reply<Success>) throws(ExtensionHostError) {
        guard let recording else {
            throw ExtensionHostError(.invalidArgument, "this connection does not record")
        }
        recording.finish { [weak self] in
            guard let self else { return }
            self.recording = nil
            reply(Success())
        }
    }

    private func advanceClock(_ message: AdvanceClock, _ reply: Reply<Success>) throws(ExtensionHostError) {
        guard let clock = context.clock as? VirtualClock, let scheduler = context.scheduler else {
            throw ExtensionHostError(
                .invalidArgument, "this daemon's clock is real", remedy: "Start it with --ephemeral --clock virtual")
        }
        guard message.delay >= 0, message.delay <= 1e9 else {
            throw ExtensionHostError(
                .invalidArgument, "a clock cannot advance by \(message.delay) s",
                remedy: "Give 0 to 1,000,000,000 seconds")
        }
        // Rounded: 1.9 s is a little less as a binary fraction, and a timer that is due then must not miss it.
        let delay = Duration.nanoseconds(Int64((message.delay * 1e9).rounded()))
        ClockAdvance.run(clock, by: delay, scheduler) { reply(Success()) }
    }
}
