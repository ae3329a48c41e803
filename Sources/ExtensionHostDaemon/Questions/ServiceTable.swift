// ServiceTable: the providers of services, and the connections of clients with services.

import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// A connection of a client with a service: the two sides between which calls travel outside requests.
@HostActor
final class ServiceConnection {
    let identifier: RequestIdentifier
    let name: ServiceTable.ServiceName
    let client: CallSide
    let provider: CallSide
    let record: ServiceClient
    /// The client's question, which is answered once.
    let packet: Packet
    /// Whether the provider has accepted the client.
    var isOpen = false
    /// The time limit of the provider's decision.
    var deadline: Deadline?
    /// The number of calls so far.
    var calls = 0

    init(_ opening: ServiceTable.Opening, by provider: CallSide) {
        (identifier, name, packet) = (opening.identifier, opening.name, opening.packet)
        (client, record, self.provider) = (opening.client, opening.record, provider)
    }

    /// Returns the other side than that of a peer; nil if the peer is neither.
    func other(than peer: Peer) -> CallSide? {
        if client.peer === peer { return provider }
        return provider.peer === peer ? client : nil
    }

    /// The process whose suspension or debugger pauses the time limits of calls.
    var process: ExtensionProcess? { client.process ?? provider.process }

    /// The service and its client in words.
    var summary: String { "\(name.service) by \(record.identifier ?? "a tool")" }
}

/// The hosts that provide services, and the connections with services.
@HostActor
final class ServiceTable {
    /// The name of a service, for one user.
    struct ServiceName: Hashable {
        let service: String
        let user: UInt32
    }

    /// A client's order to open a connection.
    struct Opening {
        let identifier: RequestIdentifier
        let name: ServiceName
        let client: CallSide
        let record: ServiceClient
        /// The user with whose rights a program serves the client; nil: the daemon's own user.
        let identity: UserIdentity?
        let packet: Packet
    }

    /// A service that a peer has provided with another daemon, too. Another provider may have come first meanwhile.
    private struct Returning: Hashable {
        let name: ServiceName
        let provider: ObjectIdentifier
    }

    /// The maximum of connections of one client, those that wait for their provider included.
    private static let connectionsLimit = 16
    /// The maximum of services of one host.
    private static let servicesLimit = 16
    /// A client and a provider.
    private struct Pair: Hashable {
        let client: QuestionBroker.Party
        let provider: QuestionBroker.Party
    }

    private var providers: [ServiceName: CallSide] = [:]
    /// The times in which clients open the connections of another daemon again.
    private var returning: [Returning: Deadline] = [:]
    private(set) var connections: [RequestIdentifier: ServiceConnection] = [:]
    /// Clients that wait for a host of the last daemon, which may provide their service.
    private(set) var waiting: [Opening] = []
    /// The connections about which a provider has not decided, also those that the client has closed since.
    private var undecided: [Pair: Int] = [:]
    /// The peers whose end is followed.
    private var followed: Set<ObjectIdentifier> = []

    nonisolated init() {}

    // MARK: Providers

    /// Returns the host or the program that provides a service now.
    func provider(of name: ServiceName) -> CallSide? {
        providers[name].flatMap { $0.peer == nil || $0.process?.isEnding == true ? nil : $0 }
    }

    /// Records a program that is ready as the provider of its service. A host has precedence.
    func provide(_ name: ServiceName, by process: ExtensionProcess) {
        if provider(of: name)?.host == nil { providers[name] = CallSide(process) }
    }

    /// Records a host as the provider of a service.
    ///
    /// - Throws: `invalidArgument` for a name that is none, or that another host provides; `quotaExceeded`.
    func provide(_ service: String, by host: Host) throws(ExtensionHostError) -> ServiceName {
        guard (1...128).contains(service.utf8.count), BundleInformation.isIdentifier(service) else {
            throw ExtensionHostError(
                .invalidArgument, "“\(service.cut(toBytes: 64))” is no name of a service",
                remedy: "Use 1 to 128 letters, digits, hyphens and dots, and no dot at the beginning")
        }
        let name = ServiceName(service: service, user: host.credentials.uid)
        let known = provider(of: name)?.host
        if let known, known !== host {
            throw ExtensionHostError(
                .invalidArgument, "the host \(known.name) already provides \(service)",
                remedy: "Disconnect that host first, or use a daemon of your own")
        }
        guard known != nil || providers.values.count(where: { $0.host === host }) < Self.servicesLimit else {
            throw ExtensionHostError(
                .quotaExceeded, "the host provides \(Self.servicesLimit) services, which is the limit")
        }
        providers[name] = CallSide(host)
        return name
    }

    /// Sets the time in which clients return to a provider.
    func setReturning(_ deadline: Deadline?, to provider: Peer, of name: ServiceName) {
        returning[Returning(name: name, provider: ObjectIdentifier(provider))] = deadline
    }

    /// Ends all such times of a provider that has gone.
    func endReturning(to provider: Peer) {
        guard !returning.isEmpty else { return }
        let key = ObjectIdentifier(provider)
        returning = returning.filter { $0.key.provider != key }
    }

    /// Removes the services of a host.
    func removeServices(of host: Host) {
        providers = providers.filter { $0.value.peer != nil && $0.value.host !== host }
    }

    // MARK: Connections

    /// Checks that a client may open one more connection, under this identifier.
    ///
    /// - Throws: `invalidArgument` for an identifier that is in use; `quotaExceeded`.
    func check(_ opening: Opening) throws(ExtensionHostError) {
        let identifier = opening.identifier
        guard connections[identifier] == nil, !waiting.contains(where: { $0.identifier == identifier }) else {
            throw ExtensionHostError(
                .invalidArgument, "the connection \(identifier) is open already",
                remedy: "Choose a random identifier for each")
        }
        let party = opening.client.party
        let count = connections.values.count { $0.client.party == party } + waiting.count { $0.client.party == party }
        guard count < Self.connectionsLimit else {
            throw ExtensionHostError(
                .quotaExceeded, "the client has \(Self.connectionsLimit) connections with services, which is the limit",
                remedy: "Close one of them")
        }
    }

    /// Counts a connection about which the provider is to decide.
    ///
    /// - Throws: `quotaExceeded`.
    func undecided(_ client: CallSide, by provider: CallSide) throws(ExtensionHostError) {
        let pair = Pair(client: client.party, provider: provider.party)
        guard undecided[pair, default: 0] < Self.connectionsLimit else {
            throw ExtensionHostError(
                .quotaExceeded,
                "the provider has not decided about \(Self.connectionsLimit) connections of the client, which is the limit",
                remedy: "Check why it does not answer")
        }
        undecided[pair, default: 0] += 1
    }

    func decided(_ client: CallSide, by provider: CallSide) {
        let pair = Pair(client: client.party, provider: provider.party)
        let left = undecided[pair, default: 1] - 1
        undecided[pair] = left > 0 ? left : nil
    }

    func add(_ connection: ServiceConnection) { connections[connection.identifier] = connection }

    /// - Returns: false if it was removed before.
    func remove(_ connection: ServiceConnection) -> Bool {
        guard connections[connection.identifier] === connection else { return false }
        connections[connection.identifier] = nil
        return true
    }

    /// Returns the connections of a peer, as client or as provider.
    func connections(of peer: Peer) -> [ServiceConnection] {
        connections.values.filter { $0.other(than: peer) != nil }
            .sorted { $0.identifier.description < $1.identifier.description }
    }

    /// Returns the identifiers of a process's connections.
    func connections(of process: Int) -> [RequestIdentifier] {
        connections.values.filter { $0.client.party == .process(process) || $0.provider.party == .process(process) }
            .map(\.identifier)
    }

    /// Calls `body` at the end of a peer, once for each peer.
    func follow(_ peer: Peer, _ body: @escaping @HostActor (Peer) -> Void) {
        let key = ObjectIdentifier(peer)
        guard followed.insert(key).inserted else { return }
        peer.atEnd { [weak self, weak peer] in
            self?.followed.remove(key)
            if let peer { body(peer) }
        }
    }

    // MARK: Clients that wait

    func wait(_ opening: Opening) { waiting.append(opening) }

    /// Removes and returns the clients that wait for a service, or all of them.
    func takeWaiting(for name: ServiceName? = nil) -> [Opening] {
        let due = waiting.filter { name == nil || $0.name == name }
        if name == nil { waiting = [] } else { waiting.removeAll { $0.name == name } }
        return due
    }

    /// Removes and returns the clients of a peer that wait, or the one with an identifier.
    func takeWaiting(of peer: Peer, _ identifier: RequestIdentifier? = nil) -> [Opening] {
        func isMeant(_ opening: Opening) -> Bool {
            opening.client.peer === peer && (identifier == nil || opening.identifier == identifier)
        }
        let due = waiting.filter(isMeant)
        waiting.removeAll(where: isMeant)
        return due
    }
}
