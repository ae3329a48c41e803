// ExtensionPeer: a connected extension: its hello, its packets, and the loss of its connection.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// Reads the packets of one process: some go to the process, the others to its requests and the router of questions.
@HostActor
final class ExtensionPeer: PeerOwner {
    private weak var process: ExtensionProcess?
    private let context: DaemonContext
    private let sessions: SessionTable
    private let questions: QuestionRouter
    private let apps: AppLauncher
    private let values: ExtensionValues
    private let survives: Bool

    /// - Parameter survives: whether extensions may outlive the daemon.
    init(
        of process: ExtensionProcess, _ context: DaemonContext, _ sessions: SessionTable, _ questions: QuestionRouter,
        _ apps: AppLauncher, _ values: ExtensionValues, survives: Bool
    ) {
        self.process = process
        self.context = context
        self.sessions = sessions
        self.questions = questions
        self.apps = apps
        self.values = values
        self.survives = survives
        process.peer?.owner = self
    }

    /// Notes the start of the program first, so that a fault at the launch acts before the first packet.
    func willRead() { process?.noteStart() }

    /// Resumes the session of a process from another daemon, over a connection from its reconnect socket.
    ///
    /// - Returns: false if the process may not resume.
    func goOn(over peer: Peer, _ hello: Hello, _ version: ProtocolVersion) -> Bool {
        guard let process, process.awaitsConnection, let resumption = hello.resumption else { return false }
        process.door?.handOver()
        process.peer = peer
        peer.label.identify(process.bundle.role, process.bundle.identifier)
        peer.label.pid = process.pid
        peer.send(welcome(process, version, resumption.token, isRecognized: true))
        peer.skip(to: resumption.received)
        peer.owner = self
        makeResumable(peer, of: process, token: resumption.token, version)
        return true
    }

    func received(_ packet: Packet, from _: Peer) {
        guard let process else { return }
        do throws(ProtocolError) {
            guard packet.kind != .hello else { return try welcome(try packet.message(), process) }
            guard process.isReady else { throw .unexpected(kind: "\(packet.kind)", state: "before hello") }
            if let problem = packet.memoryProblem { throw .badPayloadDescriptor("of \(packet.kind): \(problem)") }
            if try questions.take(packet, from: CallSide(process)) { return }
            switch packet.kind {
            case .annotate: return try values.annotate(packet, for: process)
            case .openService:
                return try questions.open(
                    packet, from: CallSide(process), process.serviceClient,
                    user: process.identity?.uid ?? context.owner, as: process.identity)
            default: break
            }
            if process.bundle.isService { return try receiveOfService(packet, process) }
            // Else an app sends only answers.
            guard !process.bundle.isApp else { throw .unexpected(kind: "\(packet.kind)", state: "from an app") }
            switch packet.kind {
            case .stillOpen: try process.isBack(with: try packet.message())
            case .complete:
                let message: Complete = try packet.message()
                let isFinal = message.isFinal && !message.work && !survives
                answer(message.request, process, work: message.work) {
                    $0.complete(packet, work: message.work, isFinal: isFinal)
                }
            case .cancelRequest:
                let message: CancelRequest = try packet.message()
                let isFinal = message.isFinal && !survives
                answer(message.request, process) { $0.cancelByExtension(packet, isFinal: isFinal) }
            case .handlerFinished: process.handlerFinished(try packet.message(HandlerFinished.self).request)
            case .loadItem: try questions.load(packet, from: CallSide(process))
            case .showView: try questions.show(packet, from: CallSide(process))
            case .openURL: apps.open(packet, try packet.message(), for: process)
            case .cancelLoad: try questions.cancel(packet, from: process)
            case .followClock: process.clock.follow()
            case .sleep: try process.clock.sleep(packet)
            case .cancelSleep: process.clock.cancel(try packet.message())
            case .contextFault:
                let message: ContextFault = try packet.message()
                process.tell(.contextFault(message.request, detail: message.detail))
            default: throw .unexpected(kind: "\(packet.kind)", state: "from an extension")
            }
        } catch {
            process.violated(error)
        }
    }

    private func receiveOfService(_ packet: Packet, _ process: ExtensionProcess) throws(ProtocolError) {
        switch packet.kind {
        case .provide: try questions.provide(packet, by: process)
        case .rest: rests(process)
        case .wakeApp: try apps.wake(packet, for: CallSide(process), as: process.identity)
        case .stillOpen: try process.isBack(with: try packet.message())
        case .followClock: process.clock.follow()
        case .sleep: try process.clock.sleep(packet)
        case .cancelSleep: process.clock.cancel(try packet.message())
        default: throw .unexpected(kind: "\(packet.kind)", state: "from a service")
        }
    }

    /// Ends a program that has nothing to do, once it has dealt with what it was sent before it heard of that.
    private func rests(_ process: ExtensionProcess) {
        guard !questions.hasConnections(process) else { return }
        let clients = process.clients
        process.peer?.request(Fence()) { [weak process, questions] answer in
            // A client that has come and gone meanwhile may have left work.
            guard case .success = answer, let process, process.clients == clients,
                !questions.hasConnections(process)
            else { return }
            process.handle(.rested)
        }
    }

    private func answer(
        _ identifier: RequestIdentifier, _ process: ExtensionProcess, work: Bool = false,
        _ body: @HostActor (Request) -> Void
    ) {
        guard let request = process.requests[identifier] else {
            // The answer is repeated, or crossed with the end of the request. The daemon acknowledges it, so that the
            // extension need not store it.
            process.peer?.send(Acknowledge(request: identifier))
            // The host had the answer from another daemon, which ended before it could tell the extension.
            process.hasAnsweredBefore(identifier, work: work)
            return
        }
        body(request)
    }

    private func welcome(_ hello: Hello, _ process: ExtensionProcess) throws(ProtocolError) {
        guard !process.isReady else { throw .unexpected(kind: "hello", state: "twice") }
        guard hello.role == process.bundle.role else {
            throw .badIdentity("the socket of \(process.bundle.identifier), and the role \(hello.role.rawValue)")
        }
        let version = try Handshake.settle(hello)
        if process.bundle.isApp, version < .withApps {
            throw .versionMismatch(
                ours: "\(ProtocolVersion.withApps) to \(ProtocolVersion.current) with apps",
                theirs: "\(hello.minimum) to \(hello.maximum)")
        }
        let token = Handshake.token()
        let peer = process.peer
        peer?.openCredit(hello.window)
        peer?.version = version
        peer?.send(welcome(process, version, token))
        // An app cannot reconnect.
        if hello.resumable, !process.bundle.isApp, let peer { makeResumable(peer, of: process, token: token, version) }
        process.saidHello(hello.sdk)
    }

    private func welcome(
        _ process: ExtensionProcess, _ version: ProtocolVersion, _ token: [UInt8], isRecognized: Bool = false
    ) -> Welcome {
        let bundle = process.bundle
        let point = context.options.points[bundle.point]
        return Welcome(
            version: version, window: .standard, token: token,
            execution: Execution(
                identifier: bundle.identifier, point: bundle.point, principalClass: bundle.principalClass,
                bundle: bundle.isProgram ? nil : bundle.path, socket: context.socketPath,
                time: context.scheduler == nil ? nil : Int(clamping: context.clock.now),
                prewarms: process.isWaiting && !isRecognized && version >= .withPrewarming, framework: point.framework,
                support: point.support, ends: point.ends),
            survives: survives && !bundle.isApp, isRecognized: isRecognized)
    }

    /// Makes the session of an extension resumable.
    ///
    /// An extension that loses its socket and lives on has the time `term` to reconnect; until then it gets nothing
    /// new.
    private func makeResumable(_ peer: Peer, of process: ExtensionProcess, token: [UInt8], _ version: ProtocolVersion) {
        let session = ResumableSession(
            token: token, peer: peer, role: process.bundle.role, pid: Int32(process.pid), version: version,
            context, sessions, isBounded: false)
        session.onLoss = { [weak process] in
            guard let process else { return }
            // A process that was told to end leaves without a report.
            if !process.isEnding { process.tell(.connectionLost) }
            process.handle(.connectionClosed)
        }
        session.onResume = { [weak process] in process?.handle(.connectionResumed) }
    }

    func closed(_ error: ConnectionError) {
        process?.peer = nil
        switch error {
        case .violation(let violation): process?.violated(violation)
        case .closed: process?.cutOff()
        default:
            let why = ExtensionHostError(
                .protocolViolation, "the extension's connection failed: \(error)",
                remedy: "Read packets as they arrive, in the extension")
            process?.kill(.protocolViolation, by: "daemon", why: why)
        }
    }
}

extension ExtensionBundle {
    /// The role that its process has to claim.
    var role: Role { isApp ? .app : isService ? .service : .extension }
}
