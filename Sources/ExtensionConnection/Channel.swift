// Channel: a client's connection with its own reader thread, the base of both kits.

public import ExtensionWire
import Glibc
public import LinuxDescriptors
import Locks

/// A connection to the daemon for use from any thread.
///
/// One thread reads; packets reach `onPacket` and the handlers of answers on it, in order, so neither may block for
/// long. Sending never blocks: what the socket or the credit does not take now is sent by the reader later.
public final class Channel: Sendable {
    public typealias Answer = Result<Packet, ExtensionHostError>

    private struct State: ~Copyable {
        var connection: Connection
        var welcome: Welcome
        var replies = ReplyTable<@Sendable (Answer) -> Void>()
        var progress = Connection.Progress.drained
        /// Whether this side has closed the channel.
        var isClosing = false
        var failure: ExtensionHostError?
        /// The number of daemons that have resumed the session.
        var restarts = 0
        /// The number of the session; everything open in earlier ones has ended.
        var session = 0
        /// Whether the daemon has said that it ends for good.
        var isDismissed = false
        /// Whether the daemon was stopped; the channel connects again at the next request.
        var isAsleep = false
        var sleepers: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>
    private let wake: WakeDescriptor
    private let hello: Hello
    private let reconnection: Reconnection?

    /// Sends hello on `socket` and waits for the welcome, at most `patience` milliseconds.
    ///
    /// Nothing is read before `start`.
    ///
    /// - Parameter reconnection: how to reconnect after the connection is lost; nil if the loss ends the channel.
    public static func open(
        socket: consuming Socket, hello: Hello, patience: Int32 = ClientHandshake.patience,
        reconnection: Reconnection? = nil
    ) throws(ExtensionHostError) -> (channel: Channel, welcome: Welcome) {
        var hello = hello
        hello.resumable = reconnection != nil
        let shaken = try ClientHandshake.perform(on: socket, hello: hello, patience: patience)
        let welcome = shaken.welcome
        var connection = shaken.connection
        if hello.resumable { connection.makeResumable() }
        do {
            return (try Channel(connection, welcome, hello, reconnection), welcome)
        } catch {
            throw ExtensionHostError(
                .internalError, "there is no descriptor for the reader thread",
                remedy: "Close some, or raise ulimit -n",
                cause: "\(error)"
            )
        }
    }

    private init(
        _ connection: consuming Connection, _ welcome: Welcome, _ hello: Hello, _ reconnection: Reconnection?
    ) throws(SystemError) {
        wake = try WakeDescriptor()
        self.hello = hello
        self.reconnection = reconnection
        state = Mutex(State(connection: connection, welcome: welcome))
    }

    /// Starts the reader thread. `onClose` is called once, last, on that thread; the thread ends with the connection.
    ///
    /// - Parameters:
    ///   - onEnd: called on the reader thread when a session and everything open in it has ended, with that session's
    ///     number (see `request`). Its questions fail as `connectionLost` right after it. The welcome is that of the
    ///     current daemon. It is nil if the daemon was stopped: the channel then connects again at the next request, so
    ///     that it does not undo the stop. Without `onEnd` the channel ends there.
    ///   - onRestart: called on the reader thread when another daemon recognizes the session, and the channel continues
    ///     over a new connection. Without it the channel ends there.
    public func start(
        onPacket: @escaping @Sendable (Packet) -> Void, onEnd: (@Sendable (Welcome?, _ session: Int) -> Void)? = nil,
        onRestart: (@Sendable (Welcome) -> Void)? = nil,
        onClose: @escaping @Sendable (ExtensionHostError) -> Void
    ) throws(ExtensionHostError) {
        do {
            try startThread(named: "exthost-reader") { self.read(onPacket, onEnd, onRestart, onClose) }
        } catch {
            throw ExtensionHostError(
                .internalError, "there is no thread for the connection", remedy: "End some, or raise ulimit -u",
                cause: "\(error)"
            )
        }
    }

    /// The number of daemons that have resumed this session.
    ///
    /// A caller that received `connectionLost` may ask again if the number is higher than when it asked.
    public var restarts: Int { state.withLock { $0.restarts } }

    /// The welcome of the daemon that the channel is connected to now, or was last.
    public var welcome: Welcome { state.withLock { $0.welcome } }

    /// Whether the channel has ended for good.
    public var hasFailed: Bool { state.withLock { $0.failure != nil } }

    /// Whether the daemon has said that it was stopped, and nothing has been asked since.
    public var isDismissed: Bool { state.withLock { $0.isDismissed || $0.isAsleep } }
    /// Whether the daemon was stopped and the connection has ended. For tests.
    package var isAsleep: Bool { state.withLock { $0.isAsleep } }

    /// Calls `body` once when the channel is not dismissed: now, or on the reader thread, also when the channel ends.
    public func whenAwake(_ body: @escaping @Sendable () -> Void) {
        let isAwake = state.withLock { state in
            guard state.failure == nil, state.isDismissed || state.isAsleep else { return true }
            state.sleepers.append(body)
            return false
        }
        if isAwake { body() }
    }

    /// Closes the connection with a goodbye; `onClose` follows.
    public func close() {
        state.withLock { state in
            if !state.isClosing, reconnection != nil, state.failure == nil {
                // The goodbye is sent if possible: a daemon that does not get it waits briefly for the client to
                // reconnect.
                _ = try? state.connection.enqueue(Goodbye())
                _ = try? state.connection.flush()
            }
            state.isClosing = true
            _ = shutdown(state.connection.descriptor, Int32(SHUT_RDWR))
        }
        wake.signal()
    }

    /// Drops the connection as a fault would. For tests of what follows.
    package func drop() {
        state.withLock { _ = shutdown($0.connection.descriptor, Int32(SHUT_RDWR)) }
    }

    /// Ends the connection without a goodbye, as a crash does. For tests.
    package func crash() {
        state.withLock { state in
            state.isClosing = true
            _ = shutdown(state.connection.descriptor, Int32(SHUT_RDWR))
        }
        wake.signal()
    }

    // MARK: Sending

    public func send(
        _ message: some Message, payload: Payload = .none, descriptors: [SharedDescriptor] = [], replyTo: UInt32 = 0
    ) throws(ExtensionHostError) {
        // A message without an answer belongs to the session that has ended with a stopped daemon.
        try transmit(message, payload, descriptors, replyTo, wakes: false, nil, nil)
    }

    /// Sends a request; `answer` is called once, on the reader thread: with the answer, or with what ended the
    /// connection.
    ///
    /// - Parameters:
    ///   - wakes: whether a stopped daemon is asked, too, which starts it again; else that throws `connectionLost`.
    ///   - onSession: called before this returns, and before that session can end, with the number of the session that
    ///     the request belongs to. It must not use the channel.
    public func request(
        _ message: some RequestMessage, payload: Payload = .none, descriptors: [SharedDescriptor] = [],
        wakes: Bool = true,
        onSession: ((Int) -> Void)? = nil, answer: @escaping @Sendable (Answer) -> Void
    ) throws(ExtensionHostError) {
        try transmit(message, payload, descriptors, 0, wakes: wakes, onSession, answer)
    }

    /// Sends a request and waits for its answer.
    public func ask<R: RequestMessage>(
        _ message: R, payload: Payload = .none, wakes: Bool = true
    ) async throws -> R.Response {
        try await askForPayload(message, payload: payload, wakes: wakes).answer
    }

    /// Sends a request and waits for its answer and the answer's payload.
    public func askForPayload<R: RequestMessage>(
        _ message: R, payload: Payload = .none, wakes: Bool = true
    ) async throws -> (answer: R.Response, payload: Payload) {
        let packet: Packet = try await withCheckedThrowingContinuation { continuation in
            do throws(ExtensionHostError) {
                try request(message, payload: payload, wakes: wakes) { continuation.resume(with: $0) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        do {
            return (try packet.message(), packet.payload)
        } catch {
            throw Self.lost(error)
        }
    }

    private func transmit(
        _ message: some Message, _ payload: Payload, _ descriptors: [SharedDescriptor], _ replyTo: UInt32, wakes: Bool,
        _ onSession: ((Int) -> Void)?, _ answer: (@Sendable (Answer) -> Void)?
    ) throws(ExtensionHostError) {
        let needsWake: Bool = try state.withLock { state throws(ExtensionHostError) in
            if let failure = state.failure { throw failure }
            if state.isAsleep, !wakes { throw Self.stopped }
            // The check is here and not in the callers: after a restart the daemon may be another than the one they
            // connected to.
            guard message.since <= state.welcome.version else { throw Self.tooOld(state.welcome.version, for: message) }
            do {
                let serial = try state.connection.enqueue(
                    message, payload: payload, descriptors: descriptors, replyTo: replyTo)
                if let answer { state.replies.await(serial, answer) }
                onSession?(state.session)
            } catch {
                throw ExtensionHostError(.payloadTooLarge, "the message cannot be sent", cause: "\(error)")
            }
            let before = state.progress
            // A socket that fails here also fails for the reader, which reports it once to all handlers.
            state.progress = (try? state.connection.flush()) ?? .drained
            return state.isAsleep || state.progress == .waitingForSocket && before != .waitingForSocket
        }
        if needsWake { wake.signal() }
    }

    // MARK: Reading

    private func read(
        _ onPacket: @Sendable (Packet) -> Void, _ onEnd: (@Sendable (Welcome?, Int) -> Void)?,
        _ onRestart: (@Sendable (Welcome) -> Void)?, _ onClose: @Sendable (ExtensionHostError) -> Void
    ) {
        let buffer = ReceiveBuffer()
        var failure: ExtensionHostError
        while true {
            let error = readUntilLost(buffer, onPacket)
            failure = Self.lost(error)
            guard error.isLossOfSocket, let reconnection else { break }
            do throws(ExtensionHostError) {
                if state.withLock({ $0.isDismissed }) {
                    guard let onEnd, !reconnection.waitsForSuccessorOnly else { break }
                    try endSession(Self.stopped, nil, onEnd)
                    let welcome = try sleep(reconnection)
                    onRestart?(welcome)
                } else if let (welcome, waiting) = try reconnect(
                    reconnection, failure, onEnd, restarts: onRestart != nil)
                {
                    onRestart?(welcome)
                    for answer in waiting { answer(.failure(failure)) }
                }
            } catch {
                failure = error
                break
            }
        }
        let (waiting, sleepers) = state.withLock { state in
            state.failure = failure
            defer { state.sleepers = [] }
            return (state.replies.takeAll(), state.sleepers)
        }
        // The daemon is told too, even if the connection ended because of its packets.
        close()
        for answer in waiting { answer(.failure(failure)) }
        for body in sleepers { body() }
        onClose(failure)
    }

    private func readUntilLost(_ buffer: ReceiveBuffer, _ onPacket: @Sendable (Packet) -> Void) -> ConnectionError {
        do throws(ConnectionError) {
            while true {
                let packet: Packet? = try state.withLock { state throws(ConnectionError) in
                    let packet = try state.connection.receive(into: buffer)
                    if let packet { state.connection.release(packet.cost) }
                    state.progress = try state.connection.flush()
                    return packet
                }
                guard let packet else {
                    try waitForSocket()
                    continue
                }
                try handle(packet, onPacket)
            }
        } catch {
            return error
        }
    }

    /// The time limit for connecting to a daemon that accepts connections and drops them, while its successor can
    /// resume the session.
    private static let restartPatience = Duration.seconds(30)

    private typealias Restart = (welcome: Welcome, waiting: [@Sendable (Answer) -> Void])

    /// Resumes the session over a new connection; returns nil then.
    ///
    /// Otherwise returns the welcome of a new session, and the handlers that wait for answers of the old one.
    private func reconnect(
        _ reconnection: Reconnection, _ failure: ExtensionHostError, _ onEnd: (@Sendable (Welcome?, Int) -> Void)?,
        restarts: Bool
    ) throws(ExtensionHostError) -> Restart? {
        var hello = hello
        let earlier = try state.withLock { state throws(ExtensionHostError) in
            if state.isClosing { throw failure }
            state.connection.detach()
            hello.resumption = Resumption(token: state.welcome.token, received: state.connection.lastReceived)
            return state.welcome
        }
        return try goOn(
            try connectAgain(reconnection, earlier, hello, failure), hello, failure, onEnd, restarts: restarts)
    }

    /// Ends the session and everything open in it.
    ///
    /// Messages sent from here on belong to the next session, and wait for `adopt`.
    ///
    /// - Parameter welcome: of the daemon of the next session; nil if the channel connects at the next request.
    private func endSession(
        _ failure: ExtensionHostError, _ welcome: Welcome?, _ onEnd: (@Sendable (Welcome?, Int) -> Void)?
    ) throws(ExtensionHostError) {
        let (ended, waiting) = try state.withLock { state throws(ExtensionHostError) in
            if state.isClosing { throw failure }
            state.connection.beginAnew()
            if let welcome { state.welcome = welcome }
            (state.isDismissed, state.isAsleep) = (false, welcome == nil)
            state.session += 1
            return (state.session - 1, state.replies.takeAll())
        }
        onEnd?(welcome, ended)
        for answer in waiting { answer(.failure(failure)) }
    }

    /// Sleeps until a request is made of a daemon that was stopped, then begins a session with the requests made since.
    ///
    /// If no daemon answers, the requests fail, and the channel sleeps on.
    private func sleep(_ reconnection: Reconnection) throws(ExtensionHostError) -> Welcome {
        while true {
            while state.withLock({ $0.connection.queuedPackets == 0 && !$0.isClosing }) { rest(milliseconds: -1) }
            let (earlier, isClosing) = state.withLock { ($0.welcome, $0.isClosing) }
            if isClosing { throw Self.stopped }
            do throws(ExtensionHostError) {
                let shaken = try connectAgain(reconnection, earlier, hello, Self.absent)
                // The waiting messages were checked against the earlier daemon's version.
                guard shaken.welcome.version >= earlier.version else { throw Self.absent }
                return try adopt(shaken)
            } catch {
                try endSession(error, nil, nil)
            }
        }
    }

    /// Begins the session that `endSession` has prepared, with a daemon that has sent its welcome.
    private func adopt(_ shaken: consuming ClientHandshake) throws(ExtensionHostError) -> Welcome {
        let welcome = shaken.welcome
        var socket: Socket? = shaken.connection.release()
        let sleepers = try state.withLock { state throws(ExtensionHostError) in
            if state.isClosing { throw Self.absent }
            do {
                if let socket = socket.take() { try state.connection.attach(socket, peerReceived: 1) }
            } catch {
                throw Self.lost(error)
            }
            state.connection.openCredit(welcome.window)
            state.welcome = welcome
            state.isAsleep = false
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for body in sleepers { body() }
        return welcome
    }

    /// Repeats the handshake with a daemon that may be away for a short time.
    private func connectAgain(
        _ reconnection: Reconnection, _ earlier: Welcome, _ hello: Hello, _ failure: ExtensionHostError
    ) throws(ExtensionHostError) -> ClientHandshake {
        let start = ContinuousClock.now
        while true {
            // Only the handshake is retried: what the welcome says is final.
            if let shaken = try shakeHands(reconnection, earlier, hello, since: start, failure) { return shaken }
            rest(milliseconds: 10)
            if state.withLock({ $0.isClosing }) { throw failure }
        }
    }

    /// Tries the handshake once; returns nil if it is to be retried.
    ///
    /// An absent daemon may come back, and the new connection may be lost as well. A refusal is final.
    private func shakeHands(
        _ reconnection: Reconnection, _ earlier: Welcome, _ hello: Hello, since start: ContinuousClock.Instant,
        _ failure: ExtensionHostError
    ) throws(ExtensionHostError) -> ClientHandshake? {
        do throws(ExtensionHostError) {
            return try ClientHandshake.perform(on: try reconnection.connect(earlier), hello: hello)
        } catch {
            let patience: Duration
            switch error.code {
            case .noDaemon:
                patience = reconnection.waitsForSuccessorOnly && !earlier.survives ? .zero : reconnection.patience
            case .connectionLost:
                patience = max(
                    reconnection.patience, earlier.survives ? Self.restartPatience : reconnection.lossPatience)
            default: throw failure
            }
            guard ContinuousClock.now < start + patience else { throw failure }
            return nil
        }
    }

    private func goOn(
        _ shaken: consuming ClientHandshake, _ hello: Hello, _ failure: ExtensionHostError,
        _ onEnd: (@Sendable (Welcome?, Int) -> Void)?, restarts: Bool
    ) throws(ExtensionHostError) -> Restart? {
        let welcome = shaken.welcome
        if let received = welcome.received {
            var socket: Socket? = shaken.connection.release()
            try state.withLock { state throws(ExtensionHostError) in
                if state.isClosing { throw failure }
                do {
                    if let socket = socket.take() { try state.connection.attach(socket, peerReceived: received) }
                } catch {
                    throw Self.lost(error)
                }
            }
            return nil
        }
        guard restarts else { throw failure }
        guard welcome.isRecognized else {
            try endSession(failure, welcome, onEnd)
            return (try adopt(shaken), [])
        }
        var connection: Connection? = shaken.connection
        connection?.skipReceived(to: hello.resumption?.received ?? 0)
        connection?.makeResumable()
        let waiting = try state.withLock { state throws(ExtensionHostError) in
            if state.isClosing { throw failure }
            if let connection = connection.take() { state.connection = connection }
            state.welcome = welcome
            state.restarts += 1
            return state.replies.takeAll()
        }
        return (welcome, waiting)
    }

    /// Sleeps for this time, or until the channel is closed.
    private func rest(milliseconds: Int32) {
        var entry = pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0)
        if poll(&entry, 1, milliseconds) > 0 { wake.drain() }
    }

    private func handle(_ packet: Packet, _ onPacket: @Sendable (Packet) -> Void) throws(ConnectionError) {
        guard packet.replyTo != 0 else {
            if packet.kind == .goodbye { return state.withLock { $0.isDismissed = true } }
            guard packet.kind == .error else {
                onPacket(packet)
                return
            }
            // The daemon's last words give the reason why the connection ends.
            guard let words = try? packet.message(ErrorReply.self).error else {
                throw .local("the daemon ended the connection without a readable reason")
            }
            throw .lastWords(words)
        }
        do {
            // The packet is read before its handler is taken: if it cannot be read, the handler fails with all others.
            let result: Answer =
                packet.kind == .error ? .failure(try packet.message(ErrorReply.self).error) : .success(packet)
            let answer = try state.withLock { state throws(ProtocolError) in try state.replies.take(packet.replyTo) }
            answer(result)
        } catch {
            throw .violation(error)
        }
    }

    private func waitForSocket() throws(ConnectionError) {
        // Only this thread changes the socket.
        let (socket, writes) = state.withLock { ($0.connection.descriptor, $0.progress == .waitingForSocket) }
        var entries = [
            pollfd(fd: socket, events: Int16(writes ? POLLIN | POLLOUT : POLLIN), revents: 0),
            pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0),
        ]
        if poll(&entries, 2, -1) < 0, errno != EINTR { throw .system(SystemError("poll")) }
        if entries[1].revents != 0 { wake.drain() }
    }

    private static func tooOld(_ version: ProtocolVersion, for message: some Message) -> ExtensionHostError {
        ExtensionHostError(
            .versionMismatch,
            "the daemon speaks protocol \(version), and “\(type(of: message).kind)” with these values needs \(message.since)",
            remedy: "Bring exthostd up to date and restart it, or use the tools and libraries of its version")
    }

    private static let stopped = ExtensionHostError(
        .connectionLost, "the daemon stopped", remedy: "Ask again: that connects to the next daemon")
    private static let absent = ExtensionHostError(
        .connectionLost, "the daemon stopped, and no other of its version answers", remedy: "Start it, and ask again")

    static func lost(_ error: any Error) -> ExtensionHostError {
        if let violation = error as? ProtocolError { return ExtensionHostError(.protocolViolation, "\(violation)") }
        return switch error as? ConnectionError {
        case .violation(let violation): ExtensionHostError(.protocolViolation, "\(violation)")
        case .closed: ExtensionHostError(.connectionLost, "the daemon closed the connection")
        case .local(let why): ExtensionHostError(.connectionLost, why)
        case .lastWords(let error):
            ExtensionHostError(.connectionLost, error.message, remedy: error.remedy, cause: error.cause)
        default: ExtensionHostError(.connectionLost, "the connection to the daemon failed", cause: "\(error)")
        }
    }
}
