// QuestionRouter+Services: connections with services.

import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

extension QuestionRouter {
    /// Ends a side's connection, or its wait for one.
    func close(_ message: CloseService, from side: CallSide) {
        guard let peer = side.peer else { return }
        for opening in services.takeWaiting(of: peer, message.connection) { peer.reply(opening.packet, Self.isOver) }
        if let connection = link(message.connection, from: side)?.connection { end(connection, by: peer) }
    }

    // MARK: Providers

    /// Records a host as the provider of a service, until it disconnects.
    func provide(_ packet: Packet, by host: Host) throws(ProtocolError) {
        let message: Provide = try packet.message()
        do throws(ExtensionHostError) {
            let name = try services.provide(message.service, by: host)
            host.peer.reply(packet, Success())
            expect(message.connections, name, by: host.peer)
            for opening in services.takeWaiting(for: name) { open(opening, hasWaited: true) }
        } catch {
            host.peer.reply(packet, error)
        }
    }

    /// Takes the connections that a service's program has had with another daemon.
    func provide(_ packet: Packet, by process: ExtensionProcess) throws(ProtocolError) {
        let message: Provide = try packet.message()
        guard message.service == process.bundle.identifier, let peer = process.peer else {
            throw .unexpected(kind: "provide", state: "of another service")
        }
        let name = ServiceTable.ServiceName(
            service: message.service, user: process.identity?.uid ?? context.owner)
        services.provide(name, by: process)
        peer.reply(packet, Success())
        expect(message.connections, name, by: peer)
        for opening in services.takeWaiting(for: name) { open(opening, hasWaited: true) }
    }

    /// Whether a host provides a service to a user now.
    func isOfHost(_ service: String, user: UInt32?) -> Bool {
        services.provider(of: .init(service: service, user: user ?? context.owner))?.host != nil
    }

    /// Whether a process has connections, as client or as provider.
    func hasConnections(_ process: ExtensionProcess) -> Bool { !services.connections(of: process.number).isEmpty }

    /// Ends the connections of another daemon that no client has opened again after a while. It is real time, as for
    /// all that return to a daemon.
    private func expect(_ connections: [RequestIdentifier], _ name: ServiceTable.ServiceName, by provider: Peer) {
        guard !connections.isEmpty, !provider.isClosed else { return }
        let connections = connections.prefix(1024)
        let deadline = context.realClock.schedule(after: AbsentHosts.patience * 2) { [weak self, weak provider] in
            guard let self, let provider, !provider.isClosed else { return }
            services.setReturning(nil, to: provider, of: name)
            // A client may have come back to a host that has taken the service over.
            for identifier in connections where services.connections[identifier]?.provider.peer !== provider {
                provider.send(CloseService(connection: identifier))
            }
        }
        services.setReturning(deadline, to: provider, of: name)
        services.follow(provider) { [weak self] in self?.ended($0) }
    }

    /// Opens the connections of the clients that have waited for hosts of the last daemon.
    func noHostIsAbsent() { for opening in services.takeWaiting() { open(opening, hasWaited: true) } }

    // MARK: Connections

    /// Opens a connection of a client with a service.
    ///
    /// - Parameters:
    ///   - record: the client, as the daemon knows it.
    ///   - user: the user whose services the client can reach.
    func open(
        _ packet: Packet, from client: CallSide, _ record: ServiceClient, user: UInt32, as identity: UserIdentity?
    )
        throws(ProtocolError)
    {
        let message: OpenService = try packet.message()
        let opening = ServiceTable.Opening(
            identifier: message.connection, name: .init(service: message.service, user: user), client: client,
            record: record, identity: identity, packet: packet)
        do throws(ExtensionHostError) {
            guard inventory.requests[message.connection] == nil else {
                throw ExtensionHostError(
                    .invalidArgument, "the connection has the identifier of a request",
                    remedy: "Choose a random identifier for each")
            }
            try services.check(opening)
            open(opening, hasWaited: false)
        } catch {
            client.peer?.reply(packet, error)
        }
    }

    /// - Parameter hasWaited: whether the client has waited for its provider, which may now have many packets.
    private func open(_ opening: ServiceTable.Opening, hasWaited: Bool) {
        guard let peer = opening.client.peer, !peer.isClosed else { return }
        services.follow(peer) { [weak self] in self?.ended($0) }
        if let provider = services.provider(of: opening.name) { return decide(opening, provider, hasWaited) }
        services.wait(opening)
        // After a restart of the daemon its clients come back before or after the host that serves them.
        if context.absentHosts.hosts.values.contains(where: { $0.user == opening.name.user }) { return }
        let isAwaited = { @HostActor [weak self] in
            self?.services.waiting.contains { $0.name == opening.name } ?? false
        }
        programs(opening.name.service, opening.identity, isAwaited) { [weak self] result in
            guard let self else { return }
            for opening in services.takeWaiting(for: opening.name) {
                switch result {
                case .success(let process?):
                    services.provide(opening.name, by: process)
                    decide(opening, CallSide(process), true)
                case .success(nil): opening.client.peer?.reply(opening.packet, Self.nobody(opening.name.service))
                case .failure(let error): opening.client.peer?.reply(opening.packet, error)
                }
            }
        }
    }

    private static func nobody(_ service: String) -> ExtensionHostError {
        let service = service.cut(toBytes: 128)
        return ExtensionHostError(
            .serviceUnavailable, "nobody serves \(service)",
            remedy: "Run the host that provides it, and check that it provides \(service) for this user")
    }

    /// Asks the provider about a client, unless a limit forbids it.
    private func decide(_ opening: ServiceTable.Opening, _ provider: CallSide, _ hasWaited: Bool) {
        guard let peer = opening.client.peer, !peer.isClosed else { return }
        let service = opening.name.service.cut(toBytes: 128)
        do throws(ExtensionHostError) {
            guard let far = provider.peer, far !== peer, far.version >= .withCalls else {
                throw ExtensionHostError(
                    .serviceUnavailable, "the provider of \(service) cannot serve this client",
                    remedy: "A host has no connection with itself; update the host if it is older than this client")
            }
            guard hasWaited || far.queuedPackets < Self.callsAhead else {
                throw ExtensionHostError(
                    .quotaExceeded,
                    "\(Self.callsAhead) packets wait for the provider of \(service), which is the limit",
                    remedy: "Check why it does not read them")
            }
            try services.undecided(opening.client, by: provider)
            ask(far, about: ServiceConnection(opening, by: provider))
        } catch {
            peer.reply(opening.packet, error)
        }
    }

    /// Asks the provider whether it accepts a client.
    private func ask(_ far: Peer, about connection: ServiceConnection) {
        services.add(connection)
        connection.provider.process?.clients += 1
        services.follow(far) { [weak self] in self?.ended($0) }
        let service = connection.name.service
        if let limit = context.callLimitOfServices {
            connection.deadline = context.clock.schedule(after: limit) { [weak self, weak connection] in
                guard let self, let connection else { return }
                let late = ExtensionHostError(
                    .timedOut, "the provider of \(service) has not decided about the client within \(limit)",
                    remedy: "Return sooner from the closure of provide(_:accept:)")
                end(connection, by: nil, late)
            }
        }
        let stamped = OpenService(connection: connection.identifier, service: service, client: connection.record)
        far.request(stamped) { [weak self] answer in
            guard let self else { return }
            services.decided(connection.client, by: connection.provider)
            // An answer that comes after the end of the connection is dropped here: the client has one.
            guard services.connections[connection.identifier] === connection else { return }
            switch answer {
            case .success:
                connection.isOpen = true
                connection.deadline = nil
                context.driver.tell(.serviceOpened(event(of: connection, connection.summary)))
                connection.client.peer?.reply(connection.packet, Success())
            case .failure(let error):
                end(connection, by: far, error.code == .connectionLost ? nil : error)
            }
        }
    }

    /// Ends all that a peer has, because the peer has gone.
    private func ended(_ peer: Peer) {
        _ = services.takeWaiting(of: peer)
        services.endReturning(to: peer)
        for connection in services.connections(of: peer) { end(connection, by: peer) }
    }

    /// Ends a connection, and its open calls with it.
    ///
    /// - Parameters:
    ///   - peer: the side that has closed it or has gone; nil: the daemon ends it.
    ///   - why: the error for a client whom the provider has not accepted.
    private func end(_ connection: ServiceConnection, by peer: Peer?, _ why: ExtensionHostError? = nil) {
        guard services.remove(connection) else { return }
        connection.deadline = nil
        let isGone = ExtensionHostError(
            .connectionLost, "the connection with \(connection.name.service) has ended",
            remedy: "Open it again when the service is there")
        for number in context.driver.questions.open(of: connection.identifier) {
            giveUp(number, isGone)
        }
        let (client, provider) = (connection.client.peer, connection.provider.peer)
        // A provider that has refused the client knows of no connection.
        if let provider, provider !== peer { provider.send(CloseService(connection: connection.identifier)) }
        guard connection.isOpen else {
            client?.reply(connection.packet, why ?? isGone)
            return
        }
        if let client, client !== peer { client.send(CloseService(connection: connection.identifier)) }
        let calls = connection.calls == 1 ? "1 call" : "\(connection.calls) calls"
        context.driver.tell(.serviceClosed(event(of: connection, "\(connection.summary), \(calls)")))
    }

    private func event(of connection: ServiceConnection, _ detail: String) -> ServiceEvent {
        let record = connection.record
        let isHost = record.role == .host
        return ServiceEvent(
            host: isHost ? record.identifier : nil, extensionIdentifier: isHost ? nil : record.identifier,
            pid: record.pid, user: connection.name.user, detail: detail)
    }
}
