// PeerCredentials: the process at the other end of a connected socket.

internal import CLinux
internal import Glibc

/// The process at the other end as it was when it connected or listened (`SO_PEERCRED`, unix(7)).
///
/// Both ends of a socket pair name the process that made the pair.
public struct PeerCredentials: Sendable, Hashable {
    public let pid: Int32
    public let uid: UInt32
    public let gid: UInt32
    /// The supplementary groups of the process (`SO_PEERGROUPS`).
    public let groups: [UInt32]

    public init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32]) {
        (self.pid, self.uid, self.gid, self.groups) = (pid, uid, gid, groups)
    }
}

extension Socket {
    /// Attaches the sender's credentials to what arrives here from now on.
    public borrowing func receiveCredentials() throws(SystemError) {
        let code = exthost_pass_credentials(descriptor.raw)
        guard code == 0 else { throw SystemError("setsockopt", code: -code) }
    }

    public borrowing func peerCredentials() throws(SystemError) -> PeerCredentials {
        var peer = exthost_peer()
        let code = exthost_peer_credentials(descriptor.raw, &peer)
        guard code == 0 else { throw SystemError("getsockopt", code: -code) }
        return PeerCredentials(pid: peer.pid, uid: peer.uid, gid: peer.gid, groups: try peerGroups())
    }

    private borrowing func peerGroups() throws(SystemError) -> [UInt32] {
        // NGROUPS_MAX of the kernel is 65536; nearly all users have a handful.
        for room in [32, 65_536] {
            var groups = [gid_t](repeating: 0, count: room)
            let count = exthost_peer_groups(descriptor.raw, &groups, Int32(room))
            if count >= 0 { return Array(groups.prefix(Int(count))) }
            if count != -ERANGE { throw SystemError("getsockopt", code: -count) }
        }
        throw SystemError("getsockopt", code: ERANGE)
    }

    /// Returns a pidfd of that process; `nil` if it is gone.
    ///
    /// Before Linux 6.5 it is opened by number, which another process may have got meanwhile if the peer has ended. On
    /// such a kernel, do not trust a peer for its pidfd alone before the next packet from it.
    public borrowing func peerProcess() throws(SystemError) -> OwnedDescriptor? {
        let pidfd = exthost_peer_pidfd(descriptor.raw)
        if pidfd >= 0 { return OwnedDescriptor(owning: pidfd) }
        switch -pidfd {
        // Reaped processes give one or the other, depending on the kernel's version.
        case ESRCH, EINVAL: return nil
        case ENOPROTOOPT: break
        default: throw SystemError("getsockopt", code: -pidfd)
        }
        let opened = exthost_pidfd_open(try peerCredentials().pid)
        if opened == -ESRCH { return nil }
        guard opened >= 0 else { throw SystemError("pidfd_open", code: -opened) }
        return OwnedDescriptor(owning: opened)
    }
}
