// TransferPort: the way of this process to the service of background transfers.

@_exported public import ExtensionPointKit
@_exported public import FoundationNetworking
internal import AppGroups
public import Foundation
internal import Locks
internal import TransferMessages

/// A message that the service sends without being asked.
public enum ServicePortEvent: Sendable {
    /// An event with its name.
    case event(name: String, value: EncodedValue)
    /// The connection is lost, and with it the use of all sessions. The next call may open another one.
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
    ///   - message: the call.
    ///   - completion: called once, on any thread, with the reply or an error.
    func call<Message: PointMessage>(
        _ message: Message, completion: @escaping @Sendable (Result<Message.Reply, any Error>) -> Void)

    /// Sets the receiver of events, which is called for one event after the other.
    func receive(_ receiver: @escaping @Sendable (ServicePortEvent) -> Void)
}

/// The connection of this process, and its background sessions.
final class TransferConnection: Sendable {
    private struct State {
        var port: (any TransferPort)?
        var container: @Sendable (String?) -> URL? = processContainer
        var sessions: [String: BackgroundSession] = [:]
    }

    static let shared = TransferConnection()
    private let state = Mutex(State())

    func connect(_ port: any TransferPort, container: @escaping @Sendable (String?) -> URL?) {
        state.withLock { ($0.port, $0.container, $0.sessions) = (port, container, [:]) }
        port.receive { [self] in handle($0) }
    }

    func container(_ group: String?) -> URL? { state.withLock { $0.container }(group) }

    /// Adds a session of this process. The first with a delegate gets the events of its identifier.
    ///
    /// - Returns: false if another session with a delegate has the identifier, and this one has a delegate, too.
    func add(_ session: BackgroundSession, _ identifier: String) -> Bool {
        state.withLock { state in
            if state.sessions[identifier]?.delegate != nil { return session.delegate == nil }
            state.sessions[identifier] = session
            return true
        }
    }

    /// - Returns: whether it was the session that gets the events of the identifier.
    @discardableResult
    func remove(_ session: BackgroundSession, _ identifier: String) -> Bool {
        state.withLock { state in
            guard state.sessions[identifier] === session else { return false }
            state.sessions[identifier] = nil
            return true
        }
    }

    /// The session that gets the events of an identifier.
    func session(_ identifier: String) -> BackgroundSession? { state.withLock { $0.sessions[identifier] } }

    /// The port that was set, or the one over this process's connection to its daemon.
    private var port: any TransferPort {
        state.withLock { state in
            if let port = state.port { return port }
            let port = ServiceTransferPort()
            port.receive { [self] in handle($0) }
            state.port = port
            return port
        }
    }

    /// Makes a call without waiting.
    func send<Message: PointMessage>(
        _ message: Message, completion: @escaping @Sendable (Result<Message.Reply, any Error>) -> Void = { _ in }
    ) {
        port.call(message, completion: completion)
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

/// The folder of a group that this process holds, or for nil its own container; nil: it has no such folder.
@Sendable private func processContainer(_ group: String?) -> URL? {
    guard let group else { return URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true) }
    return FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
}

/// The connection of `BackgroundTransfers` to its service, for tests and other ways to it.
public enum BackgroundTransferService {
    /// Connects this process, in place of its connection to the daemon. Any thread may call, before the first background
    /// session is made.
    ///
    /// - Parameters:
    ///   - port: the connection.
    ///   - container: returns the folder of an app group, or that of the app itself for nil.
    public static func connect(_ port: any TransferPort, container: @escaping @Sendable (String?) -> URL?) {
        TransferConnection.shared.connect(port, container: container)
    }
}
