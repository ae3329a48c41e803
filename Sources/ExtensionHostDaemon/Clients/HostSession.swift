// HostSession: a connected host application: its name, its state, its open requests.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// Reads the packets of one host. The end of the session drops the host's requests.
@HostActor
final class HostSession: PeerOwner {
    let host: Host
    private let engine: Engine
    private let control: ControlService
    private var context: DaemonContext { engine.context }
    private var inventory: Inventory { engine.inventory }
    private var peer: Peer { host.peer }

    init(_ host: Host, engine: Engine) {
        self.host = host
        self.engine = engine
        control = ControlService(engine: engine, peer: host.peer, credentials: host.credentials)
        context.driver.tell(.hostConnected(host.name))
        peer.owner = self
        if let scheduler = context.scheduler { take(scheduler) }
    }

    /// Connects the peer with the scheduler of a virtual clock.
    ///
    /// Packets for the host wait in the scheduler's queue, and the host's orders behind them. The daemon handles the
    /// host's answers on arrival.
    private func take(_ scheduler: DeterministicScheduler) {
        peer.orders = { scheduler.order($0) }
        let name = host.name
        peer.turn = Peer.Turn(
            send: { [weak peer] body in
                scheduler.send {
                    body()
                    if let peer { scheduler.markActive(host: name, peer) }
                }
            },
            reads: { true },
            ends: { body in
                scheduler.forget(host: name)
                scheduler.order(body)
            })
    }

    func drained() { control.drained() }

    func received(_ packet: Packet, from _: Peer) {
        switch packet.kind {
        case .acknowledge, .loadProgress, .callPart: receive(packet)
        default: context.order { [weak self] in self?.receive(packet) }
        }
    }

    /// Whether a stream that the host follows has more to send.
    var isBehind: Bool { !peer.isClosed && !peer.isDetached && control.isBehind }

    private func receive(_ packet: Packet) {
        do throws(ProtocolError) {
            if try engine.questions.take(packet, from: CallSide(host)) { return }
            switch packet.kind {
            case .begin: try begin(packet)
            case .cancel: try cancel(packet)
            // A host acknowledges its own requests only: none confirms another host's answer.
            case .acknowledge:
                let identifier = try packet.message(Acknowledge.self).request
                if let request = inventory.request(identifier, of: host) {
                    request.hostAcknowledged()
                } else {
                    engine.handover?.acknowledged(identifier, by: host)
                }
            case .stillOpen: engine.handover?.returned(host, try packet.message())
            case .loadProgress: try engine.questions.advance(packet, from: host)
            case .useView: try engine.questions.use(packet, from: CallSide(host))
            case .provide: try engine.questions.provide(packet, by: host)
            case .openService:
                try engine.questions.open(
                    packet, from: CallSide(host),
                    ServiceClient(role: .host, identifier: host.name, pid: Int(host.credentials.pid)),
                    user: host.credentials.uid, as: host.identity)
            case .wakeApp: try engine.apps.wake(packet, for: CallSide(host), as: host.identity)
            case .setState:
                engine.announcements.move(host, to: try packet.message(SetState.self).state)
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
                    .invalidArgument, "the daemon does not forward the memory of the items: \(problem)",
                    remedy: "Pass a memfd with the seals SHRINK, GROW and WRITE"))
        }
        guard engine.questions.services.connections[message.request] == nil else {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .invalidArgument, "the request has the identifier of a connection with a service",
                    remedy: "Choose a random UUID for each"))
        }
        if let known = inventory.requests[message.request] {
            guard known.host === host else {
                return peer.reply(
                    packet,
                    ExtensionHostError(
                        .invalidArgument, "this request identifier belongs to another host",
                        remedy: "Choose a random UUID for each"))
            }
            known.hostHasSaidAgain(packet)
            return known.beginAgain(serial: packet.serial)
        }
        if message.again, let end = endBefore(message) { return tell(end, packet) }
        guard !inventory.hasClosed(message.request) else {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .noSuchRequest, "request \(message.request) has already ended",
                    remedy: "Begin with a new identifier"))
        }
        if let timeout = message.timeout, !(timeout > 0 && timeout <= 1e9) {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .invalidArgument, "a timeout of \(timeout) s is invalid", remedy: "Give seconds above 0"))
        }
        guard let bundle = engine.catalog.bundle(message.extensionIdentifier, for: control.owner) else {
            return peer.reply(
                packet,
                engine.catalog.noSuchExtension(
                    message.extensionIdentifier,
                    remedy: "exthostctl list shows the extensions; exthostd --applications sets the folders to search"))
        }
        let excess =
            QuotaProblem.of(adding: Request.usage(of: packet), to: host, context)
            ?? DescriptorLimit.shortage(packet.descriptors)
        let request = Request(
            message, packet: packet, bundle: bundle, number: inventory.nextRequestNumber(), host: host, context)
        inventory.add(request)
        host.requests.insert(request.identifier)
        request.begin(message, packet)
        context.activityChanged()
        guard bundle.problems.isEmpty else {
            return request.refuse(
                .bundleDisabled,
                ExtensionHostError(
                    .bundleDisabled, "\(bundle.identifier) is disabled: \(bundle.problems.joined(separator: "; "))"))
        }
        if bundle.principalClass == nil, let storyboard = bundle.declaration.mainStoryboard,
            !bundle.hasCompiledStoryboard
        {
            return request.refuse(
                .bundleDisabled,
                ExtensionHostError(
                    .notSimulated,
                    "\(bundle.identifier) begins with the storyboard \(storyboard.cut(toBytes: 64)), and its bundle has none compiled by exthost",
                    remedy:
                        "Make the bundle with exthostctl bundle, or name a view controller in NSExtensionPrincipalClass"
                ))
        }
        guard !engine.catalog.isIgnored(bundle) else {
            return request.refuse(
                .notElected,
                ExtensionHostError(
                    .notElected, "the user has switched \(bundle.identifier) off",
                    remedy: "exthostctl elect default \(bundle.identifier) switches it on again"))
        }
        if let identity = host.identity, let problem = SystemService.problem(of: identity, bundle, owner: context.owner)
        {
            return request.refuse(.notPermitted, problem)
        }
        if let problem = engine.catalog.entitlementProblem(of: bundle) { return request.refuse(.notPermitted, problem) }
        if let excess { return request.refuse(.quota, excess) }
        guard !context.isStopping else {
            return request.fail(.daemonStopping, .daemonStopping)
        }
        guard !message.force, let terms = engine.catalog.terms(of: bundle) else {
            return engine.supervisor.serve(request)
        }
        let check = RuleCheck(
            candidate: OfferCandidate(bundle: bundle, terms: terms, isIgnored: false),
            attachments: message.attachments, types: engine.catalog.typeSource(for: control.owner),
            process: host.credentials.pid)
        check.decide(request, context, inventory) { [engine] in engine.supervisor.serve($0) }
    }

    /// Returns the end of a request that the host began with another daemon; nil if it was given to nobody, and can
    /// begin here.
    private func endBefore(_ message: Begin) -> Finished? {
        if let known = engine.handover?.ending(of: message.request, for: host) { return known }
        guard message.wasBegun || engine.handover?.damage != nil else { return nil }
        return .afterRestart(message.request, .daemonRestarted, to: host.state, created: context.clock.now)
    }

    private func tell(_ end: Finished, _ packet: Packet) {
        peer.reply(packet, Begun(request: end.request, pid: nil))
        peer.send(end, payload: .none, descriptors: [])
    }

    private func cancel(_ packet: Packet) throws(ProtocolError) {
        let identifier = try packet.message(Cancel.self).request
        guard let request = inventory.request(identifier, of: host) else {
            return peer.reply(
                packet, ExtensionHostError(.noSuchRequest, "request \(identifier) is not open in this host"))
        }
        request.cancel(.cancelledByHost)
        peer.reply(packet, Success())
    }

    func closed(_ error: ConnectionError) {
        let name = host.name
        inventory.hosts[name] = nil
        engine.questions.services.removeServices(of: host)
        context.driver.tell(.hostDisconnected(name, pid: Int(host.credentials.pid), detail: error.ending))
        for request in inventory.requests(of: host) { request.hostGone() }
        host.requests = []
        context.driver.post(.hostDisconnected(name))
        // A host that came back, and left before it reported its open requests, is still awaited.
        if let handed = context.absentHosts.hosts[name] { context.driver.post(.hostAwaited(name, handed.state)) }
        control.connectionClosed()
    }
}

extension ConnectionError {
    /// The error's text for the log; nil if the peer simply disconnected.
    var ending: String? {
        if case .closed = self { nil } else { description }
    }
}
