// Host: a connected host application: its name, its user, its connection.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import LinuxSystem

/// The host as its requests and processes see it. `HostSession` reads its packets.
@HostActor
final class Host {
    let name: String
    let credentials: PeerCredentials
    /// The rights of the host's extensions; nil: those of the daemon's own user.
    let identity: UserIdentity?
    let peer: Peer
    private let driver: ModelDriver
    /// The sequence of the last change of state, or of the connection.
    var sequence = 0
    /// The requests of the host that are not closed.
    var requests: Set<RequestIdentifier> = []
    private let showsOutput: Bool
    /// The maximum number of output packets on the way to a host; further output is dropped.
    private static let outputAhead = 256

    init(
        name: String, credentials: PeerCredentials, identity: UserIdentity?, peer: Peer, showsOutput: Bool,
        _ driver: ModelDriver
    ) {
        self.name = name
        self.credentials = credentials
        self.identity = identity
        self.peer = peer
        self.showsOutput = showsOutput
        self.driver = driver
    }

    /// The host's state in the model.
    var state: HostStateName { driver.state(ofHost: name) ?? .active }

    /// Sends an extension's output to the host, if the host asked for it.
    func show(_ output: Output) {
        guard showsOutput, peer.queuedPackets < Self.outputAhead else { return }
        peer.send(output)
    }

    var record: HostRecord {
        HostRecord(
            host: name, user: Int(credentials.uid), pid: Int(credentials.pid), state: state, sequence: sequence,
            requests: requests.sorted { $0.description < $1.description })
    }
}
