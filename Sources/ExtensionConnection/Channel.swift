// Channel: a client's connection with a reader thread of its own; what both kits stand on.

public import ExtensionProtocol
import Glibc
public import LinuxSystem
import Synchronization

/// A connection to the daemon for use from any thread.
///
/// One thread reads; packets reach `onPacket` and the handlers of answers on it, in order, so neither may block for long.
/// Sending never blocks: what the socket or the credit does not take now is sent by the reader later.
public final class Channel: Sendable {
    public typealias Answer = Result<Packet, ExtensionHostError>

    private struct State: ~Copyable {
        var connection: Connection
        var replies = ReplyTable<@Sendable (Answer) -> Void>()
        var progress = Connection.Progress.drained
        var failure: ExtensionHostError?
    }

    private let state: Mutex<State>
    private let socket: Int32
    private let wake: WakeDescriptor

    /// Says hello on `socket` and waits for the welcome, at most `patience` milliseconds. Nothing is read before `start`.
    public static func open(
        socket: consuming Socket, hello: Hello, patience: Int32 = 10_000
    ) throws(ExtensionHostError) -> (channel: Channel, welcome: Welcome) {
        var connection = Connection(socket: socket, granting: hello.window)
        let welcome: Welcome
        do {
            try connection.enqueue(hello)
            _ = try connection.flush()
            welcome = try awaitWelcome(on: &connection, patience: patience)
        } catch let error as ExtensionHostError {
            throw error
        } catch {
            throw lost(error)
        }
        connection.openCredit(welcome.window)
        do {
            return (try Channel(connection), welcome)
        } catch {
            throw ExtensionHostError(
                .internalError, "no descriptor for the reader thread", remedy: "Close some, or raise ulimit -n", cause: "\(error)"
            )
        }
    }

    private static func awaitWelcome(on connection: inout Connection, patience: Int32) throws -> Welcome {
        let buffer = ReceiveBuffer()
        while true {
            if let packet = try connection.receive(into: buffer) {
                if packet.kind == .error { throw try packet.message(ErrorReply.self).error }
                return try packet.message()
            }
            var entry = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, patience)
            if ready == 0 {
                throw ExtensionHostError(
                    .noDaemon, "the daemon did not answer the hello within \(patience) ms",
                    remedy: "Look at its log, and whether the socket belongs to exthostd")
            }
            if ready < 0, errno != EINTR { throw SystemError("poll") }
        }
    }

    private init(_ connection: consuming Connection) throws(SystemError) {
        socket = connection.descriptor
        wake = try WakeDescriptor()
        state = Mutex(State(connection: connection))
    }

    /// Starts the reader thread. `onClose` is called once, last, on that thread; it ends with the connection.
    public func start(
        onPacket: @escaping @Sendable (Packet) -> Void, onClose: @escaping @Sendable (ExtensionHostError) -> Void
    ) throws(ExtensionHostError) {
        do {
            try startThread(named: "exthost-reader") { self.read(onPacket, onClose) }
        } catch {
            throw ExtensionHostError(
                .internalError, "no thread for the connection", remedy: "End some, or raise ulimit -u", cause: "\(error)")
        }
    }

    /// Ends the connection; `onClose` follows.
    public func close() { _ = shutdown(socket, Int32(SHUT_RDWR)) }

    // MARK: Sending

    public func send(
        _ message: some Message, payload: Payload = .none, descriptors: [SharedDescriptor] = [], replyTo: UInt32 = 0
    ) throws(ExtensionHostError) {
        try transmit(message, payload, descriptors, replyTo, nil)
    }

    /// Sends a request; `answer` is called once, on the reader thread: with the answer, or with what ended the connection.
    public func request(
        _ message: some RequestMessage, payload: Payload = .none, descriptors: [SharedDescriptor] = [],
        answer: @escaping @Sendable (Answer) -> Void
    ) throws(ExtensionHostError) {
        try transmit(message, payload, descriptors, 0, answer)
    }

    /// Sends a request and waits for its answer.
    public func ask<R: RequestMessage>(_ message: R, payload: Payload = .none) async throws -> R.Response {
        let packet: Packet = try await withCheckedThrowingContinuation { continuation in
            do throws(ExtensionHostError) {
                try request(message, payload: payload) { continuation.resume(with: $0) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        do {
            return try packet.message()
        } catch {
            throw Self.lost(error)
        }
    }

    private func transmit(
        _ message: some Message, _ payload: Payload, _ descriptors: [SharedDescriptor], _ replyTo: UInt32,
        _ answer: (@Sendable (Answer) -> Void)?
    ) throws(ExtensionHostError) {
        let needsWake: Bool = try state.withLock { state throws(ExtensionHostError) in
            if let failure = state.failure { throw failure }
            do {
                let serial = try state.connection.enqueue(message, payload: payload, descriptors: descriptors, replyTo: replyTo)
                if let answer { state.replies.await(serial, answer) }
            } catch {
                throw ExtensionHostError(.payloadTooLarge, "the message cannot be sent", cause: "\(error)")
            }
            let before = state.progress
            // A socket that fails here fails for the reader too, which reports it once to everybody.
            state.progress = (try? state.connection.flush()) ?? .drained
            return state.progress == .waitingForSocket && before != .waitingForSocket
        }
        if needsWake { wake.signal() }
    }

    // MARK: Reading

    private func read(_ onPacket: @Sendable (Packet) -> Void, _ onClose: @Sendable (ExtensionHostError) -> Void) {
        let buffer = ReceiveBuffer()
        let failure: ExtensionHostError
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
            failure = Self.lost(error)
        }
        let waiting = state.withLock { state in
            state.failure = failure
            return state.replies.takeAll()
        }
        // The daemon learns it too, though the connection ended by what it sent.
        close()
        for answer in waiting { answer(.failure(failure)) }
        onClose(failure)
    }

    private func handle(_ packet: Packet, _ onPacket: @Sendable (Packet) -> Void) throws(ConnectionError) {
        guard packet.replyTo != 0 else {
            guard packet.kind == .error else {
                onPacket(packet)
                return
            }
            // The daemon's last words: they are why the connection ends.
            guard let words = try? packet.message(ErrorReply.self).error else {
                throw .local("the daemon ended the connection without a readable reason")
            }
            throw .lastWords(words)
        }
        let answer: @Sendable (Answer) -> Void
        do {
            answer = try state.withLock { state throws(ProtocolError) in try state.replies.take(packet.replyTo) }
            if packet.kind == .error {
                answer(.failure(try packet.message(ErrorReply.self).error))
            } else {
                answer(.success(packet))
            }
        } catch {
            throw .violation(error)
        }
    }

    private func waitForSocket() throws(ConnectionError) {
        let writes = state.withLock { $0.progress == .waitingForSocket }
        var entries = [
            pollfd(fd: socket, events: Int16(writes ? POLLIN | POLLOUT : POLLIN), revents: 0),
            pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0),
        ]
        if poll(&entries, 2, -1) < 0, errno != EINTR { throw .system(SystemError("poll")) }
        if entries[1].revents != 0 { wake.drain() }
    }

    private static func lost(_ error: any Error) -> ExtensionHostError {
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
