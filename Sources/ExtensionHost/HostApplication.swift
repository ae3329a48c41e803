// HostApplication: a host's connection: discovery of extensions, requests, and the host's state.

import Dispatch
import ExtensionConnection
public import ExtensionItems
public import ExtensionProtocol
import Foundation
import LinuxSystem
import Locks
public import ExtensionPointKit
import PropertyListCoding

/// A host application. Items are provided lazily: an attachment's handler runs when the extension loads it.
///
/// Safe to use from any thread; releasing the last reference disconnects, which drops its open requests.
public final class HostApplication: Sendable {
    /// The host's name as the daemon made it unique, which `hosts` and the bus show.
    ///
    /// It may change after a restart of the daemon.
    public var name: String { identity.withLock { $0.name } }

    private struct Identity {
        var name: String
        var state = HostStateName.active
        /// The start time of the connected daemon if its successor can resume its sessions; another time identifies
        /// another daemon.
        var daemon: Int?
    }

    let channel: Channel
    /// Whether the daemon's successor can resume this host's requests.
    private let survives: Bool
    let address: DaemonAddress
    let patience: Duration
    let discoveries = DiscoveryBook()
    /// The running handlers of its items.
    package let activity: Activity
    private let requests: RequestBook
    private let server: HostServer
    private let calls: CallPort
    let services: ServicePort
    private let policy: RequestPolicy
    private let identity: Mutex<Identity>

    /// Connects as a host, and waits for the daemon's welcome, at most 10 s. Blocks no thread of the caller's.
    ///
    /// A lost connection is replaced without a trace while the daemon lives. A service that was stopped is not tried
    /// until the host makes a request. After a restart of the daemon the host continues in its last state. Its open
    /// requests continue too, if the daemon handed them over (docs/service.md). A request that should have been handed
    /// over and was not ends as `interrupted(.daemonRestarted)`; the others end as `interrupted(.connectionLost)`.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 visible ASCII characters without a slash; the daemon makes it unique.
    ///   - address: the daemon.
    ///   - patience: the time limit for retrying a daemon that has gone.
    ///   - onOutput: gets the output of the host's extensions, on the connection's thread; output that comes faster
    ///     than it can travel is dropped.
    /// - Throws: `ExtensionHostError`: `noDaemon`, `notPermitted`, `versionMismatch`, `quotaExceeded`;
    ///   `invalidArgument` for a name that is not allowed.
    public static func connect(
        name: String, to address: DaemonAddress = .standard, patience: Duration = .seconds(1),
        onOutput: (@Sendable (ExtensionOutput) -> Void)? = nil
    ) async throws -> HostApplication {
        try await connect(name: name, to: address, patience: patience, comesBack: true, onOutput: onOutput)
    }

    /// - Parameters:
    ///   - comesBack: whether a lost connection may be replaced. If not, its loss ends the host for the daemon.
    ///   - waitsForSuccessorOnly: whether, after the daemon's end, to try only if its successor can resume its
    ///     sessions.
    ///   - held: the loads that wait until a test answers them; nil to answer all at once.
    ///   - policy: the settings of every request, also of one that a host half begins.
    package static func connect(
        name: String, to address: DaemonAddress, patience: Duration, comesBack: Bool,
        waitsForSuccessorOnly: Bool = false,
        holding held: HeldLoads? = nil, policy: RequestPolicy = RequestPolicy(),
        onOutput: (@Sendable (ExtensionOutput) -> Void)? = nil
    ) async throws -> HostApplication {
        guard !name.isEmpty, name.utf8.count <= 128,
            name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") })
        else {
            throw ExtensionHostError(
                .invalidArgument, "“\(name)” cannot be a host's name",
                remedy: "Use 1 to 128 visible ASCII characters without a slash")
        }
        let book = RequestBook()
        let (channel, welcome) = try await address.open(
            Hello(role: .host, name: name, sdk: "swift/\(ProtocolVersion.current)", output: onOutput != nil),
            patience: patience,
            comesBack: comesBack, waitsForSuccessorOnly: waitsForSuccessorOnly)
        let calls = CallPort(channel: channel)
        let activity = Activity()
        let services = ServicePort(channel: channel, activity)
        let server = HostServer(
            channel: channel, requests: book, tellsProgress: welcome.version >= .withLoadControl, onOutput: onOutput,
            activity: activity, calls: calls, services: services, held: held)
        let host = HostApplication(
            name: welcome.host ?? name, welcome, channel: channel, requests: book, server: server, calls: calls,
            services: services,
            activity: activity,
            address: address, patience: patience, policy: policy)
        try channel.start(
            onPacket: { server.receive($0) },
            onEnd: { [weak host] welcome, session in host?.ended(welcome, session) },
            onRestart: { [weak host] welcome in host?.restarted(welcome) },
            onClose: {
                services.connectionEnded()
                calls.cancelIncoming()
                book.connectionLost($0)
            })
        return host
    }

    private init(
        name: String, _ welcome: Welcome, channel: Channel, requests: RequestBook, server: HostServer,
        calls: CallPort, services: ServicePort, activity: Activity,
        address: DaemonAddress, patience: Duration, policy: RequestPolicy
    ) {
        self.policy = policy
        survives = welcome.survives
        self.activity = activity
        self.address = address
        self.patience = patience
        self.channel = channel
        self.requests = requests
        self.server = server
        self.calls = calls
        self.services = services
        identity = Mutex(Identity(name: name, daemon: welcome.started))
    }

    /// Ends the requests of a session that has ended.
    ///
    /// The daemon was stopped, has forgotten this host, has not waited long enough, or is a successor that could not
    /// resume the requests.
    private func ended(_ welcome: Welcome?, _ session: Int) {
        calls.cancelIncoming()
        services.connectionEnded()
        guard let welcome else {
            return requests.connectionLost(
                ExtensionHostError(
                    .connectionLost, "the daemon stopped",
                    remedy: "Begin again: that connects to the next daemon"),
                as: .daemonStopping, through: session)
        }
        if let earlier = identity.withLock({ $0.daemon }), earlier != welcome.started {
            requests.connectionLost(
                ExtensionHostError(
                    .connectionLost, "the daemon ended, and the next one could not resume the request",
                    remedy: "Begin again; docs/service.md lists what outlives a daemon"),
                as: .daemonRestarted, through: session)
        } else {
            requests.connectionLost(
                ExtensionHostError(
                    .connectionLost, "the daemon was restarted, or this host did not reconnect in time",
                    remedy: "Begin the request again"),
                through: session)
        }
    }

    /// Restores the host at another daemon, in its last state.
    ///
    /// If the daemon has adopted its requests, the host reports the open ones and repeats each begin. No request begins
    /// twice, because the daemon knows which ones an extension has.
    private func restarted(_ welcome: Welcome) {
        let state = identity.withLock { identity in
            identity.daemon = welcome.started
            if !welcome.isRecognized { identity.name = welcome.host ?? identity.name }
            return identity.state
        }
        calls.cancelIncoming()
        // The services come first: the daemon lets clients wait for the hosts that are still to report.
        services.restarted(isRecognized: welcome.isRecognized)
        if welcome.isRecognized {
            let open = requests.open
            try? channel.send(StillOpen(requests: open.map(\.identifier)))
            for request in open { request.beginAgain() }
        }
        // This fails only with the connection. A new session begins as active.
        if welcome.isRecognized || state != .active { try? channel.request(SetState(state: state)) { _ in } }
    }

    /// Drops the connection as a fault would. For tests of what follows.
    package func dropConnection() { channel.drop() }

    /// Ends the connection for good, as a crash of the application does. For tests of what follows.
    package func crash() {
        discoveries.end()
        channel.crash()
    }

    deinit { disconnect() }

    /// Ends the connection now. Open requests end as `interrupted(.connectionLost)` here and are dropped by the daemon.
    public func disconnect() {
        discoveries.end()
        channel.close()
    }

    /// Returns the usable extensions that the user has not switched off, in the order of their identifiers.
    ///
    /// Throws `connectionLost`.
    public func extensions() async throws -> [FoundExtension] {
        try await DaemonControl(channel: channel).extensions().filter { $0.isWinner && $0.election != .ignore }
            .map(FoundExtension.init)
    }

    /// Returns the extensions that have failed several times in a row, at most 64. The daemon launches none of them
    /// before its `delay` is over.
    ///
    /// Throws `connectionLost`.
    public func breakers() async throws -> [BreakerRecord] {
        try await DaemonControl(channel: channel).status().breakers
    }

    /// Begins a request and returns when the extension has it, or when it has ended before that; see its outcome.
    ///
    /// - Parameters:
    ///   - identifier: the extension.
    ///   - items: copied here; the extension loads the values of attachments with load handlers while the request is
    ///     open.
    ///   - timeout: the request's own time limit from delivery on, above 0, in place of the extension point's; its
    ///     outcome is `timedOut`.
    ///   - force: ignores the extension's activation rule, without which a request for items that it does not accept is
    ///     `refused(.ruleMismatch)`. For tools and tests.
    ///   - waitsForDebugger: whether the extension gets the request only once a debugger is attached to its process,
    ///     which `ExtensionRequest.held()` names. Use it with `start`, which does not wait.
    ///   - handlers: the handlers of the extension's calls.
    /// - Throws: `ExtensionHostError` `noSuchExtension`, `connectionLost`; `invalidArgument` and `payloadTooLarge` for
    ///   items that cannot travel.
    public func begin(
        _ identifier: String, items: [NSExtensionItem], timeout: Duration? = nil, force: Bool = false,
        waitsForDebugger: Bool = false, handling handlers: PointHandlers = PointHandlers()
    ) async throws -> ExtensionRequest {
        let request = try start(
            identifier, items: items, timeout: timeout, force: force, waitsForDebugger: waitsForDebugger,
            handling: handlers)
        try await request.delivered()
        return request
    }

    /// Begins a request without waiting: for a caller that cancels a request whose process may still be starting.
    ///
    /// `begin` throws an error for an extension that does not exist; here the outcome is `refused(.notPermitted)`.
    ///
    /// - Parameters:
    ///   - identifier: as for `begin`.
    ///   - items: as for `begin`.
    ///   - timeout: as for `begin`.
    ///   - force: as for `begin`.
    ///   - waitsForDebugger: as for `begin`.
    ///   - reportsDelivery: false for a caller that wants the outcome alone, which saves a packet. `delivered()`, `held()`
    ///     and `processIdentifier` of the request then know nothing before its end, and `call` cannot be used.
    ///   - handlers: as for `begin`.
    public func start(
        _ identifier: String, items: [NSExtensionItem], timeout: Duration? = nil, force: Bool = false,
        waitsForDebugger: Bool = false, reportsDelivery: Bool = true, handling handlers: PointHandlers = PointHandlers()
    ) throws -> ExtensionRequest {
        let table = ProviderTable()
        let (payload, descriptors) = try Self.encoded(items, into: table)
        let types = OfferedTypes(items.map { OfferedItem($0) }).attachments
        let channel = channel
        let request = ExtensionRequest(
            identifier: RequestIdentifier(), extensionIdentifier: identifier, table: table, calls: calls,
            activity: activity, handlers: handlers, isReported: reportsDelivery,
            cancel: { [requests] id in
                // A request that has ended cannot be cancelled.
                if requests[id] == nil { return }
                try await channel.askAcross(Cancel(request: id)) { requests[id] != nil }
            },
            use: { message in try await channel.use(message) })
        let waits = waitsForDebugger || policy.waitsForDebugger
        // A daemon that keeps requests for its successor, and a debugger's user, need the report in any case.
        let welcome = channel.welcome
        let isUnreported = !reportsDelivery && !waits && welcome.version >= .withFinalAnswers && !welcome.survives
        let message = Begin(
            request: request.identifier, extensionIdentifier: identifier, attachments: types,
            timeout: (timeout ?? policy.timeout).map(\.inSeconds),
            force: force, waits: waits, isUnreported: isUnreported)
        requests.add(request)
        policy.onBegin(request)
        let begin: @Sendable (Begin) throws(ExtensionHostError) -> Void = {
            [requests, server] (message) throws(ExtensionHostError) in
            let daemon = channel.restarts
            try channel.request(
                message, payload: payload, descriptors: descriptors,
                onSession: { request.session.store($0, ordering: .relaxed) }
            ) { answer in
                // Another daemon has the request by now, and answers.
                if case .failure(let error) = answer, error.code == .connectionLost, channel.restarts != daemon {
                    return
                }
                // The outcome answers a begin whose delivery is not reported.
                if case .success(let packet) = answer, packet.kind == .finished { return server.receive(packet) }
                switch answer.flatMap({ packet in packet.reading(Begun.self) }) {
                case .success(let begun):
                    request.begun.set(.success(begun.pid))
                    request.heldProcess.set(nil)
                case .failure(let error):
                    // The end of the connection ends a request that the daemon has; `connectionLost` has the cause.
                    if message.isUnreported, channel.hasFailed { return }
                    requests.remove(request.identifier)
                    request.endStreams(error)
                    request.fail(error)
                }
            }
        }
        if survives {
            // The closure is stored until the request has its outcome; then the book removes it.
            request.resaid.withLock {
                $0 = { [weak request] in
                    guard let request else { return }
                    var again = message
                    again.again = true
                    again.wasBegun = request.begun.current != nil
                    try? begin(again)
                }
            }
        }
        do {
            try begin(message)
        } catch {
            requests.remove(request.identifier)
            throw error
        }
        return request
    }

    /// Registers a program or an `.appex`, by its absolute path, for as long as this host is connected.
    ///
    /// Returns the identifier to begin requests with. Throws `noSuchExtension`, `invalidArgument`, `notPermitted`,
    /// `quotaExceeded`.
    public func register(path: String) async throws -> String { try await channel.ask(Register(path: path)).identifier }

    private static func encoded(
        _ items: [NSExtensionItem], into table: ProviderTable
    ) throws(ExtensionHostError) -> (Payload, [SharedDescriptor]) {
        do {
            let encoded = try encodeItems(items, into: table)
            return (try Payload(try encoded.plist.encodeBinary()), encoded.descriptors)
        } catch let error as ConnectionError {
            throw ExtensionHostError(.payloadTooLarge, "the items cannot be sent", cause: "\(error)")
        } catch {
            throw ExtensionHostError(
                .invalidArgument, "the items cannot be sent", remedy: "Change or omit the named value",
                cause: "\(error)")
        }
    }

    /// Moves the host to `state`; the announcements on the legal path to it have been made when this returns.
    ///
    /// The same state again announces nothing. Throws `connectionLost`.
    public func setState(_ state: HostStateName) async throws {
        identity.withLock { $0.state = state }
        // `restarted` tells another daemon, and no daemon is started for this.
        if channel.isDismissed { return }
        try await channel.askAcross(SetState(state: state)) { false }
    }

    /// Waits until the daemon has handled everything sent before, and this host has received everything the daemon
    /// sent, also output.
    public func fence() async throws { _ = try await channel.ask(Fence()) }
}

/// The settings of every request of a host, for tools that let a host half begin their requests.
package struct RequestPolicy: Sendable {
    /// The time limit of a request without one of its own.
    package var timeout: Duration?
    package var waitsForDebugger = false
    /// A function that gets each request before the daemon does, on the thread that begins it.
    package var onBegin: @Sendable (ExtensionRequest) -> Void = { _ in }

    package init() {}
}

extension Channel {
    /// Sends a request, and repeats it to the next daemon if one ended before it answered, as long as the answer still
    /// matters.
    fileprivate func askAcross(_ message: some RequestMessage, while matters: () -> Bool) async throws {
        while true {
            let daemon = restarts
            do {
                return _ = try await ask(message)
            } catch let error as ExtensionHostError {
                guard error.code == .connectionLost, restarts != daemon else { throw error }
                guard matters() else { return }
            }
        }
    }
}

extension Packet {
    func reading<M: Message>(_ type: M.Type) -> Result<M, ExtensionHostError> {
        do {
            return .success(try message(type))
        } catch {
            return .failure(ExtensionHostError(.protocolViolation, "\(error)"))
        }
    }
}

extension ExtensionRequest {
    /// Ends a request that could not begin, or whose connection was lost.
    ///
    /// - Parameter lost: the cause for a lost connection.
    func fail(_ error: ExtensionHostError, as lost: Cause = .connectionLost) {
        let cause = error.code == .connectionLost || error.code == .protocolViolation ? lost : .notPermitted
        resaid.withLock { $0 = nil }
        heldProcess.set(nil)
        finished.set((cause.outcome == .refused ? .refused(cause) : .interrupted(cause), nil, error))
        begun.set(.failure(error))
        ended.set(nil)
        shown.end()
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
