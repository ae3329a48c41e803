// AccessScope: what of the daemon a connection may see and order.

import ExtensionProtocol
import LinuxSystem

/// Of a user's daemon everything; of the system's what belongs to the connection's own user, and to root everything.
struct AccessScope: Sendable, Hashable {
    /// Nil: everybody's.
    private let user: UInt32?

    init(of credentials: PeerCredentials, in options: DaemonOptions) {
        user = options.isSystem && credentials.uid != 0 ? credentials.uid : nil
    }

    var isEverything: Bool { user == nil }

    /// Whether it holds what is this user's; nil: what is nobody's in particular, as a process's that nobody knows.
    func includes(_ owner: UInt32?) -> Bool { user == nil || user == owner }
}

extension UserIdentity {
    /// Whom the probes of a system's daemon act for, before any host has come: the kernel's overflow user, who has no rights anywhere.
    static let nobody = UserIdentity(uid: 65_534, gid: 65_534)
}
