// ServiceTable: the providers of services, and the connections of clients with services.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import LinuxSystem

/// A connection of a client with a service: the two sides between which calls travel outside requests.
@HostActor
final class ServiceConnection {
    let identifier: RequestIdentifier
    let service: String
    let client: CallSide
    let provider: CallSide
    let record: ServiceClient
    let user: UInt32
    /// Whether the provider has accepted the client.
    var isOpen = false
    /// The number of calls so far.
    var calls = 0

    init(
        _ message: OpenService, of client: CallSide, _ record: ServiceClient, user: UInt32, by provider: CallSide
    ) {
        (identifier, service) = (message.connection, message.service)
        (self.client, self.provider, self.record, self.user) = (client, provider, record, user)
    }

    /// Returns the other side than that of a peer; nil if the peer is neither.
    func other(than peer: Peer) -> CallSide? {
        if client.peer === peer { return provider }
        return provider.peer === peer ? client : nil
    }

    /// The process whose suspension or debugger pauses the time limits of calls.
    var process: ExtensionProcess? { client.process ?? provider.process }

    /// The service and its client in words.
    var summary: String { "\(service) by \(record.identifier ?? "a tool")" }
}

/// The hosts that provide services, and the connections with services.
@HostActor
final class ServiceTable {
    /// The name of a service, for one user.
    struct ServiceName: Hashable {
        let service: String
        let user: UInt32
    }

    /// The maximum of connections of one client.
    private static let connectionsLimit = 16
    /// The maximum of services of one host.
    private static let servicesLimit = 16

    private var hosts: [ServiceName: CallSide] = [:]
    private(set) var connections: [RequestIdentifier: ServiceConnection] = [:]
    /// Clients that wait for a host of the last daemon, which may provide their service.
    private var waiting: [@HostActor () -> Void] = []

    nonisolated init() {}

    /// Returns the host that provides a service.
    func host(of name: ServiceName) -> CallSide? { hosts[name].flatMap { $0.peer == nil ? nil : $0 } }

    /// Records a host as the provider of a service.
    ///
    /// - Throws: `invalidArgument` for a name that is none, or that another host provides; `quotaExceeded`.
    func provide(_ service: String, by host: Host) throws(ExtensionHostError) {
        guard Self.isName(service) else {
            throw ExtensionHostError(
                .invalidArgument, "“\(service.cut(toBytes: 64))” is no name of a service",
                remedy: "Use 1 to 128 letters, digits, hyphens and dots")
        }
        let name = ServiceName(service: service, user: host.credentials.uid)
        if let known = self.host(of: name)?.host, known !== host {
            throw ExtensionHostError(
                .invalidArgument, "the host \(known.name) already provides \(service)",
                remedy: "Disconnect that host first, or use a daemon of your own")
        }
        guard hosts.values.count(where: { $0.host === host }) < Self.servicesLimit else {
            throw ExtensionHostError(
                .quotaExceeded, "the host provides \(Self.servicesLimit) services, which is the limit")
        }
        hosts[name] = CallSide(host)
        tryAgain()
    }

    /// Removes the services of a host.
    func removeServices(of host: Host) { hosts = hosts.filter { $0.value.host != nil && $0.value.host !== host } }

    /// Adds a connection.
    ///
    /// - Throws: `invalidArgument` for an identifier that is in use; `quotaExceeded`.
    func add(_ connection: ServiceConnection) throws(ExtensionHostError) {
        guard connections[connection.identifier] == nil else {
            throw ExtensionHostError(
                .invalidArgument, "the connection \(connection.identifier) is open already",
                remedy: "Choose a random identifier for each")
        }
        guard connections.values.count(where: { $0.client.party == connection.client.party }) < Self.connectionsLimit
        else {
            throw ExtensionHostError(
                .quotaExceeded, "the client has \(Self.connectionsLimit) connections with services, which is the limit",
                remedy: "Close one of them")
        }
        connections[connection.identifier] = connection
    }

    func remove(_ connection: ServiceConnection) { connections[connection.identifier] = nil }

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

    /// Calls `body` when a host provides a service, or when no host of the last daemon is awaited any more.
    func wait(_ body: @escaping @HostActor () -> Void) { waiting.append(body) }

    /// Calls those that wait.
    func tryAgain() {
        let due = waiting
        waiting = []
        for body in due { body() }
    }

    private static func isName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
