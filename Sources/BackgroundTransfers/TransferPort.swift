// TransferPort: the way of this process to the service of background transfers.

@_exported public import ExtensionPointKit
@_exported public import FoundationNetworking
public import Foundation
internal import ExtensionWire
internal import Locks
internal import TransferMessages

/// A message that the service sends without being asked.
public enum ServicePortEvent: Sendable {
    /// An event with its name.
    case event(name: String, value: EncodedValue)
    /// The connection is lost. No event follows, and each later call fails.
    case lost
}

/// A connection to the service. All functions may be called on any thread.
public protocol TransferPort: AnyObject, Sendable {
    /// Makes a call. Calls reach the service in the order of these invocations.
    ///
    /// The caller may wait for the completion on its thread, so this must not need that thread, nor the pool of Swift's
    /// tasks.
    ///
    /// - Parameters:
    ///   - name: the name of the call.
    ///   - arguments: its arguments.
    ///   - completion: called once, on any thread, with the reply or an error.
    func call(
        _ name: String, _ arguments: EncodedValue,
        completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void)

    /// Sets the receiver of events, which is called for one event after the other.
    func receive(_ receiver: @escaping @Sendable (ServicePortEvent) -> Void)
}

/// The connection of this process, and its background sessions.
final class TransferConnection: Sendable {
    private struct State {
        var port: (any TransferPort)?
        var container: @Sendable (String?) -> URL? = { _ in nil }
        var sessions: [String: BackgroundSession] = [:]
    }

    static let shared = TransferConnection()
    private let state = Mutex(State())

    func connect(_ port: any TransferPort, container: @escaping @Sendable (String?) -> URL?) {
        state.withLock { ($0.port, $0.container) = (port, container) }
        port.receive { [self] in handle($0) }
    }

    /// The connection that was set, else that of this process with its daemon.
    private var port: any TransferPort {
        if let port = state.withLock({ $0.port }) { return port }
        let port = ServiceTransferPort()
        let isFirst = state.withLock { state in
            guard state.port == nil else { return false }
            (state.port, state.container) = (port, Self.ownContainer)
            return true
        }
        if isFirst { port.receive { [self] in handle($0) } }
        return self.port
    }

    /// Returns the folder of a group of this process, or its own for nil.
    private static func ownContainer(_ group: String?) -> URL? {
        let variables = ProcessInfo.processInfo.environment
        guard let group else { return variables["HOME"].map { URL(fileURLWithPath: $0, isDirectory: true) } }
        guard let groups = variables[ContainerNames.groupsVariable]?.split(separator: ","),
            groups.contains(where: { $0 == group }), let folder = variables[ContainerNames.groupFolderVariable]
        else { return nil }
        return URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent(group, isDirectory: true)
    }

    func container(_ group: String?) -> URL? { state.withLock { $0.container }(group) }

    func add(_ session: BackgroundSession, _ identifier: String) {
        state.withLock { $0.sessions[identifier] = session }
    }
    func remove(_ session: BackgroundSession, _ identifier: String) {
        state.withLock { if $0.sessions[identifier] === session { $0.sessions[identifier] = nil } }
    }

    /// Makes a call without waiting.
    func send<Message: PointMessage>(
        _ message: Message, completion: @escaping @Sendable (Result<Message.Reply, any Error>) -> Void = { _ in }
    ) {
        do {
            let port = port
            port.call(Message.name, try PointEncoder.encode(message)) { answer in
                completion(
                    answer.flatMap { reply in Result { try PointDecoder.decode(Message.Reply.self, from: reply) } })
            }
        } catch {
            completion(.failure(error))
        }
    }

    /// Makes a call, and waits for the reply.
    func call<Message: PointMessage>(_ message: Message) throws -> Message.Reply {
        let reply = Mutex<Result<Message.Reply, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        send(message) { answer in
            reply.withLock { $0 = answer }
            done.signal()
        }
        done.wait()
        guard let reply = reply.withLock({ $0 }) else { throw ExtensionHostError(.connectionLost, "no reply") }
        return try reply.get()
    }

    private func handle(_ event: ServicePortEvent) {
        let sessions = state.withLock { $0.sessions }
        switch event {
        case .lost:
            state.withLock { $0.sessions = [:] }
            let fault = TransferFault(-997, "the connection to \(transferServiceName) is lost")
            for session in sessions.values { session.lose(fault) }
        case .event(let name, let value):
            func read<Message: PointMessage>(_ type: Message.Type) -> Message? {
                name == Message.name ? try? PointDecoder.decode(type, from: value) : nil
            }
            if let event = read(TransferProgress.self) {
                sessions[event.session]?.enqueue { $0.progressed(event) }
            } else if let event = read(TransferContinuation.self) {
                sessions[event.session]?.enqueue { $0.continued(event) }
            } else if let event = read(TransferCompletion.self) {
                sessions[event.session]?.enqueue { $0.completed(event) }
            } else if let event = read(TransferEventsFinished.self) {
                sessions[event.session]?.enqueue { $0.eventsFinished(event) }
            } else if let event = read(TransferSessionLost.self) {
                sessions[event.session]?.lose(event.fault)
            }
        }
    }
}

/// The connection of `BackgroundTransfers` to its service, for the kits of extensions and apps.
public enum BackgroundTransferService {
    /// Connects this process. Any thread may call, before the first background session is made.
    ///
    /// - Parameters:
    ///   - port: the connection.
    ///   - container: returns the folder of an app group, or that of the app itself for nil.
    public static func connect(_ port: any TransferPort, container: @escaping @Sendable (String?) -> URL?) {
        TransferConnection.shared.connect(port, container: container)
    }
}
