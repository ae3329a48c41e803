// HostApplication: a host's connection: extensions to find, requests to begin, its own state to report.

import Dispatch
import ExtensionConnection
public import ExtensionItems
public import ExtensionProtocol
import Foundation
import LinuxSystem
import Locks
import PropertyListCoding

/// A host application. Items are provided lazily: an attachment's handler runs when the extension asks for it.
/// Safe to use from any thread; letting go of the last reference disconnects, which drops its open requests.
public final class HostApplication: Sendable {
    /// The host's name as the daemon made it unique: what `hosts` and the bus show. It may be another after the daemon was
    /// restarted.
    public var name: String { identity.withLock { $0.name } }

    private struct Identity {
        var name: String
        var state = HostStateName.active
        /// Of the daemon that it is connected with, if that lets a successor go on: when it was started, by which another one is told apart.
        var daemon: Int?
    }

    let channel: Channel
    /// Whether the daemon lets its successor go on with this host's requests.
    private let survives: Bool
    let address: DaemonAddress
    let patience: Duration
    let discoveries = DiscoveryBook()
    /// The handlers of its items that run.
    package let activity: Activity
    private let requests: RequestBook
    private let identity: Mutex<Identity>

    /// Connects as a host, and waits for the daemon's welcome, 10 s at the most. Blocks no thread of the caller's.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 visible ASCII characters without a slash; the daemon makes it unique.
    ///   - address: the daemon.
    ///   - patience: how long a daemon that went is looked for. A connection that was lost comes back without a trace while the
    ///     daemon lives. A service that was stopped is not looked for until the host asks something. After a restart of the daemon the host goes on, in the state it was in; the requests that were open
    ///     go on, too, where the daemon keeps them (docs/service.md); what it was to keep and could not ends as
    ///     `interrupted(.daemonRestarted)`, else they have ended as `interrupted(.connectionLost)`.
    ///   - onOutput: gets what the host's extensions print, on the connection's thread; what comes faster than it can travel
    ///     is left out.
    /// - Throws: `ExtensionHostError`: `noDaemon`, `notPermitted`, `versionMismatch`, `quotaExceeded`; `invalidArgument`
    ///   for a name that is not allowed.
    public static func connect(
        name: String, to address: DaemonAddress = .standard, patience: Duration = .seconds(1),
        onOutput: (@Sendable (ExtensionOutput) -> Void)? = nil
    ) async throws -> HostApplication {
        try await connect(name: name, to: address, patience: patience, comesBack: true, onOutput: onOutput)
    }

    /// - Parameters:
    ///   - comesBack: whether a lost connection may be replaced. If not, the daemon takes its loss for the end of the host.
    ///   - waitsForSuccessorOnly: whether only a daemon that lets its successor go on is looked for after its end.
    ///   - held: where loads wait, if it is there, until they are to be answered.
    package static func connect(
        name: String, to address: DaemonAddress, patience: Duration, comesBack: Bool, waitsForSuccessorOnly: Bool = false,
        holding held: HeldLoads? = nil,
        onOutput: (@Sendable (ExtensionOutput) -> Void)? = nil
    ) async throws -> HostApplication {
        guard !name.isEmpty, name.utf8.count <= 128, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") })
        else {
            throw ExtensionHostError(
                .invalidArgument, "“\(name)” cannot be a host's name",
                remedy: "Use 1 to 128 visible ASCII characters without a slash")
        }
        let book = RequestBook()
        let (channel, welcome) = try await address.open(
            Hello(role: .host, name: name, sdk: "swift/\(ProtocolVersion.current)", output: onOutput != nil), patience: patience,
            comesBack: comesBack, waitsForSuccessorOnly: waitsForSuccessorOnly)
        let server = HostServer(
            channel: channel, requests: book, tellsProgress: welcome.version >= .withLoadControl, onOutput: onOutput,
            held: held)
        let host = HostApplication(
            name: welcome.host ?? name, welcome, channel: channel, requests: book, activity: server.activity, address: address,
            patience: patience)
        try channel.start(
            onPacket: { server.receive($0) },
            onEnd: { [weak host] welcome, session in host?.ended(welcome, session) },
            onRestart: { [weak host] welcome in host?.restarted(welcome) },
            onClose: { book.connectionLost($0) })
        return host
    }

    private init(
        name: String, _ welcome: Welcome, channel: Channel, requests: RequestBook, activity: Activity, address: DaemonAddress,
        patience: Duration
    ) {
        survives = welcome.survives
        self.activity = activity
        self.address = address
        self.patience = patience
        self.channel = channel
        self.requests = requests
        identity = Mutex(Identity(name: name, daemon: welcome.started))
    }

    /// What was open has ended: the daemon was stopped, or knows nothing of this host any more, or is another that was to go
    /// on with its requests and had nothing to believe, or did not wait so long.
    private func ended(_ welcome: Welcome?, _ session: Int) {
        guard let welcome else {
            return requests.connectionLost(
                ExtensionHostError(
                    .connectionLost, "the daemon was stopped",
                    remedy: "Begin again, which connects to the daemon that is started next"),
                as: .daemonStopping, through: session)
        }
        if let earlier = identity.withLock({ $0.daemon }), earlier != welcome.started {
            requests.connectionLost(
                ExtensionHostError(
                    .connectionLost, "the daemon has ended, and the one after it could not go on with the request",
                    remedy: "Begin again; docs/service.md says what outlives a daemon"),
                as: .daemonRestarted, through: session)
        } else {
            requests.connectionLost(
                ExtensionHostError(
                    .connectionLost, "the daemon was restarted, or waited in vain for this host",
                    remedy: "Begin the request again"),
                through: session)
        }
    }

    /// The host begins again, in the state it was in. One that has kept its requests says which are open, and says each begin
    /// again: by what an extension has of it nothing begins twice.
    private func restarted(_ welcome: Welcome) {
        let state = identity.withLock { identity in
            identity.daemon = welcome.started
            if !welcome.isRecognized { identity.name = welcome.host ?? identity.name }
            return identity.state
        }
        if welcome.isRecognized {
            let open = requests.open
            try? channel.send(StillOpen(requests: open.map(\.identifier)))
            for request in open { request.beginAgain() }
        }
        // Fails only with the connection. A new session begins as active.
        if welcome.isRecognized || state != .active { try? channel.request(SetState(state: state)) { _ in } }
    }

    /// Loses the connection as a fault would: for tests of what follows.
    package func dropConnection() { channel.drop() }

    /// Is cut off for good, as an application that crashes is: for tests of what follows.
    package func crash() {
        discoveries.end()
        channel.crash()
    }

    deinit { disconnect() }

    /// Ends the connection now. Requests still open end as `interrupted(.connectionLost)` here and are dropped there.
    public func disconnect() {
        discoveries.end()
        channel.close()
    }

    /// The extensions that can be used and that the user has not switched off, in the order of their identifiers. Throws
    /// `connectionLost`.
    public func extensions() async throws -> [FoundExtension] {
        try await DaemonControl(channel: channel).extensions().filter { $0.isWinner && $0.election != .ignore }
            .map(FoundExtension.init)
    }

    /// Begins a request and returns when the extension has it, or when it has ended before that (its outcome tells).
    ///
    /// - Parameters:
    ///   - identifier: the extension.
    ///   - items: copied here; attachments with load handlers are asked for values while the request is open.
    ///   - timeout: the request's own time limit from delivery on, above 0, in place of the extension point's; its outcome
    ///     is `timedOut`.
    ///   - force: passes over the extension's activation rule, without which a request for items that it does not accept is
    ///     `refused(.ruleMismatch)`. For tools and tests.
    ///   - waitsForDebugger: the extension gets the request once a debugger is attached to its process, which
    ///     `ExtensionRequest.held()` names: use `start` with it, which does not wait.
    /// - Throws: `ExtensionHostError` `noSuchExtension`, `connectionLost`; `invalidArgument` and `payloadTooLarge` for items that
    ///   cannot travel.
    public func begin(
        _ identifier: String, items: [NSExtensionItem], timeout: Duration? = nil, force: Bool = false,
        waitsForDebugger: Bool = false
    ) async throws -> ExtensionRequest {
        let request = try start(
            identifier, items: items, timeout: timeout, force: force, waitsForDebugger: waitsForDebugger)
        try await request.delivered()
        return request
    }

    /// The same without waiting: for a caller that wants to cancel a request whose process is still on the way. A
    /// request for an extension that does not exist shows it by `begin`'s error only, here as `refused(.notPermitted)`.
    public func start(
        _ identifier: String, items: [NSExtensionItem], timeout: Duration? = nil, force: Bool = false,
        waitsForDebugger: Bool = false
    ) throws -> ExtensionRequest {
        let table = ProviderTable()
        let (payload, descriptors) = try Self.encoded(items, into: table)
        let types = OfferedTypes(items.map { OfferedItem($0) }).attachments
        let channel = channel
        let request = ExtensionRequest(
            identifier: RequestIdentifier(), extensionIdentifier: identifier, table: table,
            cancel: { [requests] id in
                // Of a request that has ended there is nothing to cancel.
                if requests[id] == nil { return }
                try await channel.askAcross(Cancel(request: id)) { requests[id] != nil }
            },
            use: { message in try await channel.use(message) })
        let message = Begin(
            request: request.identifier, extensionIdentifier: identifier, attachments: types, timeout: timeout.map(\.inSeconds),
            force: force, waits: waitsForDebugger)
        requests.add(request)
        let begin: @Sendable (Begin) throws(ExtensionHostError) -> Void = { [requests] (message) throws(ExtensionHostError) in
            let daemon = channel.restarts
            try channel.request(
                message, payload: payload, descriptors: descriptors,
                onSession: { request.session.store($0, ordering: .relaxed) }
            ) { answer in
                // Another daemon has it by now, and answers.
                if case .failure(let error) = answer, error.code == .connectionLost, channel.restarts != daemon { return }
                switch answer.flatMap({ packet in packet.reading(Begun.self) }) {
                case .success(let begun):
                    request.begun.set(.success(begun.pid))
                    request.heldProcess.set(nil)
                case .failure(let error):
                    requests.remove(request.identifier)
                    request.fail(error)
                }
            }
        }
        if survives {
            // Until the request has its outcome: then the book lets it go.
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

    /// Registers a program or an `.appex`, by its absolute path, for as long as this host is connected; returns the
    /// identifier to begin requests with. Throws `noSuchExtension`, `invalidArgument`, `notPermitted`, `quotaExceeded`.
    public func register(path: String) async throws -> String { try await channel.ask(Register(path: path)).identifier }

    private static func encoded(
        _ items: [NSExtensionItem], into table: ProviderTable
    ) throws(ExtensionHostError) -> (Payload, [SharedDescriptor]) {
        do {
            let encoded = try encodeItems(items, into: table)
            return (try Payload(try encoded.plist.encodeBinary()), encoded.descriptors)
        } catch let error as ConnectionError {
            throw ExtensionHostError(.payloadTooLarge, "the items cannot travel", cause: "\(error)")
        } catch {
            throw ExtensionHostError(
                .invalidArgument, "the items cannot travel", remedy: "Change or leave out what is named", cause: "\(error)")
        }
    }

    /// Moves the host to `state`; the announcements on the legal way there have been made when this returns. The same state
    /// again announces nothing. Throws `connectionLost`.
    public func setState(_ state: HostStateName) async throws {
        identity.withLock { $0.state = state }
        // Another daemon is told by `restarted`, and none is started for it.
        if channel.isDismissed { return }
        try await channel.askAcross(SetState(state: state)) { false }
    }

    /// Waits until the daemon has handled everything sent before, and what it had sent has been received: output, too.
    public func fence() async throws { _ = try await channel.ask(Fence()) }
}

extension Channel {
    /// Asks; where the daemon ended before it answered and the next one goes on with the session, that one is asked as long as it still matters.
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
    /// The request never came to be, or its connection went.
    ///
    /// - Parameter lost: the cause if it is that.
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
