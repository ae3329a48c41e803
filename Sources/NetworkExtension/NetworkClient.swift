// NetworkClient: the connection of an app with the host of its configurations.

import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointMessages

/// The calls of this app to the host of its configurations, and the states of its sessions. Safe to use from any thread.
final class NetworkClient: Sendable {
    static let tunnels = NetworkClient(NetworkService.name, changed: .NEVPNConfigurationChange) { nil }
    static let appProxies = NetworkClient(NetworkService.appProxies, changed: .NEVPNConfigurationChange) { nil }
    static let filters = NetworkClient(NetworkService.filters, changed: .NEFilterConfigurationDidChange) {
        NEFilterManager.shared()
    }
    static let dnsProxies = NetworkClient(NetworkService.dnsProxies, changed: .NEDNSProxyConfigurationDidChange) {
        NEDNSProxyManager.shared()
    }

    private let service: String
    private let changed: NSNotification.Name
    private let sender: @Sendable () -> NSObject?

    /// - Parameters:
    ///   - service: the name of the service.
    ///   - changed: the notification of a change of configurations.
    ///   - sender: the object of that notification.
    init(_ service: String, changed: NSNotification.Name, sender: @escaping @Sendable () -> NSObject?) {
        (self.service, self.changed, self.sender) = (service, changed, sender)
    }

    private struct Observer {
        weak var connection: NEVPNConnection?
    }

    private struct State: Sendable {
        var opening: (number: Int, task: Task<ServiceConnection, any Error>?) = (0, nil)
        var sessions: [String: TunnelState] = [:]
        /// The number of states that the host has told, and for each session the number of its last one.
        var told = 0
        var lastTold: [String: Int] = [:]
        var observers: [Observer] = []
        /// The last order to a session. Orders are sent one after the other.
        var last: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Calls the host.
    func call<Message: PointMessage>(_ message: Message) async throws -> Message.Reply {
        try await connection().call(message, CallPort.Options(limit: .seconds(3600)))
    }

    /// Gives the host an order, after those before it.
    func order(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            let last = state.last
            state.last = Task {
                await last?.value
                await body()
            }
        }
    }

    private func connection() async throws -> ServiceConnection {
        let task = state.withLock { state in
            if let task = state.opening.task { return task }
            state.opening.number += 1
            let number = state.opening.number
            let task = Task { [self] in
                do {
                    let connection = try await ServicePort.ofProcess().open(service, handling: handlers)
                    connection.whenEnded { [self] _ in ended(number) }
                    return connection
                } catch {
                    forget(number)
                    throw error
                }
            }
            state.opening.task = task
            return task
        }
        return try await task.value
    }

    private func forget(_ number: Int) {
        state.withLock { if $0.opening.number == number { $0.opening.task = nil } }
    }

    /// The host is gone, and its tunnels with it.
    private func ended(_ number: Int) {
        forget(number)
        let sessions = state.withLock { $0.sessions }
        for (identifier, session) in sessions where session.status > NEVPNStatus.disconnected.rawValue {
            let failure = NetworkFailure(
                domain: NEVPNErrorDomain, code: NEVPNError.Code.connectionFailed.rawValue,
                reason: "the host of the tunnel is gone")
            set(
                TunnelState(
                    status: NEVPNStatus.disconnected.rawValue, connected: session.connected, failure: failure),
                of: identifier)
        }
    }

    private var handlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(SessionState.self) { [self] message, _ in
            told(message.state, of: message.identifier)
            return Nothing()
        }
        handlers.on(ConfigurationsChanged.self) { [changed, sender] _, _ in
            Self.post(changed, sender())
            return Nothing()
        }
        return handlers
    }

    // MARK: States

    func state(of identifier: String) -> TunnelState? { state.withLock { $0.sessions[identifier] } }

    /// The place among the states that the host tells, for `listed(_:of:since:)`.
    var mark: Int { state.withLock { $0.told } }

    /// Takes the state that the host tells at each change.
    func told(_ session: TunnelState, of identifier: String) {
        state.withLock { state in
            state.told += 1
            state.lastTold[identifier] = state.told
        }
        set(session, of: identifier)
    }

    /// Takes a state of a list, unless the host has told one since the list was asked for. The list may be older then,
    /// and after a newer one the host tells its states, too.
    func listed(_ session: TunnelState, of identifier: String, since mark: Int) {
        guard state.withLock({ $0.lastTold[identifier] ?? 0 }) <= mark else { return }
        set(session, of: identifier)
    }

    func set(_ session: TunnelState?, of identifier: String) {
        let (hasChanged, connections) = state.withLock { state in
            let old = state.sessions.updateValue(
                session ?? TunnelState(status: NEVPNStatus.invalid.rawValue), forKey: identifier)
            if session == nil { (state.sessions[identifier], state.lastTold[identifier]) = (nil, nil) }
            state.observers.removeAll { $0.connection == nil }
            return (old?.status != session?.status, state.observers.compactMap(\.connection))
        }
        guard hasChanged else { return }
        for connection in connections where connection.identifier == identifier {
            Self.post(.NEVPNStatusDidChange, connection)
        }
    }

    func observe(_ connection: NEVPNConnection) {
        state.withLock { state in
            state.observers.removeAll { $0.connection == nil }
            state.observers.append(Observer(connection: connection))
        }
    }

    /// Posts a notification on the main queue, as Apple's systems do (observed).
    private static func post(_ name: NSNotification.Name, _ object: NSObject?) {
        let sender = AuthorCode(object)
        DispatchQueue.main.async { NotificationCenter.default.post(name: name, object: sender.object) }
    }

    // MARK: Configurations

    /// Loads the configurations of the app's providers, and takes the states of their sessions.
    func load() async throws -> [TunnelConfiguration] {
        let mark = mark
        let reply = try await call(LoadConfigurations())
        for (configuration, state) in zip(reply.configurations, reply.states) {
            listed(state, of: configuration.identifier, since: mark)
        }
        return reply.configurations
    }

    /// Lets the host check a change, sets the annotation, and tells the host.
    func write<Message: PointMessage>(_ message: Message) async throws where Message.Reply == ConfigurationChange {
        let change = try await call(message)
        let problem: ExtensionHostError? = await withCheckedContinuation { continuation in
            ExtensionAnnotation.set(
                change.configurations.isEmpty ? nil : change.configurations, named: NetworkService.configurations,
                of: change.provider
            ) { continuation.resume(returning: $0) }
        }
        // Also after a failure: the host lets the next change begin.
        var failure: (any Error)? = problem
        do {
            _ = try await call(ConfigurationsSaved(change.provider, number: change.number))
        } catch {
            failure = failure ?? error
        }
        if let failure { throw failure }
    }
}

/// Runs the form of a method that waits, and calls the handler of the other form on the main queue.
func hand(_ handler: @escaping ((any Error)?) -> Void, _ body: @escaping @Sendable () async throws -> Void) {
    let handler = AuthorCode(handler)
    Task {
        var failure: (any Error)?
        do { try await body() } catch { failure = error }
        let found = failure
        DispatchQueue.main.async { handler.object(found) }
    }
}
