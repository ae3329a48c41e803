// ServicePort: the services that a process uses or provides over its connection to the daemon.

package import ExtensionConnection
package import ExtensionItems
public import ExtensionWire
import Foundation
import Locks

/// The connections with services, of one connection to the daemon. Safe to use from any thread.
///
/// A host provides services; extensions, apps, hosts and tools use them. Both sides then call each other, outside
/// requests.
public final class ServicePort: Sendable {
    /// Decides about a new client: returns the handlers of its calls, or throws the error that the client gets.
    public typealias Accept = @Sendable (ServiceConnection) async throws -> PointHandlers

    private struct Provided {
        let accept: Accept
        /// Whether the daemon has confirmed it.
        var isConfirmed = false
    }

    private struct State {
        var connections: [RequestIdentifier: ServiceConnection] = [:]
        var provided: [String: Provided] = [:]
    }

    let channel: Channel
    let calls: CallPort
    private let activity: Activity
    private let state = Mutex(State())

    package init(channel: Channel, _ activity: Activity) {
        self.channel = channel
        self.activity = activity
        calls = CallPort(channel: channel)
    }

    // MARK: Of this process

    private static let own = Mutex<ServicePort?>(nil)

    /// Whether this process is an app that its user has opened, also if it was launched in the background before.
    package static var isOpenedApp: Bool { ProcessChannel.isOpened }

    /// Returns the port of the extension or app that this process is.
    ///
    /// - Throws: `noDaemon` in a process that no daemon launched.
    public static func ofProcess() async throws(ExtensionHostError) -> ServicePort {
        let port: ServicePort? = await withCheckedContinuation { continuation in
            let isUsed = ProcessChannel.use { channel in
                let port = own.withLock { own in
                    if let own { return own }
                    let port = ServicePort(channel: channel, .process)
                    ProcessChannel.deliver(
                        to: ProcessChannel.Receiver(
                            take: { [unowned port] in try port.receive($0) },
                            restarted: { [unowned port] in port.restarted(isRecognized: true) }))
                    own = port
                    return port
                }
                return { continuation.resume(returning: port) }
            }
            if !isUsed { continuation.resume(returning: nil) }
        }
        guard let port else {
            throw ExtensionHostError(
                .noDaemon, "no daemon launched this process, so it reaches no service",
                remedy: "Open the app with exthostctl app")
        }
        return port
    }

    // MARK: Clients

    /// Opens a connection with a service.
    ///
    /// - Parameters:
    ///   - service: the name of the service.
    ///   - handlers: the handlers of the service's calls.
    /// - Throws: `serviceUnavailable` if nobody provides it, `quotaExceeded`, `connectionLost`, or the provider's error.
    public func open(
        _ service: String, handling handlers: PointHandlers = PointHandlers()
    ) async throws -> ServiceConnection {
        let connection = ServiceConnection(service, client: nil, self, queue())
        connection.adopt(handlers)
        // The provider may call as soon as it has accepted.
        state.withLock { $0.connections[connection.identifier] = connection }
        do {
            try await ask(OpenService(connection: connection.identifier, service: service)) { connection.isOpened() }
            return connection
        } catch {
            // The daemon may have opened it all the same.
            if forget(connection) { try? channel.send(CloseService(connection: connection.identifier)) }
            throw error
        }
    }

    /// Asks the daemon, or the next one if the daemon was replaced meanwhile.
    ///
    /// - Parameters:
    ///   - waits: called with true when the question was sent, and with false when its answer has come; again for each
    ///     daemon that is asked.
    ///   - confirmed: called on the reader thread, before that can hear of another daemon.
    private func ask<Question: RequestMessage>(
        _ question: Question, waits: @escaping @Sendable (Bool) -> Void = { _ in },
        confirmed: @escaping @Sendable () -> Void
    ) async throws {
        while true {
            let daemon = channel.restarts
            do {
                return try await withCheckedThrowingContinuation { continuation in
                    do {
                        try channel.request(question) { answer in
                            waits(false)
                            if case .success = answer { confirmed() }
                            continuation.resume(with: answer.map { _ in }.mapError { $0 as any Error })
                        }
                        waits(true)
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            } catch let error as ExtensionHostError
                where error.code == .connectionLost && channel.restarts != daemon
            {
                continue
            }
        }
    }

    // MARK: Providers

    /// Provides a service from now on, as long as the connection to the daemon exists.
    ///
    /// - Parameters:
    ///   - service: the name, of 1 to 128 letters, digits, hyphens and dots.
    ///   - accept: decides about each new client.
    /// - Throws: `invalidArgument` if another host of this user provides it, `quotaExceeded`, `connectionLost`.
    public func provide(_ service: String, accept: @escaping Accept) async throws {
        // Its first client may come before the answer.
        let former = state.withLock { state in
            defer { state.provided[service] = Provided(accept: accept) }
            return state.provided[service]
        }
        do {
            try await ask(Provide(service: service)) { [self] in
                state.withLock { $0.provided[service]?.isConfirmed = true }
            }
        } catch {
            state.withLock { $0.provided[service] = former }
            throw error
        }
    }

    /// Provides the service of this program, which the daemon knows as its provider.
    package func serve(_ service: String, accept: @escaping Accept) {
        state.withLock { $0.provided[service] = Provided(accept: accept, isConfirmed: true) }
    }

    /// Opens an app in the background, for a session of which it gets the events.
    ///
    /// - Parameters:
    ///   - app: the identifier of an app that has a registered extension.
    ///   - session: the identifier of the session.
    ///   - window: the time that the app has, its launch included.
    ///   - waits: called with true when the daemon has been asked, and with false when it has answered.
    /// - Throws: `timedOut` if the app has not dealt with the session in time, `noSuchExtension` without such an app,
    ///   `launchFailed`, `interrupted` if the app ends before, `quotaExceeded`, `connectionLost`.
    package func wake(
        app: String, session: String, within window: Duration, waits: @escaping @Sendable (Bool) -> Void
    ) async throws {
        try await ask(WakeApp(app: app, detail: session, window: window / .seconds(1)), waits: waits) {}
    }

    private func accept(_ packet: Packet) throws {
        let message: OpenService = try packet.message()
        let serial = packet.serial
        let (accept, known) = state.withLock {
            ($0.provided[message.service]?.accept, $0.connections[message.connection])
        }
        // After a restart of the daemon a client opens its connection again.
        if let known, known.isOf(message.client) {
            // A provider that has not decided about it answers later.
            guard known.wasOpened(askedAgain: serial) else { return }
            try channel.send(Success(), replyTo: serial)
            known.isOpened()
            return
        }
        guard let accept, known == nil else {
            let why = ExtensionHostError(.serviceUnavailable, "this host does not provide \(message.service)")
            return try channel.send(ErrorReply(why), replyTo: serial)
        }
        let connection = ServiceConnection(
            message.service, identifier: message.connection, client: message.client, serial: serial, self, queue())
        state.withLock { $0.connections[message.connection] = connection }
        activity.enter()
        Task { [self, activity] in
            defer { activity.leave() }
            do {
                connection.adopt(try await accept(connection))
                // The answer comes before the provider's own calls.
                let serial = connection.serial
                try? channel.send(Success(), replyTo: serial)
                let last = connection.isOpened()
                if last != serial { try? channel.send(Success(), replyTo: last) }
            } catch {
                let serial = connection.serial
                _ = forget(connection)
                let why =
                    error as? ExtensionHostError
                    ?? ExtensionHostError(
                        .serviceUnavailable, "\(message.service) refused the client", cause: "\(error)")
                try? channel.send(ErrorReply(why), replyTo: serial)
            }
        }
    }

    // MARK: The daemon's packets

    /// Takes a packet of a service. Call it on the connection's reader thread.
    ///
    /// - Returns: false if the packet is none of a service.
    package func receive(_ packet: Packet) throws -> Bool {
        let identifier: RequestIdentifier
        switch packet.kind {
        case .openService:
            try accept(packet)
            return true
        case .closeService:
            if let connection = self[try packet.message(CloseService.self).connection] {
                end(
                    connection,
                    ExtensionHostError(
                        .connectionLost, "the other side of the connection with \(connection.service) is gone",
                        remedy: "Open it again when the service is there"))
            }
            return true
        case .call: identifier = try packet.message(Call.self).request
        case .cancelCall: identifier = try packet.message(CancelCall.self).request
        case .callPart: identifier = try packet.message(CallPart.self).request
        case .callExpires: identifier = try packet.message(CallExpires.self).request
        default: return false
        }
        guard let connection = self[identifier] else { return false }
        try calls.receive(packet) { connection.begin($0) }
        return true
    }

    private subscript(_ identifier: RequestIdentifier) -> ServiceConnection? {
        state.withLock { $0.connections[identifier] }
    }

    /// Offers all services again to another daemon, and opens all connections again.
    ///
    /// - Parameter isRecognized: whether that daemon continues the session. If not, all connections have ended.
    package func restarted(isRecognized: Bool) {
        if !isRecognized { connectionEnded() }
        // Those that are just being opened or provided repeat their question themselves.
        let (provided, connections) = state.withLock { state in
            (
                state.provided.filter(\.value.isConfirmed).keys.sorted(),
                state.connections.values.filter(\.wasOpened)
            )
        }
        for connection in connections { connection.isReopening() }
        let daemon = channel.restarts
        for service in provided { provideAgain(service, daemon) }
        calls.cancelIncoming()
        for connection in connections where connection.client == nil {
            let message = OpenService(connection: connection.identifier, service: connection.service)
            do {
                try channel.request(message) { [self] answer in
                    guard case .failure(let error) = answer else { return _ = connection.isOpened() }
                    if !isOfNextRestart(error, daemon) { end(connection, error) }
                }
            } catch {
                end(connection, error)
            }
        }
    }

    private func provideAgain(_ service: String, _ daemon: Int) {
        // A client about which the provider has not decided may be gone, too.
        let own = state.withLock { $0.connections.values.filter { $0.client != nil && $0.service == service } }
        let message = Provide(service: service, connections: own.map(\.identifier))
        try? channel.request(message) { [self] answer in
            guard case .failure(let error) = answer, !isOfNextRestart(error, daemon) else { return }
            // Another host provides it now.
            state.withLock { $0.provided[service] = nil }
            for connection in own { end(connection, error) }
        }
    }

    /// Whether a question has failed because yet another daemon has taken over, to which it is repeated.
    private func isOfNextRestart(_ error: ExtensionHostError, _ daemon: Int) -> Bool {
        error.code == .connectionLost && channel.restarts != daemon
    }

    /// Ends all connections, because the session with the daemon has ended.
    package func connectionEnded() {
        calls.cancelIncoming()
        for connection in state.withLock({ Array($0.connections.values) }) {
            end(connection, ExtensionHostError(.connectionLost, "the daemon ended the connection"))
        }
    }

    /// Closes a connection from this side.
    func close(_ connection: ServiceConnection) {
        guard forget(connection) else { return }
        try? channel.send(CloseService(connection: connection.identifier))
        connection.ended(ExtensionHostError(.connectionLost, "this side has closed the connection"))
    }

    private func end(_ connection: ServiceConnection, _ error: ExtensionHostError) {
        if forget(connection) { connection.ended(error) }
    }

    /// - Returns: false if the port does not know the connection any more.
    private func forget(_ connection: ServiceConnection) -> Bool {
        let wasKnown = state.withLock { $0.connections.removeValue(forKey: connection.identifier) != nil }
        calls.requestEnded(connection.identifier)
        return wasKnown
    }

    private func queue() -> CallQueue { CallQueue(DispatchQueue(label: "org.exthost.service"), activity) }
}
