// HostSession: a connected host application: its name, its state, its open requests.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// A host's side of the daemon. Its end drops its requests.
@HostActor
final class HostSession {
    let name: String
    let credentials: PeerCredentials
    /// Whose rights its extensions have; nil: the daemon's own user's.
    let identity: UserIdentity?
    let peer: Peer
    private(set) var state: HostState
    /// The sequence of the last change of state, or of the connection.
    private(set) var sequence: Int
    var requests: [RequestIdentifier: Request] = [:]
    /// What its requests and their processes take up.
    var usage = Usage()

    private let engine: Engine
    private let control: ControlService
    private let showsOutput: Bool
    /// Packets of output on the way to a host at the most; what comes faster is left out and said.
    private static let outputAhead = 256

    init(
        name: String, credentials: PeerCredentials, peer: Peer, engine: Engine, showsOutput: Bool, state: HostStateName = .active
    ) {
        self.name = name
        self.state = HostState(state)
        self.credentials = credentials
        identity = engine.options.isSystem ? credentials.identity(named: Accounts.name(of: credentials.uid)) : nil
        self.peer = peer
        self.engine = engine
        self.showsOutput = showsOutput
        sequence = engine.log.append(.hostConnected, host: name, pid: Int(credentials.pid)).sequence
        control = ControlService(engine: engine, peer: peer, credentials: credentials)
        peer.onPacket = { [weak self] in self?.arrived($0) }
        peer.onClose = { [self] in disconnected($0) }
        if let turns = engine.turns { take(turns) }
    }

    /// What is sent to the host waits in line, and its orders behind all that; what it answers is dealt with as it comes.
    private func take(_ turns: Turns) {
        peer.orders = { turns.order($0) }
        peer.turn = Peer.Turn(
            send: { [weak self] body in
                turns.send {
                    body()
                    if let self { turns.stir(self) }
                }
            },
            reads: { true },
            ends: { [name] body in
                turns.forget(host: name)
                turns.order(body)
            })
    }

    private func arrived(_ packet: Packet) {
        switch packet.kind {
        case .acknowledge, .loadProgress: receive(packet)
        default: engine.order { [weak self] in self?.receive(packet) }
        }
    }

    /// Whether what it follows has more to send.
    var isBehind: Bool { !peer.isClosed && !peer.isDetached && control.isBehind }

    private func receive(_ packet: Packet) {
        do throws(ProtocolError) {
            switch packet.kind {
            case .begin: try begin(packet)
            case .cancel: try cancel(packet)
            // Its own only: nobody takes another host's answer for received.
            case .acknowledge:
                let identifier = try packet.message(Acknowledge.self).request
                if let request = requests[identifier] {
                    request.hostAcknowledged()
                } else if let keeping = engine.keeping, keeping.ending(of: identifier, for: self) != nil {
                    keeping.closed(identifier)
                }
            case .stillOpen: engine.keeping?.returned(self, try packet.message())
            case .loadProgress: try engine.questions.advance(packet, from: self)
            case .useView: try engine.questions.use(packet, from: self)
            case .setState:
                move(to: try packet.message(SetState.self).state)
                peer.reply(packet, Success())
            default:
                guard try control.handle(packet) else {
                    throw .unexpected(kind: "\(packet.kind)", state: "from a host")
                }
            }
        } catch {
            peer.fail(error)
        }
    }

    private func begin(_ packet: Packet) throws(ProtocolError) {
        let message: Begin = try packet.message()
        if let problem = packet.memoryProblem {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .invalidArgument, "the memory of the items is not forwarded: \(problem)",
                    remedy: "Pass a memfd with the seals SHRINK, GROW and WRITE"))
        }
        if let known = engine.requests[message.request] {
            guard known.host === self else {
                return peer.reply(
                    packet,
                    ExtensionHostError(
                        .invalidArgument, "this request identifier is another host's", remedy: "Choose a random UUID for each"))
            }
            known.hostHasSaidAgain(packet)
            return known.beginAgain(serial: packet.serial)
        }
        if message.again, let end = endBefore(message) { return tell(end, packet) }
        guard !engine.hasClosed(message.request) else {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .noSuchRequest, "request \(message.request) has ended already", remedy: "Begin under a new identifier"))
        }
        if let timeout = message.timeout, !(timeout > 0 && timeout <= 1e9) {
            return peer.reply(
                packet,
                ExtensionHostError(.invalidArgument, "a timeout of \(timeout) s is not one", remedy: "Give seconds above 0"))
        }
        guard let bundle = engine.bundle(message.extensionIdentifier, for: control.owner) else {
            return peer.reply(
                packet,
                engine.noSuchExtension(
                    message.extensionIdentifier,
                    remedy: "exthostctl list shows what there is; exthostd --applications says where to look"))
        }
        let excess =
            Charge.problem(adding: Request.usage(of: packet), for: self, engine) ?? DescriptorLimit.shortage(packet.descriptors)
        let request = Request(message, packet: packet, bundle: bundle, host: self, engine: engine)
        engine.requests[request.identifier] = request
        requests[request.identifier] = request
        engine.activityChanged()
        guard bundle.problems.isEmpty else {
            return request.refuse(
                .bundleDisabled,
                ExtensionHostError(
                    .bundleDisabled, "\(bundle.identifier) is disabled: \(bundle.problems.joined(separator: "; "))"))
        }
        if bundle.principalClass == nil, let storyboard = bundle.declaration.mainStoryboard, !bundle.hasCompiledStoryboard {
            return request.refuse(
                .bundleDisabled,
                ExtensionHostError(
                    .notSimulated,
                    "\(bundle.identifier) begins with the storyboard \(storyboard.cut(toBytes: 64)), and its bundle has none that was compiled for here",
                    remedy: "Make the bundle with exthostctl bundle, or name a view controller in NSExtensionPrincipalClass"))
        }
        guard !engine.isIgnored(bundle) else {
            return request.refuse(
                .notElected,
                ExtensionHostError(
                    .notElected, "the user has switched \(bundle.identifier) off",
                    remedy: "exthostctl elect default \(bundle.identifier) switches it on again"))
        }
        if let identity, let problem = SystemService.problem(of: identity, bundle, owner: engine.owner) {
            return request.refuse(.notPermitted, problem)
        }
        if let excess { return request.refuse(.quota, excess) }
        guard !engine.isStopping else {
            return request.fail(.daemonStopping, .daemonStopping)
        }
        guard !message.force, let terms = engine.terms(of: bundle) else { return engine.supervisor.serve(request) }
        let check = RuleCheck(
            candidate: OfferCandidate(bundle: bundle, terms: terms, isIgnored: false),
            attachments: message.attachments, types: engine.typeSource(for: control.owner),
            process: credentials.pid)
        check.decide(request, engine)
    }

    /// The end of a request that the host has begun with another daemon; nil for one that nobody has been given.
    private func endBefore(_ message: Begin) -> Finished? {
        if let known = engine.keeping?.ending(of: message.request, for: self) { return known }
        guard message.wasBegun || engine.keeping?.damage != nil else { return nil }
        return .afterRestart(message.request, .daemonRestarted, to: state.current, created: engine.clock.now)
    }

    private func tell(_ end: Finished, _ packet: Packet) {
        peer.reply(packet, Begun(request: end.request, pid: nil))
        peer.send(end, payload: .none, descriptors: [])
    }

    private func cancel(_ packet: Packet) throws(ProtocolError) {
        let identifier = try packet.message(Cancel.self).request
        guard let request = requests[identifier] else {
            return peer.reply(packet, ExtensionHostError(.noSuchRequest, "request \(identifier) is not open in this host"))
        }
        request.cancel(.cancelledByHost)
        peer.reply(packet, Success())
    }

    /// Walks to `target`; each edge is one event, one bus signal and one message to every extension concerned, all with
    /// the same sequence (spec 1.7).
    func move(to target: HostStateName) {
        if state.current != target { engine.keeping?.hostMoved(name, to: target) }
        for edge in state.move(to: target) {
            let event = engine.log.append(
                .hostStateChanged, host: name, from: edge.from.rawValue, to: edge.to.rawValue, detail: edge.notification.rawValue)
            sequence = event.sequence
            engine.announcements.announce(edge.notification, of: self, sequence: event.sequence)
        }
    }

    /// Passes on what an extension printed, if this host asked for it.
    func show(output bytes: [UInt8], of process: ExtensionProcess, stream: String) {
        guard showsOutput, peer.queuedPackets < Self.outputAhead else { return }
        peer.send(Output(extensionIdentifier: process.bundle.identifier, pid: process.pid, stream: stream, bytes: bytes))
    }

    private func disconnected(_ error: ConnectionError) {
        engine.hosts[name] = nil
        engine.keeping?.disconnected(name)
        engine.turns?.forget(host: name)
        engine.log.append(.hostDisconnected, host: name, pid: Int(credentials.pid), detail: error.ending)
        for request in requestsInOrder { request.hostGone() }
        requests = [:]
        control.connectionClosed()
    }

    var requestsInOrder: [Request] { requests.values.sorted { $0.number < $1.number } }

    var record: HostRecord {
        HostRecord(
            host: name, user: Int(credentials.uid), pid: Int(credentials.pid), state: state.current, sequence: sequence,
            requests: requests.keys.sorted { $0.description < $1.description })
    }
}

extension ConnectionError {
    /// For the log: nil when the peer simply left.
    var ending: String? {
        if case .closed = self { nil } else { description }
    }
}
