// Listener: the listening socket, with the admission of connections and their introduction by a hello.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol
import Glibc
import LinuxSystem

/// The listening socket.
///
/// The daemon admits its own user and root, by the kernel's credentials (SO_PEERCRED, unix(7)). The system's daemon
/// admits everyone whom the socket's mode lets in.
@HostActor
final class Listener {
    /// The time within which a connection has to say hello; the daemon closes it otherwise.
    ///
    /// It is real time, even where the daemon's clock is virtual: the limit protects the daemon from silent peers. A
    /// peer that is only slow must not be refused because somebody has advanced the clock.
    private static let helloLimit = Duration.seconds(5)

    /// The pause after a failed accept, in real time: the daemon waits for a free descriptor of the kernel.
    private static let restTime = Duration.milliseconds(100)

    /// The limits on the connections that are accepted in a turn before the loop serves others: their number and their
    /// time.
    private static let connectionsPerTurn = 16
    private static let longestTurn = Duration.microseconds(200)

    private let engine: Engine
    private let context: DaemonContext
    private let inventory: Inventory
    private let socket: Socket
    private var source: IOSource?
    private var pause: Deadline?
    /// Connections that have not said hello.
    private var strangers: [ObjectIdentifier: (peer: Peer, timer: Deadline)] = [:]
    private var controls: [ObjectIdentifier: ControlSession] = [:]
    private var hosts: [ObjectIdentifier: HostSession] = [:]
    let book: ConnectionBook
    private let refused: RefusedPeers
    private let owner = geteuid()

    init(socket: consuming Socket, engine: Engine) throws(LoopError) {
        self.engine = engine
        (context, inventory) = (engine.context, engine.inventory)
        self.socket = socket
        book = ConnectionBook(
            ConnectionLimits(
                most: context.options.connections, descriptors: DescriptorLimit.most, isSystem: context.options.isSystem
            ),
            context.shares)
        refused = RefusedPeers(log: context.log, metrics: context.metrics, clock: context.realClock)
        source = try EventLoop.shared.watch(descriptor: self.socket.raw, for: .readable) { [weak self] _ in
            self?.accept()
        }
    }

    func stop() {
        source = nil
        pause = nil
        for (peer, _) in Array(strangers.values) { peer.close(.closed) }
    }

    /// Tells hosts and tools that the daemon was stopped.
    ///
    /// A service manager holds the socket, so a client that connected again would start the daemon.
    func sayGoodbye() {
        for peer in inventory.hosts.values.map(\.peer) + controls.values.map(\.peer) where peer.version >= .withGoodbye
        {
            peer.send(Goodbye())
        }
    }

    /// Calls `body` when everything for hosts and tools has been sent, or when they are gone.
    ///
    /// The ends of the streams that they follow are included.
    ///
    /// - Parameter progress: called before that, each time a peer has read everything that was queued for it.
    func whenDrained(progress: @escaping @HostActor () -> Void, _ body: @escaping @HostActor () -> Void) {
        let peers = inventory.hosts.values.map(\.peer) + controls.values.map(\.peer)
        let check = { @HostActor [weak self] in self?.check(peers, whenDrained: body) ?? body() }
        for peer in peers where !peer.isClosed {
            peer.onDrained = {
                progress()
                // The check comes after the work that this event causes.
                EventLoop.shared.atEndOfIteration(check)
            }
        }
        check()
    }

    private func check(_ peers: [Peer], whenDrained body: @escaping @HostActor () -> Void) {
        guard peers.allSatisfy({ $0.isClosed || $0.isDetached || $0.queuedPackets == 0 }), !context.recorder.hasBacklog
        else {
            return
        }
        guard controls.values.contains(where: \.isBehind) || hosts.values.contains(where: \.isBehind) else {
            return body()
        }
        // With nothing queued, the stream continues at the end of this turn, and may have nothing to send then.
        EventLoop.shared.atEndOfIteration { [weak self] in self?.check(peers, whenDrained: body) }
    }

    /// Accepts the connections of one turn. The others wait in the socket, which the loop reports again.
    private func accept() {
        let start = ContinuousClock.now
        var count = 0
        do {
            while count < Self.connectionsPerTurn, ContinuousClock.now - start < Self.longestTurn,
                let connection = try socket.accept()
            {
                count += 1
                try admit(connection)
            }
        } catch {
            // For example, no descriptor is free: the connection waits, and so does the event. The daemon logs it once
            // a pause.
            refused.note(0, "a connection could not be accepted: \(error)")
            source?.isEnabled = false
            pause = context.realClock.schedule(after: Self.restTime) { [weak self] in self?.source?.isEnabled = true }
        }
    }

    private func admit(_ connection: consuming Socket) throws {
        // A peer that has disconnected costs as little as possible, whatever it sent first, and counts for nothing.
        guard !connection.isAbandoned() else { return }
        let credentials = try connection.peerCredentials()
        guard credentials.uid == owner || credentials.uid == 0 || context.options.isSystem else {
            refused.note(credentials.pid, cause: .notPermitted, "user \(credentials.uid)")
            return Self.refuse(
                connection,
                ExtensionHostError(
                    .notPermitted, "user \(credentials.uid) may not use the daemon of user \(owner)",
                    remedy: "Start a daemon of your own with exthostd"))
        }
        if let problem = book.problem(of: credentials) ?? DescriptorLimit.shortage(connection.raw) {
            refused.note(credentials.pid, cause: .quota, problem.message)
            return Self.refuse(connection, problem)
        }
        let share = book.add(credentials)
        do {
            let peer = try Peer(
                socket: connection, buffer: context.buffer, recorder: context.recorder, metrics: context.metrics,
                share: share)
            greet(peer, credentials)
        } catch {
            book.remove(credentials, isStranger: true)
            throw error
        }
    }

    /// Closes a connection with an error that it can read.
    private static func refuse(_ connection: consuming Socket, _ error: ExtensionHostError) {
        var connection = Connection(socket: connection)
        connection.sendLastWords(error)
    }

    /// Admits a connection that an extension's process made through its reconnect socket.
    ///
    /// The connection may resume the session of the process, and nothing else. A process has one at a time, so there is
    /// room for it however many others there are.
    ///
    /// - Parameter share: the turns of that process.
    func admit(_ connection: consuming Socket, of process: ExtensionProcess, _ share: TurnShare) -> Peer? {
        guard let credentials = try? connection.peerCredentials(), credentials.pid == Int32(process.pid),
            let peer = try? Peer(
                socket: connection, buffer: context.buffer, recorder: context.recorder, metrics: context.metrics,
                share: share)
        else { return nil }
        _ = book.add(credentials)
        greet(peer, credentials, of: process)
        return peer
    }

    /// - Parameter process: the process whose reconnect socket the connection came through.
    private func greet(_ peer: Peer, _ credentials: PeerCredentials, of process: ExtensionProcess? = nil) {
        let key = ObjectIdentifier(peer)
        let timer = context.realClock.schedule(after: Self.helloLimit) { [weak self, weak peer] in
            self?.refused.note(credentials.pid, "no hello within \(Self.helloLimit)")
            peer?.fail(.badIdentity("no hello within \(Self.helloLimit)"))
        }
        strangers[key] = (peer, timer)
        peer.owner = Stranger(self, credentials, process)
        peer.atEnd { [weak self] in self?.left(key, credentials) }
    }

    /// The owner of a connection that has not said hello.
    private final class Stranger: PeerOwner {
        private weak var listener: Listener?
        private let credentials: PeerCredentials
        /// The process whose reconnect socket the connection came through.
        private weak var process: ExtensionProcess?
        private let isFromDoor: Bool

        init(_ listener: Listener, _ credentials: PeerCredentials, _ process: ExtensionProcess?) {
            self.listener = listener
            self.credentials = credentials
            self.process = process
            isFromDoor = process != nil
        }

        func received(_ packet: Packet, from peer: Peer) {
            listener?.context.order { [self, weak peer] in
                guard let listener, let peer, !peer.isClosed else { return }
                do throws(ProtocolError) {
                    try listener.introduce(peer, packet, credentials, process, isFromDoor)
                } catch {
                    listener.refused.note(credentials.pid, cause: .protocolViolation, error.description)
                    peer.fail(error)
                }
            }
        }

        func closed(_: ConnectionError) {}
    }

    private func introduce(
        _ peer: Peer, _ packet: Packet, _ credentials: PeerCredentials, _ process: ExtensionProcess?, _ isFromDoor: Bool
    ) throws(ProtocolError) {
        guard packet.kind == .hello else { throw .unexpected(kind: "\(packet.kind)", state: "before hello") }
        let hello: Hello = try packet.message()
        let version = try Handshake.settle(hello)
        let key = ObjectIdentifier(peer)
        peer.openCredit(hello.window)
        peer.version = version
        peer.label.role = hello.role
        if let token = hello.resumption?.token, let session = engine.sessions[token],
            try session.resume(over: peer, hello, pid: credentials.pid)
        {
            // The session owns the socket now.
            return peer.close(.closed)
        }
        if let process, hello.role == process.bundle.role, hello.resumption?.token.count == 16, hello.resumable,
            version >= .withRestart,
            engine.goOn(process, over: peer, hello, version)
        {
            return settled(key, credentials)
        }
        guard !isFromDoor else { throw .badIdentity("a new session through the reconnect socket of an extension") }
        let returning =
            hello.role == .host && hello.resumable
            ? try engine.handover?.returning(hello.resumption?.token ?? [], credentials) : nil
        var name = returning?.name
        if name == nil, hello.role == .host { name = engine.uniqueHostName(try checked(hello.name, credentials)) }
        guard hello.role == .host || hello.role == .control else {
            throw .badIdentity(
                "the role \(hello.role.rawValue) on the listening socket: a process of the daemon has its own socket")
        }
        let token = returning?.token ?? Handshake.token()
        (peer.label.name, peer.label.pid) = (name, Int(credentials.pid))
        let isResumable = name != nil && hello.resumable && version >= .withRestart
        if let handover = engine.handover, let name, isResumable, returning == nil {
            handover.connected(
                HandedHost(
                    name: name, token: token, pid: Int(credentials.pid), user: credentials.uid,
                    identity: context.options.isSystem ? credentials.identity() : nil, state: .active))
        }
        let outlives = isResumable && engine.handover != nil
        peer.send(
            Welcome(
                version: version, window: .standard, token: token, host: name, survives: outlives,
                isRecognized: returning != nil,
                started: outlives ? context.started : nil))
        if returning != nil { peer.skip(to: hello.resumption?.received ?? 0) }
        if let name {
            let identity =
                context.options.isSystem
                ? credentials.identity(named: Accounts.name(of: credentials.uid)) : nil
            let host = Host(
                name: name, credentials: credentials, identity: identity, peer: peer, showsOutput: hello.output,
                context.driver)
            inventory.hosts[name] = host
            context.driver.post(
                .hostConnected(name, returning?.state ?? .active, user: credentials.uid, process: credentials.pid))
            hosts[key] = HostSession(host, engine: engine)
            if let identity { engine.programs.resume(for: identity) }
        } else {
            controls[key] = ControlSession(peer: peer, credentials: credentials, engine: engine)
        }
        if hello.resumable {
            _ = ResumableSession(
                token: token, peer: peer, role: hello.role, host: name, pid: credentials.pid, version: version,
                context, engine.sessions)
        }
        settled(key, credentials)
    }

    /// Counts the connection as introduced: it is no stranger any more.
    private func settled(_ key: ObjectIdentifier, _ credentials: PeerCredentials) {
        if strangers.removeValue(forKey: key) != nil { book.introduced(credentials) }
    }

    private func left(_ key: ObjectIdentifier, _ credentials: PeerCredentials) {
        book.remove(credentials, isStranger: strangers.removeValue(forKey: key) != nil)
        controls[key] = nil
        hosts[key] = nil
    }

    /// Returns a host's name after a check: it goes to the bus and to terminals, so it is short and has only visible
    /// ASCII.
    ///
    /// In the system's daemon the number of the host's user precedes the name, which no name can feign.
    private func checked(_ name: String?, _ credentials: PeerCredentials) throws(ProtocolError) -> String {
        guard let name, !name.isEmpty, name.utf8.count <= 128,
            name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") })
        else { throw .badIdentity("a host's name must be 1 to 128 visible ASCII characters without a slash") }
        return context.options.isSystem ? "\(credentials.uid)/\(name)" : name
    }
}
