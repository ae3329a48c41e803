// Quota: how much of the daemon one user, one process of that user, and one host of that process may take up.

import EventLoop
import ExtensionProtocol
import LinuxSystem

/// What a host's requests hold in the daemon, or how much they may hold.
public struct Usage: Sendable, Hashable {
    /// Requests that are not closed.
    public var requests: Int
    /// Descriptors of requests that their extension does not have yet, and one for each such request.
    public var descriptors: Int
    /// Bytes of items that wait here for their extension. What lies in memory files is the host's own.
    public var bytes: Int
    /// Processes that were launched for it and live.
    public var processes: Int

    public init(requests: Int = 0, descriptors: Int = 0, bytes: Int = 0, processes: Int = 0) {
        self.requests = requests
        self.descriptors = descriptors
        self.bytes = bytes
        self.processes = processes
    }

    /// Of one host application.
    public static let hostLimit = Usage(requests: 64, descriptors: 256, bytes: 16 << 20, processes: 64)
    /// Of all hosts of one process: a quarter of what its user may take up, so that others of that user find room.
    public static let processLimit = Usage(requests: 1024, descriptors: 1024, bytes: 64 << 20, processes: 256)
    /// Of all hosts of one user.
    public static let userLimit = Usage(requests: 4096, descriptors: 4096, bytes: 256 << 20, processes: 1024)

    static func + (left: Usage, right: Usage) -> Usage {
        Usage(
            requests: left.requests + right.requests, descriptors: left.descriptors + right.descriptors,
            bytes: left.bytes + right.bytes, processes: left.processes + right.processes)
    }

    static func - (left: Usage, right: Usage) -> Usage {
        Usage(
            requests: left.requests - right.requests, descriptors: left.descriptors - right.descriptors,
            bytes: left.bytes - right.bytes, processes: left.processes - right.processes)
    }

    /// Part by part the larger.
    func orMore(_ other: Usage) -> Usage {
        Usage(
            requests: max(requests, other.requests), descriptors: max(descriptors, other.descriptors),
            bytes: max(bytes, other.bytes), processes: max(processes, other.processes))
    }

    /// As much of it as fits into a daemon of so many descriptors. A process takes about seven of them.
    func within(descriptors most: Int) -> Usage {
        var usage = self
        usage.descriptors = min(descriptors, max(16, most / 8))
        usage.processes = min(processes, max(2, most / 16))
        return usage
    }

    /// What of this is over `limit`, in words.
    func excess(over limit: Usage) -> String? {
        if requests > limit.requests { return "\(limit.requests) open requests" }
        if descriptors > limit.descriptors { return "\(limit.descriptors) descriptors that wait for extensions" }
        if bytes > limit.bytes { return "\(limit.bytes) bytes of items that wait for extensions" }
        if processes > limit.processes { return "\(limit.processes) processes" }
        return nil
    }
}

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

/// What one request, or one process, takes up: counted until it is released, whatever becomes of its host.
@HostActor
final class Charge {
    private(set) var usage = Usage()
    private let book: UsageBook
    private let user: UInt32
    private let process: Int32
    private weak var host: HostSession?

    init(to host: HostSession, _ book: UsageBook) {
        self.book = book
        self.host = host
        (user, process) = (host.credentials.uid, host.credentials.pid)
    }

    /// Takes up so much in place of what it did before.
    func set(_ new: Usage) {
        book.remove(usage, from: user, process: process)
        book.add(new, to: user, process: process)
        host?.usage = (host?.usage ?? Usage()) - usage + new
        usage = new
    }

    func release() { set(Usage()) }

    /// Why so much more would be too much: the user's limit first, then that of the host's process, then the host's.
    static func problem(adding more: Usage, for host: HostSession, _ engine: Engine) -> ExtensionHostError? {
        let (user, pid, settings) = (host.credentials.uid, host.credentials.pid, engine.settings)
        let most = DescriptorLimit.most
        let userLimit = settings.userQuota.within(descriptors: most)
        if let excess = (engine.usage.usage(of: user) + more).excess(over: userLimit) {
            return ExtensionHostError(
                .quotaExceeded, "user \(user) would have more than \(excess), which is the limit of all its hosts",
                remedy: "Wait for some to end, or raise \(remedy("UserQuota", settings.userQuota != userLimit))")
        }
        // A host that is given more may have it.
        let given = settings.processQuota.orMore(settings.hostQuota)
        let processLimit = given.within(descriptors: most / 2)
        if let excess = (engine.usage.usage(of: user, process: pid) + more).excess(over: processLimit) {
            return ExtensionHostError(
                .quotaExceeded, "the hosts of process \(pid) would have more than \(excess), which is the limit of one process",
                remedy: "Wait for some to end, or raise \(remedy("ProcessQuota", given != processLimit))")
        }
        if let excess = (host.usage + more).excess(over: settings.hostQuota) {
            return ExtensionHostError(
                .quotaExceeded, "\(host.name) would have more than \(excess), which is the limit",
                remedy: "Wait for some to end, or raise HostQuota in the configuration")
        }
        return nil
    }

    /// - Parameter isCut: whether the daemon has too few descriptors for what is set.
    private static func remedy(_ setting: String, _ isCut: Bool) -> String {
        "\(setting) in the configuration" + (isCut ? " and the daemon's descriptors (LimitNOFILE= of its unit, ulimit -n)" : "")
    }
}
