// PeerLabel: the identity of the other end of a connection, for recordings.

import ExtensionProtocol

struct PeerLabel {
    /// The number of the connection among all those of this daemon, from 1.
    let connection: Int
    /// The peer's role; nil until its hello has been read.
    var role: Role?
    /// A host's unique name, an extension's or app's identifier.
    var name: String?
    /// The pid of the peer; for an extension that of the program, once the program has started.
    var pid: Int?

    init(connection: Int) { self.connection = connection }

    mutating func identify(_ role: Role, _ name: String) {
        (self.role, self.name) = (role, name)
    }
}
