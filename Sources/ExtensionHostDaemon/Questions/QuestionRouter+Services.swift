// QuestionRouter+Services: connections with services, and the calls on them.

import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol
import LinuxSystem

extension QuestionRouter {
    /// Takes a packet of a connection with a service.
    ///
    /// - Parameter hasRequests: whether the side has requests, whose calls are not for this function.
    /// - Returns: false if the packet is none of a connection.
    func takeOfService(_ packet: Packet, from side: CallSide, hasRequests: Bool) throws(ProtocolError) -> Bool {
        guard let peer = side.peer else { return false }
        if hasRequests, services.connections.isEmpty, packet.kind != .closeService { return false }
        switch packet.kind {
        case .call:
            let message: Call = try packet.message()
            if let (connection, other) = connection(message.request, of: peer) {
                call(message, packet, over: connection, from: side, to: other)
                return true
            }
        case .cancelCall:
            let message: CancelCall = try packet.message()
            if let (connection, _) = connection(message.request, of: peer) {
                cancel(connection.client.peer === peer ? .extensionCall : .hostCall, message)
                return true
            }
        case .callPart:
            let message: CallPart = try packet.message()
            if let (connection, other) = connection(message.request, of: peer) {
                part(message, packet, over: connection, from: side, to: other)
                return true
            }
        case .closeService:
            let message: CloseService = try packet.message()
            if let (connection, _) = connection(message.connection, of: peer) { close(connection, by: peer) }
            return true
        default: return false
        }
        // The packet has crossed with the end of its connection.
        if !hasRequests, packet.kind != .cancelCall { peer.reply(packet, Self.isOver) }
        return !hasRequests
    }

    private func connection(_ identifier: RequestIdentifier, of peer: Peer) -> (ServiceConnection, other: CallSide)? {
        guard let connection = services.connections[identifier], let other = connection.other(than: peer) else {
            return nil
        }
        return (connection, other)
    }

    // MARK: Providers

    /// Records a host as the provider of a service, until it disconnects.
    func provide(_ packet: Packet, by host: Host) throws(ProtocolError) {
        let message: Provide = try packet.message()
        do throws(ExtensionHostError) {
            try services.provide(message.service, by: host)
            host.peer.reply(packet, Success())
            expect(message, by: host.peer)
        } catch {
            host.peer.reply(packet, error)
        }
    }

    /// Ends the connections of another daemon that no client has opened again after a while. It is real time, as for
    /// all that return to a daemon.
    private func expect(_ message: Provide, by provider: Peer) {
        guard !message.connections.isEmpty else { return }
        let limit = AbsentHosts.patience * 2
        returning[message.service] = context.realClock.schedule(after: limit) { [weak self, weak provider] in
            guard let self, let provider, !provider.isClosed else { return }
            for identifier in message.connections where services.connections[identifier] == nil {
                provider.send(CloseService(connection: identifier))
            }
        }
    }

    // MARK: Connections

    /// Opens a connection of a client with a service.
    ///
    /// - Parameters:
    ///   - record: the client, as the daemon knows it.
    ///   - user: the user whose services the client can reach.
    func open(_ packet: Packet, from client: CallSide, _ record: ServiceClient, user: UInt32) throws(ProtocolError) {
        let message: OpenService = try packet.message()
        open(message, packet, client, record, user)
    }

    private func open(
        _ message: OpenService, _ packet: Packet, _ client: CallSide, _ record: ServiceClient, _ user: UInt32
    ) {
        guard let peer = client.peer, !peer.isClosed else { return }
        let name = ServiceTable.ServiceName(service: message.service, user: user)
        guard let provider = services.host(of: name) else {
            // After a restart of the daemon its clients come back before or after the host that serves them.
            guard context.absentHosts.isEmpty else {
                return services.wait { [weak self] in self?.open(message, packet, client, record, user) }
            }
            let service = message.service.cut(toBytes: 128)
            return peer.reply(
                packet,
                ExtensionHostError(
                    .serviceUnavailable, "nobody serves \(service)",
                    remedy: "Run the host that provides it, and check that it provides \(service) for this user"))
        }
        guard let far = provider.peer, far !== peer, far.version >= .withCalls else {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .serviceUnavailable, "the provider of \(message.service) cannot serve this client",
                    remedy: "A host has no connection with itself; update the host if it is older than this client"))
        }
        let connection = ServiceConnection(message, of: client, record, user: user, by: provider)
        do throws(ExtensionHostError) {
            guard inventory.requests[message.connection] == nil else {
                throw ExtensionHostError(
                    .invalidArgument, "the connection has the identifier of a request",
                    remedy: "Choose a random identifier for each")
            }
            try services.add(connection)
        } catch {
            return peer.reply(packet, error)
        }
        for end in [peer, far] { follow(end) }
        let stamped = OpenService(connection: message.connection, service: message.service, client: record)
        far.request(stamped) { [weak self] answer in
            // The client may be gone, or the connection closed.
            guard let self, services.connections[connection.identifier] === connection else { return }
            switch answer {
            case .success:
                connection.isOpen = true
                context.driver.tell(.serviceOpened(by: record.identifier, pid: record.pid, detail: connection.summary))
                connection.client.peer?.reply(packet, Success())
            case .failure(let error):
                services.remove(connection)
                connection.client.peer?.reply(packet, error.code == .connectionLost ? Self.isGone(connection) : error)
            }
        }
    }

    /// Ends the connections of a peer together with the peer.
    private func follow(_ peer: Peer) {
        // One closure serves all connections of the peer.
        guard services.connections(of: peer).count == 1 else { return }
        peer.atEnd { [weak self, weak peer] in
            guard let self, let peer else { return }
            for connection in services.connections(of: peer) { close(connection, by: peer) }
        }
    }

    /// Ends a connection, and its open calls with it.
    private func close(_ connection: ServiceConnection, by peer: Peer) {
        services.remove(connection)
        for number in context.driver.questions.open(of: connection.identifier) {
            giveUp(number, Self.isGone(connection))
        }
        connection.other(than: peer)?.peer?.send(CloseService(connection: connection.identifier))
        guard connection.isOpen else { return }
        let calls = connection.calls == 1 ? "1 call" : "\(connection.calls) calls"
        context.driver.tell(
            .serviceClosed(
                by: connection.record.identifier, pid: connection.record.pid, detail: "\(connection.summary), \(calls)")
        )
    }

    private static func isGone(_ connection: ServiceConnection) -> ExtensionHostError {
        ExtensionHostError(
            .connectionLost, "the connection with \(connection.service) has ended",
            remedy: "Open it again when the service is there")
    }

    // MARK: Calls

    private func call(
        _ message: Call, _ packet: Packet, over connection: ServiceConnection, from caller: CallSide,
        to callee: CallSide
    ) {
        let isClients = connection.client.peer === caller.peer
        do throws(ExtensionHostError) {
            guard connection.isOpen else {
                throw ExtensionHostError(
                    .invalidArgument, "the provider has not accepted the connection yet",
                    remedy: "Call after the answer to openService")
            }
            connection.calls += 1
            try pass(
                message, packet,
                CallRoute(
                    kind: isClients ? .extensionCall : .hostCall, caller: caller, callee: callee,
                    process: connection.process, request: nil, preset: context.callLimitOfServices))
        } catch {
            caller.peer?.reply(packet, error)
        }
    }

    private func part(
        _ message: CallPart, _ packet: Packet, over connection: ServiceConnection, from callee: CallSide,
        to caller: CallSide
    ) {
        let isClients = connection.client.peer === callee.peer
        guard let peer = caller.peer else { return callee.peer?.reply(packet, Self.isOver) ?? () }
        pass(
            message, packet, of: isClients ? .hostCall : .extensionCall, isClients ? .extensionPart : .hostPart,
            to: caller.party, peer, connection.process, from: callee)
    }
}
