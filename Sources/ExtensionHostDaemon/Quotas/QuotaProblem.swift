// QuotaProblem: the check of a host's quotas, and the error for a quota that is reached.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import LinuxSystem

/// The limits in force, and the error for a limit that is reached, with its remedy.
///
/// `QuotaBook` counts what is used, and finds what is too much.
@HostActor
enum QuotaProblem {
    /// Returns the limits that the settings and the descriptors of the daemon allow.
    static func limits(_ settings: DaemonSettings) -> QuotaBook.Limits {
        let most = DescriptorLimit.most
        return QuotaBook.Limits(
            user: settings.userQuota.within(descriptors: most), process: given(settings).within(descriptors: most / 2),
            host: settings.hostQuota)
    }

    /// Returns the quota of a process. A host that is given more than its process may have it.
    private static func given(_ settings: DaemonSettings) -> Usage { settings.processQuota.orMore(settings.hostQuota) }

    /// Returns the error if `more` exceeds a limit: first the user's limit, then that of the host's process, then the
    /// host's.
    static func of(adding more: Usage, to host: Host, _ context: DaemonContext) -> ExtensionHostError? {
        context.driver.excess(adding: more, toHost: host.name).map {
            error($0.level, $0.words, of: host, context)
        }
    }

    /// Returns the error for a limit that is reached.
    static func error(_ level: QuotaBook.Level, _ words: String, of host: Host, _ context: DaemonContext)
        -> ExtensionHostError
    {
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
        "\(setting) in the configuration"
            + (isCut ? " and the daemon's descriptors (LimitNOFILE= of its unit, ulimit -n)" : "")
    }
}
