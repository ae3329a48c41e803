// AccessScope: the part of the daemon that a connection may see and order.

import ExtensionProtocol
import LinuxSystem

/// The items within a connection's reach.
///
/// In a user's daemon these are all items. In the system's daemon they are those of the connection's own user; for root
/// they are all.
struct AccessScope: Sendable, Hashable {
    /// The user whose items are included; nil: all users.
    private let user: UInt32?

    init(of credentials: PeerCredentials, in options: DaemonOptions) {
        user = options.isSystem && credentials.uid != 0 ? credentials.uid : nil
    }

    var isEverything: Bool { user == nil }

    /// Whether items of this user are included; nil: items of no particular user, such as those of an unknown process.
    func includes(_ owner: UInt32?) -> Bool { user == nil || user == owner }
}

extension UserIdentity {
    /// The user for whom a system's daemon probes before any host has come: the kernel's overflow user, who has no
    /// rights anywhere.
    static let nobody = UserIdentity(uid: 65_534, gid: 65_534)
}
