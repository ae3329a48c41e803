// Quota: how much of the daemon one user, and one host of that user, may take up.

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

    /// What of this is over `limit`, in words.
    func excess(over limit: Usage) -> String? {
        if requests > limit.requests { return "\(limit.requests) open requests" }
        if descriptors > limit.descriptors { return "\(limit.descriptors) descriptors that wait for extensions" }
        if bytes > limit.bytes { return "\(limit.bytes) bytes of items that wait for extensions" }
        if processes > limit.processes { return "\(limit.processes) processes" }
        return nil
    }
}

/// What every user takes up, by the user's id; a host's own part is with its session.
@HostActor
final class UsageBook {
    private var users: [UInt32: Usage] = [:]

    func usage(of user: UInt32) -> Usage { users[user] ?? Usage() }

    func add(_ usage: Usage, to user: UInt32) { users[user] = self.usage(of: user) + usage }

    func remove(_ usage: Usage, from user: UInt32) {
        let left = self.usage(of: user) - usage
        users[user] = left == Usage() ? nil : left
    }
}

/// What one request, or one process, takes up: counted until it is released, whatever becomes of its host.
@HostActor
final class Charge {
    private(set) var usage = Usage()
    private let book: UsageBook
    private let user: UInt32
    private weak var host: HostSession?

    init(to host: HostSession, _ book: UsageBook) {
        self.book = book
        self.host = host
        user = host.credentials.uid
    }

    /// Takes up so much in place of what it did before.
    func set(_ new: Usage) {
        book.remove(usage, from: user)
        book.add(new, to: user)
        host?.usage = (host?.usage ?? Usage()) - usage + new
        usage = new
    }

    func release() { set(Usage()) }

    /// Why so much more would be too much: the user's limit first, then the host's.
    static func problem(adding more: Usage, for host: HostSession, _ engine: Engine) -> ExtensionHostError? {
        let (userLimit, hostLimit) = (engine.settings.userQuota, engine.settings.hostQuota)
        if let excess = (engine.usage.usage(of: host.credentials.uid) + more).excess(over: userLimit) {
            return ExtensionHostError(
                .quotaExceeded,
                "user \(host.credentials.uid) would have more than \(excess), which is the limit of all its hosts",
                remedy: "Wait for some to end, or raise UserQuota in the configuration")
        }
        if let excess = (host.usage + more).excess(over: hostLimit) {
            return ExtensionHostError(
                .quotaExceeded, "\(host.name) would have more than \(excess), which is the limit",
                remedy: "Wait for some to end, or raise HostQuota in the configuration")
        }
        return nil
    }
}
