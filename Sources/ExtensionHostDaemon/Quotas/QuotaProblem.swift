// QuotaProblem: the check of a host's quotas, and its refusal in words.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import LinuxSystem

/// `QuotaBook` counts what is used and says what is too much; this says which limits are in force, and what to do about one that is
/// reached.
@HostActor
enum QuotaProblem {
    /// The limits that the settings and the descriptors of the daemon allow.
    static func limits(_ settings: DaemonSettings) -> QuotaBook.Limits {
        let most = DescriptorLimit.most
        return QuotaBook.Limits(
            user: settings.userQuota.within(descriptors: most), process: given(settings).within(descriptors: most / 2),
            host: settings.hostQuota)
    }

    /// A host that is given more than its process may have it.
    private static func given(_ settings: DaemonSettings) -> Usage { settings.processQuota.orMore(settings.hostQuota) }

    /// Why so much more would be too much: the user's limit first, then that of the host's process, then the host's.
    static func of(adding more: Usage, to host: Host, _ context: DaemonContext) -> ExtensionHostError? {
        context.driver.model.excess(adding: more, toHost: host.name).map { error($0.level, $0.words, of: host, context) }
    }

    /// A limit that is reached, in words.
    static func error(_ level: QuotaBook.Level, _ words: String, of host: Host, _ context: DaemonContext) -> ExtensionHostError {
        let (settings, limits) = (context.settings, limits(context.settings))
        let whose: String
        let remedy: String
        switch level {
        case .user:
            whose = "user \(host.credentials.uid) would have more than \(words), which is the limit of all its hosts"
            remedy = Self.remedy("UserQuota", limits.user != settings.userQuota)
        case .process:
            whose =
                "the hosts of process \(host.credentials.pid) would have more than \(words), which is the limit of one process"
            remedy = Self.remedy("ProcessQuota", limits.process != given(settings))
        case .host:
            whose = "\(host.name) would have more than \(words), which is the limit"
            remedy = Self.remedy("HostQuota", false)
        }
        return ExtensionHostError(.quotaExceeded, whose, remedy: "Wait for some to end, or raise \(remedy)")
    }

    /// - Parameter isCut: whether the daemon has too few descriptors for what is set.
    private static func remedy(_ setting: String, _ isCut: Bool) -> String {
        "\(setting) in the configuration" + (isCut ? " and the daemon's descriptors (LimitNOFILE= of its unit, ulimit -n)" : "")
    }
}
