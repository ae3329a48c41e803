// ServiceTransferPort: the way to the service over this process's connection to its daemon.

internal import Dispatch
internal import ExtensionItems
internal import ExtensionPointKit
internal import Locks
internal import TransferMessages

/// A connection of an extension or app with the service, opened at the first call. After its end the next call opens
/// another.
final class ServiceTransferPort: TransferPort {
    private typealias Completion = @Sendable (Result<EncodedValue, any Error>) -> Void

    private struct Waiting: Sendable {
        let name: String
        let arguments: EncodedValue
        let completion: Completion
    }

    private struct State {
        var receiver: (@Sendable (ServicePortEvent) -> Void)?
        var connection: ServiceConnection?
        var isOpening = false
        /// The calls that wait for the connection.
        var waiting: [Waiting] = []
    }

    private let state = Mutex(State())
    /// The connection is opened by tasks of its own: a caller may block the threads of all others.
    private let queue = CallQueue(DispatchQueue(label: "org.exthost.transfers.connection"), .process)

    func receive(_ receiver: @escaping @Sendable (ServicePortEvent) -> Void) {
        state.withLock { $0.receiver = receiver }
    }

    func call(
        _ name: String, _ arguments: EncodedValue,
        completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
    ) {
        let opens = state.withLock { state -> Bool in
            if let connection = state.connection {
                // The lock keeps the order.
                send(Waiting(name: name, arguments: arguments, completion: completion), connection)
                return false
            }
            state.waiting.append(Waiting(name: name, arguments: arguments, completion: completion))
            defer { state.isOpening = true }
            return !state.isOpening
        }
        guard opens else { return }
        Task(executorPreference: queue) { await self.open() }
    }

    private func send(_ call: Waiting, _ connection: ServiceConnection) {
        // After a restart of the daemon a task could be added twice. All other calls may be made again.
        connection.send(
            call.name, call.arguments, isRepeatable: call.name != AddTransferTask.name, completion: call.completion)
    }

    private func open() async {
        var handlers = PointHandlers()
        handlers.direct = { [weak self] call in
            self?.state.withLock { $0.receiver }?(.event(name: call.name, value: call.arguments))
            call.answer(Result { try PointEncoder.encode(Nothing()) })
        }
        do {
            let connection = try await ServicePort.ofProcess().open(transferServiceName, handling: handlers)
            state.withLock { state in
                (state.connection, state.isOpening) = (connection, false)
                for call in state.waiting { send(call, connection) }
                state.waiting = []
            }
            connection.whenEnded { [weak self] _ in
                let receiver = self?.state.withLock { state in
                    state.connection = nil
                    return state.receiver
                }
                receiver?(.lost)
            }
        } catch {
            let waiting = state.withLock { state in
                defer { (state.waiting, state.isOpening) = ([], false) }
                return state.waiting
            }
            for call in waiting { call.completion(.failure(error)) }
        }
    }
}
