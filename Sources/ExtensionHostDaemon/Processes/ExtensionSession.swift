// ExtensionSession: a connected extension: its hello, what it says, and the loss of its connection.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry

/// An extension's side of the daemon, from the launch on: its process hears what it says, its requests and the broker the rest.
@HostActor
final class ExtensionSession {
    private(set) var peer: Peer?
    private weak var process: ExtensionProcess?
    private let engine: Engine

    /// - Parameter peer: nil for one of another daemon's that is to come back.
    init(_ peer: Peer?, engine: Engine) {
        self.peer = peer
        self.engine = engine
    }

    func serve(_ process: ExtensionProcess) {
        self.process = process
        // A fault at its launch befalls what it says first.
        peer?.willRead = { [weak self] in self?.process?.noteStart() }
        peer?.onPacket = { [weak self] in self?.receive($0) }
        peer?.onClose = { [weak self] in self?.closed($0) }
    }

    /// Its process has come back from another daemon.
    func goOn(over peer: Peer, _ hello: Hello, _ version: ProtocolVersion, of process: ExtensionProcess) {
        guard let resumption = hello.resumption else { return }
        self.peer = peer
        peer.label.identify(.extension, process.bundle.identifier)
        peer.label.pid = process.pid
        peer.send(welcome(process, version, resumption.token, isKept: true))
        peer.skip(to: resumption.received)
        serve(process)
        keep(peer, of: process, token: resumption.token, version)
    }

    /// Its process is no more, or never came to be.
    func end() {
        process = nil
        peer?.close(.closed)
        peer = nil
    }

    private func receive(_ packet: Packet) {
        guard let process else { return }
        do throws(ProtocolError) {
            guard packet.kind != .hello else { return try welcome(try packet.message(), process) }
            guard process.isReady else { throw .unexpected(kind: "\(packet.kind)", state: "before hello") }
            if let problem = packet.memoryProblem { throw .badPayloadDescriptor("of \(packet.kind): \(problem)") }
            // All that an app says are answers.
            guard !process.bundle.isApp else { throw .unexpected(kind: "\(packet.kind)", state: "from an app") }
            switch packet.kind {
            case .stillOpen: try process.isBack(with: try packet.message())
            case .complete:
                let message: Complete = try packet.message()
                answer(message.request, process, work: message.work) { $0.complete(message, packet) }
            case .cancelRequest:
                let message: CancelRequest = try packet.message()
                answer(message.request, process) { $0.cancelByExtension(packet) }
            case .handlerFinished: process.handlerFinished(try packet.message(HandlerFinished.self).request)
            case .loadItem: try engine.questions.load(packet, from: process)
            case .showView: try engine.questions.show(packet, from: process)
            case .openURL: engine.apps.open(packet, try packet.message(), for: process)
            case .cancelLoad: try engine.questions.cancel(packet, from: process)
            case .followClock: process.clock.follow()
            case .sleep: try process.clock.sleep(packet)
            case .cancelSleep: process.clock.cancel(try packet.message())
            case .contextFault:
                let message: ContextFault = try packet.message()
                engine.log.append(
                    .contextFault, request: message.request, extensionIdentifier: process.bundle.identifier, pid: process.pid,
                    detail: message.detail)
            default: throw .unexpected(kind: "\(packet.kind)", state: "from an extension")
            }
        } catch {
            violated(error)
        }
    }

    private func answer(
        _ identifier: RequestIdentifier, _ process: ExtensionProcess, work: Bool = false, _ body: @HostActor (Request) -> Void
    ) {
        guard let request = process.requests[identifier] else {
            // Said again, or crossed with the end of the request: acknowledged, so that the extension need not keep it.
            peer?.send(Acknowledge(request: identifier))
            // The host had the answer from another daemon, which did not come to tell the extension.
            process.hasAnsweredBefore(identifier, work: work)
            return
        }
        body(request)
    }

    private func welcome(_ hello: Hello, _ process: ExtensionProcess) throws(ProtocolError) {
        guard !process.isReady else { throw .unexpected(kind: "hello", state: "twice") }
        guard hello.role == (process.bundle.isApp ? .app : .extension) else {
            throw .badIdentity("the socket of \(process.bundle.identifier), and the role \(hello.role.rawValue)")
        }
        let version = try Handshake.settle(hello)
        if process.bundle.isApp, version < .withApps {
            throw .versionMismatch(
                ours: "\(ProtocolVersion.withApps) to \(ProtocolVersion.current) with apps",
                theirs: "\(hello.minimum) to \(hello.maximum)")
        }
        let token = Handshake.token()
        peer?.openCredit(hello.window)
        peer?.version = version
        peer?.send(welcome(process, version, token))
        // An app has no way back.
        if hello.resumable, !process.bundle.isApp, let peer { keep(peer, of: process, token: token, version) }
        process.saidHello(hello.sdk)
    }

    private func welcome(
        _ process: ExtensionProcess, _ version: ProtocolVersion, _ token: [UInt8], isKept: Bool = false
    ) -> Welcome {
        let bundle = process.bundle
        return Welcome(
            version: version, window: .standard, token: token,
            execution: Execution(
                identifier: bundle.identifier, point: bundle.point, principalClass: bundle.principalClass,
                bundle: bundle.isProgram ? nil : bundle.path, socket: engine.socketPath,
                time: engine.turns == nil ? nil : Int(clamping: engine.clock.now),
                prewarms: process.isWaiting && !isKept && version >= .withPrewarming),
            keeps: engine.keeping != nil && !bundle.isApp, isKept: isKept)
    }

    /// An extension that loses its socket and lives on has the time `term` to come back; until then it gets nothing new.
    private func keep(_ peer: Peer, of process: ExtensionProcess, token: [UInt8], _ version: ProtocolVersion) {
        let session = ResumableSession(
            token: token, peer: peer, role: .extension, pid: Int32(process.pid), version: version,
            engine: engine,
            isBounded: false)
        session.onLoss = { [weak process, engine] in
            guard let process else { return }
            // One that was told to end leaves without a word.
            if !process.isEnding {
                engine.log.append(.connectionLost, extensionIdentifier: process.bundle.identifier, pid: process.pid)
            }
            process.handle(.connectionClosed)
        }
        session.onResume = { [weak process] in process?.handle(.connectionResumed) }
    }

    /// The extension broke the protocol: it is ended for it.
    func violated(_ error: ProtocolError) {
        let why: ExtensionHostError
        if case .versionMismatch(let ours, let theirs) = error {
            why = ExtensionHostError(
                .versionMismatch, "no common protocol version: the daemon speaks \(ours), the extension \(theirs)",
                remedy: "Bring the older of the two up to date")
        } else {
            why = ExtensionHostError(
                .protocolViolation, "the extension broke the protocol: \(error)", remedy: "See docs/protocol.md")
        }
        peer?.fail(error)
        process?.kill(.protocolViolation, by: "daemon", why: why)
    }

    private func closed(_ error: ConnectionError) {
        peer = nil
        switch error {
        case .violation(let violation): violated(violation)
        case .closed: process?.cutOff()
        default:
            let why = ExtensionHostError(
                .protocolViolation, "the extension's connection failed: \(error)", remedy: "Let it read packets as they come")
            process?.kill(.protocolViolation, by: "daemon", why: why)
        }
    }
}
