// UsageBook: the resources of the daemon that each user, and each process of that user, uses.

import EventLoop
import ExtensionHostModel

/// What every user and every process takes up; a host's own part is with its session.
@HostActor
final class UsageBook {
    private struct Process: Hashable {
        let user: UInt32
        let pid: Int32
    }

    private var users: [UInt32: Usage] = [:]
    private var processes: [Process: Usage] = [:]

    func usage(of user: UInt32) -> Usage { users[user] ?? Usage() }

    /// Of all hosts that are this process's.
    func usage(of user: UInt32, process pid: Int32) -> Usage { processes[Process(user: user, pid: pid)] ?? Usage() }

    /// - Parameter pid: the process of that user whose it is; nil: nobody's that is counted.
    func add(_ usage: Usage, to user: UInt32, process pid: Int32? = nil) {
        Self.set(self.usage(of: user) + usage, in: &users, at: user)
        guard let pid else { return }
        Self.set(self.usage(of: user, process: pid) + usage, in: &processes, at: Process(user: user, pid: pid))
    }

    func remove(_ usage: Usage, from user: UInt32, process pid: Int32? = nil) {
        add(Usage() - usage, to: user, process: pid)
    }

    private static func set<Key: Hashable>(_ usage: Usage, in table: inout [Key: Usage], at key: Key) {
        table[key] = usage == Usage() ? nil : usage
    }
}
