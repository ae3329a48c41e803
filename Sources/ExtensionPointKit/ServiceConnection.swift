// ServiceConnection: one connection of a client with a service, as either side has it.

import ExtensionConnection
public import ExtensionWire
import Foundation
import Locks

/// A connection of a client with a service, on the client's side or on the provider's. Safe to use from any thread.
///
/// Both sides call each other on it. It outlives a restart of the daemon: a call that was open then fails with
/// `connectionLost`, or is made again if it is repeatable.
public final class ServiceConnection: Sendable {
    /// The connection's identifier, which the client chose.
    public let identifier: RequestIdentifier
    /// The name of the service.
    public let service: String
    /// The client, as the daemon knows it; nil on the client's own side.
    public let client: ServiceClient?

    private struct State {
        var handlers = PointHandlers()
        var isOpen = false
        /// Whether it was open once.
        var wasOpened = false
        /// The number of daemons at which it was to be opened again.
        var epoch = 0
        /// The provider's question about the client, which it has not answered.
        var serial: UInt32
        /// Calls to make once the connection is open again.
        var waiting: [CheckedContinuation<Bool, Never>] = []
        var end: ExtensionHostError?
        var onEnd: [@Sendable (ExtensionHostError) -> Void] = []
    }

    private let port: ServicePort
    private let queue: CallQueue
    private let state: Mutex<State>

    /// - Parameter serial: the serial of the question about the client; 0 on the client's side.
    init(
        _ service: String, identifier: RequestIdentifier = RequestIdentifier(), client: ServiceClient?,
        serial: UInt32 = 0, _ port: ServicePort, _ queue: CallQueue
    ) {
        state = Mutex(State(serial: serial))
        (self.identifier, self.service, self.client) = (identifier, service, client)
        (self.port, self.queue) = (port, queue)
    }

    /// Calls the other side. The cancellation of the task cancels the call.
    ///
    /// - Parameters:
    ///   - message: the call.
    ///   - options: the options. A call without a time limit of its own has the daemon's `call`.
    /// - Throws: the error of the other side's author, `connectionLost`, `timedOut`, `quotaExceeded`,
    ///   `notImplemented`, or `CocoaError.userCancelled`.
    public func call<Message: PointMessage>(
        _ message: Message, _ options: CallPort.Options = CallPort.Options()
    ) async throws -> Message.Reply {
        try CallPort.reply(
            to: Message.self, try await call(Message.name, try PointEncoder.encode(message), options))
    }

    /// Makes a call in its encoded form.
    private func call(
        _ name: String, _ arguments: EncodedValue, _ options: CallPort.Options
    ) async throws -> EncodedValue {
        while true {
            let epoch = try await waitUntilOpen()
            var once = options
            once.isRepeatable = false
            do {
                return try await port.calls.call(name, of: identifier, arguments, once)
            } catch let error as ExtensionHostError
                where options.isRepeatable && Self.isOfRestart(error) && isReplaced(since: epoch)
            {
                continue
            } catch {
                // A call that has crossed with the end of the connection fails as its end.
                if let end = state.withLock({ $0.end }), Self.isOfRestart(error as? ExtensionHostError) { throw end }
                throw error
            }
        }
    }

    /// Calls the other side without waiting. Calls reach it in the order of these invocations.
    ///
    /// - Parameters:
    ///   - message: the call.
    ///   - options: the options. The call is not made again, even if it is repeatable.
    ///   - completion: called once, on any thread.
    public func send<Message: PointMessage>(
        _ message: Message, _ options: CallPort.Options = CallPort.Options(),
        completion: @escaping @Sendable (Result<Message.Reply, any Error>) -> Void
    ) {
        var once = options
        once.isRepeatable = false
        port.calls.send(message, of: identifier, once, completion: completion)
    }

    /// Makes a call in its encoded form without waiting. Calls reach the other side in the order of these invocations,
    /// but those that are made again.
    ///
    /// - Parameters:
    ///   - name: the name of the call.
    ///   - arguments: the encoded arguments.
    ///   - isRepeatable: whether the call is made again if the daemon was replaced meanwhile.
    ///   - completion: called once, on any thread.
    package func send(
        _ name: String, _ arguments: EncodedValue, isRepeatable: Bool,
        completion: @escaping @Sendable (CallPort.Answer) -> Void
    ) {
        let epoch = state.withLock { $0.epoch }
        port.calls.call(name, of: identifier, arguments) { [self] answer in
            guard case .failure(let error) = answer, isRepeatable, Self.isOfRestart(error as? ExtensionHostError),
                isReplaced(since: epoch)
            else { return completion(answer) }
            Task(executorPreference: queue) {
                do {
                    completion(.success(try await self.call(name, arguments, CallPort.Options(isRepeatable: true))))
                } catch {
                    completion(.failure(error))
                }
            }
        }
    }

    /// Closes the connection. The other side hears of it, and open calls end.
    public func close() { port.close(self) }

    /// Calls `body` once the connection has ended: now, if it has. It may run on any thread and must not block.
    public func whenEnded(_ body: @escaping @Sendable (ExtensionHostError) -> Void) {
        let end = state.withLock { state in
            if state.end == nil { state.onEnd.append(body) }
            return state.end
        }
        if let end { body(end) }
    }

    /// Whether a call has crossed with a restart of the daemon, or with the end of the connection.
    private static func isOfRestart(_ error: ExtensionHostError?) -> Bool {
        switch error?.code {
        case .connectionLost, .contextFinished, .noSuchRequest, .invalidArgument: true
        default: false
        }
    }

    /// Waits until the connection is open again after a restart of the daemon.
    ///
    /// - Returns: the epoch of the connection.
    /// - Throws: the error with which the connection has ended.
    private func waitUntilOpen() async throws -> Int {
        let isOpen = await withCheckedContinuation { continuation in
            let known: Bool? = state.withLock { state in
                if state.end != nil { return false }
                if state.isOpen || !state.wasOpened { return true }
                state.waiting.append(continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
        let (end, epoch) = state.withLock { ($0.end, $0.epoch) }
        if !isOpen, let end { throw end }
        return epoch
    }

    /// Whether another daemon has come since. The connection hears of it on the thread that fails the calls.
    private func isReplaced(since epoch: Int) -> Bool { state.withLock { $0.end == nil && $0.epoch != epoch } }

    /// Whether it is the connection of that client. Its rights may have changed since.
    func isOf(_ other: ServiceClient?) -> Bool {
        client?.role == other?.role && client?.identifier == other?.identifier && client?.pid == other?.pid
    }

    var wasOpened: Bool { state.withLock { $0.wasOpened } }
    var serial: UInt32 { state.withLock { $0.serial } }

    /// Takes a question of another daemon about the client.
    ///
    /// - Returns: whether the provider has accepted the client before.
    func wasOpened(askedAgain serial: UInt32) -> Bool {
        state.withLock { state in
            state.serial = serial
            return state.wasOpened
        }
    }

    func adopt(_ handlers: PointHandlers) { state.withLock { $0.handlers = handlers } }

    func isReopening() {
        state.withLock { state in
            state.isOpen = false
            state.epoch += 1
        }
    }

    /// - Returns: the serial of the question about the client.
    @discardableResult
    func isOpened() -> UInt32 {
        let (waiting, serial) = state.withLock { state in
            (state.isOpen, state.wasOpened) = (true, true)
            defer { state.waiting = [] }
            return (state.waiting, state.serial)
        }
        for continuation in waiting { continuation.resume(returning: true) }
        return serial
    }

    func begin(_ call: IncomingCall) { state.withLock { $0.handlers }.begin(call, on: queue) }

    func ended(_ error: ExtensionHostError) {
        let (waiting, due) = state.withLock { state in
            state.end = error
            defer { (state.waiting, state.onEnd) = ([], []) }
            return (state.waiting, state.onEnd)
        }
        for continuation in waiting { continuation.resume(returning: false) }
        for body in due { body(error) }
    }
}
