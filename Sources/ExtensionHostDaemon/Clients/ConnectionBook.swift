// ConnectionBook: the numbers of connections in total, of each user and of each process, and their limits.

import EventLoop
import ExtensionProtocol
import LinuxSystem

/// Limits on connections. Idle connections count like others, because each one has a descriptor.
struct ConnectionLimits: Sendable, Hashable {
    let all: Int
    /// The limit of a user other than root; root's tools always find room.
    let ofUser: Int
    let ofProcess: Int
    /// The limit of a process's connections that have not said hello.
    let strangersOfProcess: Int

    /// - Parameters:
    ///   - most: the limit of a daemon with descriptors to spare.
    ///   - descriptors: the descriptors that this process may have; half of them are for other purposes than
    ///     connections.
    init(most: Int, descriptors: Int, isSystem: Bool) {
        all = max(8, min(most, descriptors / 2))
        ofUser = isSystem ? all / 4 : all - all / 16
        ofProcess = max(2, (isSystem ? ofUser : all) / 4)
        strangersOfProcess = max(1, ofProcess / 4)
    }
}

/// All admitted connections, by user and process.
@HostActor
final class ConnectionBook {
    private struct Name: Hashable {
        let user: UInt32
        let process: Int32
    }

    private struct Account {
        let share: TurnShare
        var connections = 0
        var strangers = 0
    }

    let limits: ConnectionLimits
    private let shares: UserShares
    private var accounts: [Name: Account] = [:]
    private var users: [UInt32: Int] = [:]
    private(set) var count = 0
    /// The number of all connections that were ever counted.
    private(set) var total = 0

    init(_ limits: ConnectionLimits, _ shares: UserShares) {
        self.limits = limits
        self.shares = shares
    }

    /// Returns the error why another connection would exceed a limit; the limits of the peer's process come first.
    func problem(of peer: PeerCredentials) -> ExtensionHostError? {
        let account = accounts[Name(user: peer.uid, process: peer.pid)]
        if let account, account.connections >= limits.ofProcess {
            return Self.excess(
                "process \(peer.pid) has \(account.connections) connections", "Close some, or use one for all requests")
        }
        if let account, account.strangers >= limits.strangersOfProcess {
            return Self.excess(
                "process \(peer.pid) has \(account.strangers) connections that have not sent hello",
                "Send hello on each connection before you open the next one")
        }
        if peer.uid != 0, users[peer.uid, default: 0] >= limits.ofUser {
            return Self.excess("user \(peer.uid) has \(limits.ofUser) connections", "Close some")
        }
        return count < limits.all ? nil : Self.excess("the daemon has \(count) connections", "Close some")
    }

    private static func excess(_ fact: String, _ remedy: String) -> ExtensionHostError {
        ExtensionHostError(.quotaExceeded, "\(fact), which is the limit", remedy: remedy)
    }

    /// Counts a connection that has not said hello.
    ///
    /// - Returns: the turns of its process.
    func add(_ peer: PeerCredentials) -> TurnShare {
        let name = Name(user: peer.uid, process: peer.pid)
        var account = accounts[name] ?? Account(share: TurnShare(within: shares.share(of: peer.uid)))
        account.connections += 1
        account.strangers += 1
        accounts[name] = account
        users[peer.uid, default: 0] += 1
        count += 1
        total += 1
        return account.share
    }

    /// Counts the connection as introduced: it is no stranger any more.
    func introduced(_ peer: PeerCredentials) { accounts[Name(user: peer.uid, process: peer.pid)]?.strangers -= 1 }

    func remove(_ peer: PeerCredentials, isStranger: Bool) {
        let name = Name(user: peer.uid, process: peer.pid)
        if isStranger { introduced(peer) }
        count -= 1
        accounts[name]?.connections -= 1
        if accounts[name]?.connections == 0 { accounts[name] = nil }
        users[peer.uid, default: 1] -= 1
        if users[peer.uid] == 0 { users[peer.uid] = nil }
    }
}
