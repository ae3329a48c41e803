// UserIdentity: a user as the kernel knows it, with its groups: the rights of a process.

/// The ids of a user and its groups. Processes of one user in different groups are not equal here.
public struct UserIdentity: Sendable, Hashable {
    /// The most lines of the map of a namespace's groups (user_namespaces(7)).
    public static let groupsLimit = 340

    public let uid: UInt32
    public let gid: UInt32
    /// The supplementary groups, in ascending order, each once, without `gid`.
    public let groups: [UInt32]
    /// The name of its account, if one was found; it does not count for equality.
    public let name: String?

    public init(uid: UInt32, gid: UInt32, groups: [UInt32] = [], name: String? = nil) {
        self.uid = uid
        self.gid = gid
        self.groups = Set(groups).subtracting([gid]).sorted()
        self.name = name
    }

    public static func == (left: UserIdentity, right: UserIdentity) -> Bool {
        left.uid == right.uid && left.gid == right.gid && left.groups == right.groups
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(uid)
        hasher.combine(gid)
        hasher.combine(groups)
    }

    /// Whether a namespace can map all groups. If not, no program may be started, as a group can also take rights away.
    public var fitsNamespace: Bool { groups.count < Self.groupsLimit }

    /// The groups for exthost-init: the primary group, then the others.
    var groupList: String { ([gid] + groups).map(String.init).joined(separator: ",") }

    /// The maps of the ids in its own namespace, each to itself.
    var userMap: String { "\(uid) \(uid) 1\n" }
    var groupMap: String { ([gid] + groups).map { "\($0) \($0) 1\n" }.joined() }
}

extension PeerCredentials {
    /// Returns the peer's own rights, as it had them when it connected.
    public func identity(named name: String? = nil) -> UserIdentity {
        UserIdentity(uid: uid, gid: gid, groups: groups, name: name)
    }
}
