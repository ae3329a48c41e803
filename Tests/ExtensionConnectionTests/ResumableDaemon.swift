// ResumableDaemon: the daemon's end of a channel that loses its socket and comes back.

import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem
import Locks

/// Keeps one session over any number of sockets, on a thread of its own. Answers each `listHosts` by a page of its
/// offset.
final class ResumableDaemon: Sendable {
    /// What it does with a connection.
    enum Manner: Sendable {
        /// Goes on with its session, or begins one where there is none.
        case sound
        /// Nobody answers on the socket.
        case absent
        /// Takes the connection and closes it before the welcome.
        case closes
        case refuses(ExtensionHostError)
        /// Has forgotten the session and begins another.
        case forgets
        /// Goes on, and says that it has received everything up to this serial.
        case claims(UInt32)
    }

    private struct State {
        var manners: [Manner]
        var arrivals: [(socket: Int32, manner: Manner)] = []
        var tries = 0
        var offsets: [Int] = []
        var isStopped = false
    }

    private let state: Mutex<State>
    private let wake: WakeDescriptor
    private let dropsAfter: Int
    /// The number of each try to connect, as it is made.
    let attempts: AsyncStream<Int>
    private let attempt: AsyncStream<Int>.Continuation

    /// - Parameters:
    ///   - manners: towards the first connections, in order; to those that follow it is sound.
    ///   - dropsAfter: so many questions are taken on one socket, then it is closed with what is on the way.
    init(_ manners: [Manner] = [], dropsAfter: Int = .max) throws {
        state = Mutex(State(manners: manners))
        (attempts, attempt) = AsyncStream.makeStream()
        wake = try WakeDescriptor()
        self.dropsAfter = dropsAfter
        try startThread(named: "resumable") { self.run() }
    }

    /// Ends its thread, and the session with it.
    func stop() {
        state.withLock { $0.isStopped = true }
        wake.signal()
    }

    /// How often a client has tried to connect.
    var tries: Int { state.withLock { $0.tries } }
    /// The offset of each question, in the order in which they came.
    var offsets: [Int] { state.withLock { $0.offsets } }

    /// A channel that comes back to this daemon.
    func open(patience: Duration = .seconds(30)) throws -> (channel: Channel, welcome: Welcome) {
        var reconnection = Reconnection(patience: patience) { [self] _ throws(ExtensionHostError) in try connect() }
        // Two threads have to come to their turns within it, on a machine that is busy.
        reconnection.lossPatience = .seconds(30)
        return try Channel.open(
            socket: try connect(), hello: Hello(role: .host, name: "Photos", sdk: "tests"), reconnection: reconnection)
    }

    private func connect() throws(ExtensionHostError) -> Socket {
        let manner: Manner = state.withLock { state in
            state.tries += 1
            attempt.yield(state.tries)
            return state.manners.isEmpty ? .sound : state.manners.removeFirst()
        }
        if case .absent = manner { throw ExtensionHostError(.noDaemon, "nobody answers") }
        do {
            let pair = try SocketPair()
            // A noncopyable value crosses to the thread as its number.
            let raw = pair.second.release().release()
            state.withLock { $0.arrivals.append((raw, manner)) }
            wake.signal()
            return pair.first
        } catch {
            throw ExtensionHostError(.internalError, "no pair of sockets", cause: "\(error)")
        }
    }

    // MARK: On its thread

    private func run() {
        let buffer = ReceiveBuffer()
        var session: Connection?
        var token: UInt8 = 0
        var isLost = true
        // On this socket.
        var answered = 0
        while true {
            let (arrivals, isStopped) = state.withLock { state in
                defer { state.arrivals = [] }
                return (state.arrivals, state.isStopped)
            }
            for (raw, manner) in arrivals {
                // A stranger that goes wrong leaves the session as it was; the tests see it from their end.
                isLost = (try? greet(Socket(OwnedDescriptor(owning: raw)), manner, &session, &token, buffer)) == nil
                answered = 0
            }
            if isStopped { return }
            if !isLost, (try? serve(&session, buffer, &answered)) != true {
                isLost = true
                if let descriptor = session?.descriptor { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
                session?.detach()
            }
            // A negative descriptor is passed over.
            var entries = [
                pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isLost ? -1 : session?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&entries, 2, -1)
            if entries[0].revents != 0 { wake.drain() }
        }
    }

    /// Takes a new socket into the session, or a new session.
    private func greet(
        _ socket: consuming Socket, _ manner: Manner, _ session: inout Connection?, _ token: inout UInt8,
        _ buffer: ReceiveBuffer
    ) throws {
        if case .closes = manner { throw ConnectionError.closed }
        var stranger = Connection(socket: socket)
        var first = try stranger.receive(into: buffer)
        while first == nil {
            var entry = pollfd(fd: stranger.descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, -1)
            first = try stranger.receive(into: buffer)
        }
        guard let hello = try first?.message(Hello.self) else { return }
        switch manner {
        case .refuses(let why):
            stranger.sendLastWords(why)
            throw ConnectionError.closed
        case .forgets: session = nil
        default: break
        }
        guard let resumption = hello.resumption, resumption.token == [token], let received = session?.lastReceived
        else {
            token += 1
            stranger.openCredit(hello.window)
            try stranger.enqueue(Welcome(version: .current, window: .standard, token: [token]))
            _ = try stranger.flush()
            stranger.makeResumable()
            session = consume stranger
            return
        }
        var claim = received
        if case .claims(let serial) = manner { claim = serial }
        try stranger.enqueue(Welcome(version: .current, window: .standard, token: [token], received: claim))
        _ = try stranger.flush()
        session?.detach()
        try session?.attach(stranger.release(), peerReceived: resumption.received)
    }

    /// Deals with what has come; false when it has closed the socket.
    private func serve(_ session: inout Connection?, _ buffer: ReceiveBuffer, _ answered: inout Int) throws -> Bool {
        while let packet = try session?.receive(into: buffer) {
            session?.release(packet.cost)
            guard packet.kind == .listHosts else { continue }
            let offset = try packet.message(ListHosts.self).offset
            state.withLock { $0.offsets.append(offset) }
            _ = try session?.enqueue(
                Page<HostRecord>(entries: [], offset: offset, count: offset * 3), replyTo: packet.serial)
            answered += 1
            guard answered >= dropsAfter else { continue }
            // Before the answers are sent, or behind them, with what is on the way.
            if offset.isMultiple(of: 2) { _ = try session?.flush() }
            return false
        }
        _ = try session?.flush()
        return true
    }
}
