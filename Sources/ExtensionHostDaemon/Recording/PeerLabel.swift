// PeerLabel: who is at the other end of a connection, for those who record what passes over it.

import ExtensionProtocol

struct PeerLabel {
    /// Its number among all connections of this daemon, from 1.
    let connection: Int
    /// Nil until its hello has been read.
    var role: Role?
    /// A host's unique name, an extension's or app's identifier.
    var name: String?
    /// Of an extension the program's, once that has been started.
    var pid: Int?

    init(connection: Int) { self.connection = connection }

    mutating func identify(_ role: Role, _ name: String) {
        (self.role, self.name) = (role, name)
    }
}
