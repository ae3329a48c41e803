// IncomingCall: a call from the other side of a request, until it is answered.

public import ExtensionItems
public import ExtensionWire
import Locks

/// A call that the other side of a request has made. Safe to use from any thread.
///
/// The receiver answers a call once. If the last reference to it goes first, the caller gets the error
/// `handlerDropped`.
public final class IncomingCall: Sendable {
    /// The request to which the call belongs.
    public let request: RequestIdentifier
    /// The caller's number for the call.
    public let number: Int
    /// The name, such as `today.performUpdate`.
    public let name: String
    /// The arguments, which `decode(_:)` reads.
    public let arguments: EncodedValue

    private struct State {
        var isAnswered = false
        var isCancelled = false
        var isExpired = false
        var cancelled: [@Sendable () -> Void] = []
        var expired: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let send: @Sendable (Result<EncodedValue, any Error>) -> Void
    private let sendPart: @Sendable (EncodedValue) async throws -> Void

    init(
        _ message: Call, _ arguments: EncodedValue, send: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void,
        sendPart: @escaping @Sendable (EncodedValue) async throws -> Void
    ) {
        (request, number, name) = (message.request, message.number, message.name)
        self.arguments = arguments
        self.send = send
        self.sendPart = sendPart
    }

    deinit {
        let isAnswered = state.withLock { $0.isAnswered }
        if !isAnswered { send(.failure(ExtensionHostError(.handlerDropped, "nothing answers \(name) any more"))) }
    }

    /// Sends the answer.
    ///
    /// - Returns: false if the call has been answered before; then nothing is sent.
    @discardableResult
    public func answer(_ answer: Result<EncodedValue, any Error>) -> Bool {
        let isFirst = state.withLock { state in
            defer { state.isAnswered = true }
            (state.cancelled, state.expired) = ([], [])
            return !state.isAnswered
        }
        if isFirst { send(answer) }
        return isFirst
    }

    /// Sends a part of the answer, and waits until the caller has taken it.
    ///
    /// - Throws: `ExtensionHostError` `contextFinished` if nobody waits for the answer, `quotaExceeded` if 8 parts are
    ///   unanswered, `connectionLost`.
    public func send(part: EncodedValue) async throws {
        guard !isCancelled else { throw ExtensionHostError(.contextFinished, "nobody waits for parts of the call") }
        try await sendPart(part)
    }

    /// Whether the caller has cancelled the call, or its request has ended.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Calls `body` once the caller cancels the call or its request ends: now, if that has happened. It
    /// runs on the connection's thread and must not block. After the answer it is not called any more.
    public func whenCancelled(_ body: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            if !state.isCancelled { state.cancelled.append(body) }
            return state.isCancelled
        }
        if isDue { body() }
    }

    /// Calls `body` once the time limit of the call has run out: now, if that has happened. It runs on the
    /// connection's thread and must not block. After the answer it is not called any more.
    public func whenExpired(_ body: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            if !state.isExpired { state.expired.append(body) }
            return state.isExpired
        }
        if isDue { body() }
    }

    func cancel() {
        let due = state.withLock { state in
            state.isCancelled = true
            defer { state.cancelled = [] }
            return state.cancelled
        }
        for body in due { body() }
    }

    func expire() {
        let due = state.withLock { state in
            state.isExpired = true
            defer { state.expired = [] }
            return state.expired
        }
        for body in due { body() }
    }
}
