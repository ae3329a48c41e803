// Charge: the share of a quota that one request or process uses, and the check before more is used.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import LinuxSystem

/// The resources that one request or one process uses. They count until `release`, even after the host has
/// disconnected.
@HostActor
final class Charge {
    private(set) var usage = Usage()
    private let book: UsageBook
    private let user: UInt32
    private let process: Int32
    private weak var host: Host?

    init(to host: Host, _ book: UsageBook) {
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
    static func problem(adding more: Usage, for host: Host, _ book: UsageBook, _ settings: DaemonSettings) -> ExtensionHostError?
    {
        let (user, pid) = (host.credentials.uid, host.credentials.pid)
        let most = DescriptorLimit.most
        let userLimit = settings.userQuota.within(descriptors: most)
        if let excess = (book.usage(of: user) + more).excess(over: userLimit) {
            return ExtensionHostError(
                .quotaExceeded, "user \(user) would have more than \(excess), which is the limit of all its hosts",
                remedy: "Wait for some to end, or raise \(remedy("UserQuota", settings.userQuota != userLimit))")
        }
        // A host that is given more may have it.
        let given = settings.processQuota.orMore(settings.hostQuota)
        let processLimit = given.within(descriptors: most / 2)
        if let excess = (book.usage(of: user, process: pid) + more).excess(over: processLimit) {
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
