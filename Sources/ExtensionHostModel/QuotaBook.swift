// QuotaBook: the usage of users, their processes and their hosts, and the check of more against limits; pure.

/// Usage counts until it is removed, even after the host has disconnected.
package struct QuotaBook: Sendable, Hashable {
    /// One connected host, with its process and its user.
    package struct Payer: Sendable, Hashable {
        package let user: UInt32
        package let process: Int32
        /// The number of the host's connection among all those of hosts.
        package let host: Int
    }

    /// The limits in force.
    package struct Limits: Sendable, Hashable {
        /// The limit of all hosts of a user together.
        package var user: Usage
        /// The limit of all hosts of one process together.
        package var process: Usage
        package var host: Usage

        package init(user: Usage, process: Usage, host: Usage) {
            self.user = user
            self.process = process
            self.host = host
        }
    }

    package enum Level: Sendable, Hashable {
        case user, process, host
    }

    private struct Process: Sendable, Hashable {
        let user: UInt32
        let pid: Int32
    }

    private var users: [UInt32: Usage] = [:]
    private var processes: [Process: Usage] = [:]
    private var hosts: [Int: Usage] = [:]

    package init() {}

    /// Whether there is no usage.
    package var isEmpty: Bool { users.isEmpty && processes.isEmpty && hosts.isEmpty }

    package mutating func add(_ usage: Usage, to payer: Payer) {
        Self.add(usage, to: &users[payer.user])
        Self.add(usage, to: &processes[Process(user: payer.user, pid: payer.process)])
        Self.add(usage, to: &hosts[payer.host])
    }

    package mutating func remove(_ usage: Usage, from payer: Payer) { add(Usage() - usage, to: payer) }

    private static func add(_ usage: Usage, to entry: inout Usage?) {
        let sum = (entry ?? Usage()) + usage
        entry = sum == Usage() ? nil : sum
    }

    /// Returns the first limit that more usage would exceed, in words: the user's, then that of the host's process,
    /// then the host's.
    package func excess(adding more: Usage, to payer: Payer, within limits: Limits) -> (level: Level, words: String)? {
        let process = processes[Process(user: payer.user, pid: payer.process)] ?? Usage()
        if let words = ((users[payer.user] ?? Usage()) + more).excess(over: limits.user) { return (.user, words) }
        if let words = (process + more).excess(over: limits.process) { return (.process, words) }
        if let words = ((hosts[payer.host] ?? Usage()) + more).excess(over: limits.host) { return (.host, words) }
        return nil
    }
}
