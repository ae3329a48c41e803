// ResumableSession: a peer that may lose its socket for a moment and come back over another.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionProtocol
import LinuxSystem

/// The sessions that may go on, by the token of the welcome.
@HostActor
final class SessionTable {
    fileprivate(set) var sessions: [[UInt8]: ResumableSession] = [:]

    nonisolated init() {}

    subscript(token: [UInt8]) -> ResumableSession? { sessions[token] }

    /// The session of a peer.
    func session(of peer: Peer) -> ResumableSession? { sessions.values.first { $0.serves(peer) } }
}

/// Keeps a peer whose connection is lost while its process lives. Whoever comes back shows the token of its welcome and is the
/// same process; the peer's owner does not notice, for nothing was lost.
///
/// A process that ends takes its session along at once; so does `goodbye`.
@HostActor
final class ResumableSession {
    /// How long a session waits for its client, by the daemon's clock. A virtual one stands still for a second of real
    /// time first (`DeterministicScheduler`).
    static let limit = Duration.seconds(5)

    /// Called when the socket is lost.
    var onLoss: (@HostActor () -> Void)?
    /// Called when the peer is back.
    var onResume: (@HostActor () -> Void)?

    private let token: [UInt8]
    private let role: Role
    private let host: String?
    private let pid: Int32
    private let version: ProtocolVersion
    private let peer: Peer
    private let context: DaemonContext
    private var deadline: Deadline?
    private var exitSource: IOSource?
    private var process: SharedDescriptor?
    /// Says that nobody is waited for any more.
    private var settled: DeterministicScheduler.Body?

    /// Keeps `peer` from its next loss on.
    ///
    /// - Parameters:
    ///   - host: a host's name, which it is told again.
    ///   - pid: the only process that may come back.
    ///   - isBounded: whether the session ends itself when nobody comes; else its owner does.
    init(
        token: [UInt8], peer: Peer, role: Role, host: String? = nil, pid: Int32, version: ProtocolVersion,
        _ context: DaemonContext, _ table: SessionTable, isBounded: Bool = true
    ) {
        self.token = token
        self.host = host
        self.peer = peer
        self.role = role
        self.pid = pid
        self.version = version
        self.context = context
        table.sessions[token] = self
        peer.makeResumable()
        peer.onDetach = { [weak self] in self?.lost(isBounded: isBounded) }
        peer.atEnd { [self] in
            table.sessions[token] = nil
            rest()
        }
    }

    private func lost(isBounded: Bool) {
        onLoss?()
        guard isBounded else { return }
        context.driver.tell(.connectionLost(host: host, pid: Int(pid)))
        do {
            // Its death is seen here, and not at the end of the time that it has.
            guard let process = try peer.peerProcess() else { return peer.close(.closed) }
            exitSource = try EventLoop.shared.watchProcessExit(pidfd: process.raw) { [weak self] in self?.giveUp() }
            self.process = SharedDescriptor(process)
        } catch {
            // Nobody can be watched: the time alone decides.
        }
        deadline = context.clock.schedule(after: Self.limit) { [weak self] in self?.giveUp() }
        settled = context.scheduler?.awaitReturn(of: pid)
    }

    /// The other side is gone, it seems, and will not be known when it comes back: a fault on demand.
    func end() {
        context.driver.tell(.connectionLost(host: host, pid: Int(pid)))
        giveUp()
    }

    /// Whether it is that peer's.
    func serves(_ other: Peer) -> Bool { peer === other }

    private func giveUp() {
        rest()
        peer.close(.closed)
    }

    private func rest() {
        deadline = nil
        exitSource = nil
        process = nil
        settled?()
        settled = nil
    }

    /// Goes on over the socket of `stranger`, which has just said hello with this session's token; false when it may not.
    func resume(over stranger: Peer, _ hello: Hello, pid: Int32) throws(ProtocolError) -> Bool {
        guard let resumption = hello.resumption, hello.role == role, pid == self.pid, !peer.isClosed else { return false }
        // What was sent over the old socket comes first, and its end with it.
        peer.detach()
        guard !peer.isClosed else { return false }
        do throws(ProtocolError) {
            try peer.checkReceived(resumption.received)
        } catch {
            peer.close(.violation(error))
            throw error
        }
        let socket: Socket
        do {
            socket = try stranger.duplicateSocket()
        } catch {
            return false
        }
        stranger.send(
            Welcome(version: version, window: .standard, token: token, received: peer.lastReceived, host: host))
        do throws(ConnectionError) {
            try peer.attach(socket, peerReceived: resumption.received)
        } catch {
            peer.close(error)
            return true
        }
        rest()
        context.driver.tell(.connectionResumed(host: host, pid: Int(pid)))
        onResume?()
        return true
    }
}
