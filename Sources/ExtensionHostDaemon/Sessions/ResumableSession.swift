// ResumableSession: a peer that may lose its socket and reconnect over another one.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionProtocol
import LinuxSystem

/// The resumable sessions, by the token of the welcome.
@HostActor
final class SessionTable {
    fileprivate(set) var sessions: [[UInt8]: ResumableSession] = [:]

    nonisolated init() {}

    subscript(token: [UInt8]) -> ResumableSession? { sessions[token] }

    /// Returns the session of a peer.
    func session(of peer: Peer) -> ResumableSession? { sessions.values.first { $0.serves(peer) } }
}

/// Retains a peer whose connection is lost while its process lives.
///
/// A client that reconnects shows the token of its welcome, and has to be the same process. The peer's owner does not
/// notice, because nothing was lost.
///
/// The end of a process ends its session at once; so does `goodbye`.
@HostActor
final class ResumableSession {
    /// The time for which a session waits for its client, by the daemon's clock.
    ///
    /// A virtual clock stops for a second of real time first (`DeterministicScheduler`).
    static let limit = Duration.seconds(5)

    /// The callback for the loss of the socket.
    var onLoss: (@HostActor () -> Void)?
    /// The callback for the return of the peer.
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
    /// The closure that reports that the client is not awaited any more.
    private var settled: DeterministicScheduler.Body?

    /// Retains `peer` from its next loss on.
    ///
    /// - Parameters:
    ///   - host: a host's name, which the welcome repeats.
    ///   - pid: the only process that may reconnect.
    ///   - isBounded: whether the session ends itself if nobody reconnects; else its owner ends it.
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
            // The exit of the process is noticed here, and not only at the time limit.
            guard let process = try peer.peerProcess() else { return peer.close(.closed) }
            exitSource = try EventLoop.shared.watchProcessExit(pidfd: process.raw) { [weak self] in self?.giveUp() }
            self.process = SharedDescriptor(process)
        } catch {
            // The process cannot be watched: the time limit alone decides.
        }
        deadline = context.clock.schedule(after: Self.limit) { [weak self] in self?.giveUp() }
        settled = context.scheduler?.awaitReturn(of: pid)
    }

    /// Ends the session, as a fault on demand: the other side seems to be gone, and is unknown when it reconnects.
    func end() {
        context.driver.tell(.connectionLost(host: host, pid: Int(pid)))
        giveUp()
    }

    /// Whether this is the session of that peer.
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

    /// Resumes over the socket of `stranger`, which has just said hello with this session's token; returns false if it
    /// may not.
    func resume(over stranger: Peer, _ hello: Hello, pid: Int32) throws(ProtocolError) -> Bool {
        guard let resumption = hello.resumption, hello.role == role, pid == self.pid, !peer.isClosed else {
            return false
        }
        // The packets of the old socket come first, and its end with them.
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
