// UserIdentity: a user as the kernel knows one: whose rights a process has.

/// Ids of a user and its groups. Two processes of one user may be in different groups, and are not equal here.
public struct UserIdentity: Sendable, Hashable {
    /// Lines that the map of a namespace's groups may have (user_namespaces(7)).
    public static let groupsLimit = 340

    public let uid: UInt32
    public let gid: UInt32
    /// Supplementary groups, in ascending order, each once, without `gid`.
    public let groups: [UInt32]
    /// Of its account, where one was found; no part of who it is.
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

    /// More than that, and a namespace cannot have them all: then nothing is to be started, as a group can also take rights away.
    public var fitsNamespace: Bool { groups.count < Self.groupsLimit }

    /// For exthost-init: the group, then the others.
    var groupList: String { ([gid] + groups).map(String.init).joined(separator: ",") }

    /// The ids in its own namespace, each as itself.
    var userMap: String { "\(uid) \(uid) 1\n" }
    var groupMap: String { ([gid] + groups).map { "\($0) \($0) 1\n" }.joined() }
}

extension PeerCredentials {
    /// The peer's own rights, as it had them when it connected.
    public func identity(named name: String? = nil) -> UserIdentity {
        UserIdentity(uid: uid, gid: gid, groups: groups, name: name)
    }
}
