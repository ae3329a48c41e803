// ServiceTransferPort: the way to the transfer service over this process's connection to its daemon.

internal import Dispatch
internal import ExtensionItems
internal import ExtensionPointKit
internal import Locks
internal import TransferMessages

/// A port that opens a connection with the service at the first call, and another one after the end of that.
final class ServiceTransferPort: TransferPort {
    private struct State {
        /// The last connection, or the reason why there is none; nil before the first.
        var connection: Result<ServiceConnection, any Error>?
        var isOpening = false
        var receiver: @Sendable (ServicePortEvent) -> Void = { _ in }
    }

    private let state = Mutex(State())
    /// The calls, in their order. It is suspended while a connection is opened.
    private let calls = DispatchQueue(label: "org.exthost.transfers.calls")
    /// The executor of this port's tasks. All threads of Swift's own pool may wait for replies.
    private let executor = CallQueue(DispatchQueue(label: "org.exthost.transfers.connection"), .process)

    /// The time for an upload's file to be copied, and for any other call.
    private static let limit = Duration.seconds(3_600)

    func receive(_ receiver: @escaping @Sendable (ServicePortEvent) -> Void) {
        state.withLock { $0.receiver = receiver }
    }

    func call<Message: PointMessage>(
        _ message: Message, completion: @escaping @Sendable (Result<Message.Reply, any Error>) -> Void
    ) {
        let opens = state.withLock { state in
            if case .success = state.connection { return false }
            guard !state.isOpening else { return false }
            state.isOpening = true
            calls.suspend()
            return true
        }
        if opens { open() }
        calls.async { [self] in
            switch state.withLock({ $0.connection }) {
            case .success(let connection): send(message, over: connection, completion)
            case .failure(let error): completion(.failure(error))
            case nil: completion(.failure(ExtensionHostError(.connectionLost, "the connection has just ended")))
            }
        }
    }

    private func send<Message: PointMessage>(
        _ message: Message, over connection: ServiceConnection,
        _ completion: @escaping @Sendable (Result<Message.Reply, any Error>) -> Void
    ) {
        connection.send(message, CallPort.Options(limit: Self.limit)) { [self] answer in
            // A task must not be added twice. All other calls may be made again after a restart of the daemon.
            guard case .failure(let error as ExtensionHostError) = answer, error.code == .connectionLost,
                Message.self != AddTransferTask.self, isCurrent(connection)
            else { return completion(answer) }
            Task(executorPreference: executor) {
                do {
                    completion(
                        .success(
                            try await connection.call(
                                message, CallPort.Options(limit: Self.limit, isRepeatable: true))))
                } catch {
                    completion(.failure(error))
                }
            }
        }
    }

    private func isCurrent(_ connection: ServiceConnection) -> Bool {
        if case .success(let current) = state.withLock({ $0.connection }) { current === connection } else { false }
    }

    // MARK: The connection

    private func open() {
        Task(executorPreference: executor) { [self] in
            let opened: Result<ServiceConnection, any Error>
            do {
                let port = try await ServicePort.ofProcess()
                opened = .success(try await port.open(transferServiceName, handling: handlers))
            } catch {
                opened = .failure(error)
            }
            state.withLock { ($0.connection, $0.isOpening) = (opened, false) }
            calls.resume()
            if case .success(let connection) = opened {
                connection.whenEnded { [self] _ in ended(connection) }
            }
        }
    }

    private func ended(_ connection: ServiceConnection) {
        let receiver: (@Sendable (ServicePortEvent) -> Void)? = state.withLock { state in
            guard case .success(let current) = state.connection, current === connection else { return nil }
            state.connection = nil
            return state.receiver
        }
        receiver?(.lost)
    }

    private var handlers: PointHandlers {
        var handlers = PointHandlers()
        pass(TransferProgress.self, &handlers)
        pass(TransferContinuation.self, &handlers)
        pass(TransferCompletion.self, &handlers)
        pass(TransferEventsFinished.self, &handlers)
        pass(TransferSessionLost.self, &handlers)
        return handlers
    }

    private func pass<Event: PointMessage>(_ type: Event.Type, _ handlers: inout PointHandlers)
    where Event.Reply == Nothing {
        handlers.on(type) { [weak self] _, call in
            self?.state.withLock { $0.receiver }(.event(name: call.name, value: call.arguments))
            return Nothing()
        }
    }
}
