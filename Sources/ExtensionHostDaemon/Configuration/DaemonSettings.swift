// DaemonSettings: the values of the configuration, as the engine uses them.

public import ExtensionHostModel
public import ExtensionPoints
public import ExtensionProtocol
public import LinuxSystem
public import Logging

/// The settings that an operator can set in files and by options.
///
/// The settings of a running daemon are replaced as a whole (`ExtensionHostDaemon.adopt`).
public struct DaemonSettings: Sendable {
    /// Timers that override those of the extension points.
    public var timers: [Timers.Name: Duration] = [:]
    /// Limits that override those of the profile and of the extension points.
    public var limits = ResourceLimits()
    /// The platform whose memory figures apply; nil: none.
    public var profile: PlatformProfile?
    /// The quotas of one host, of all hosts of one process, and of all hosts of one user.
    public var hostQuota = Usage.hostLimit
    public var processQuota = Usage.processLimit
    public var userQuota = Usage.userLimit
    /// The confinement that the operator demands. The daemon determines it at the start, and it stays the same until
    /// the end.
    public var sandbox = ConfinementDemand.best
    /// The number of failures in a row after which an extension is not launched for a while; nil: no limit.
    public var breakerLimit: Int? = 5
    /// Whether an extension whose main queue is blocked is ended, and not only reported; nil: the profile decides.
    public var endsUnresponsive: Bool?
    /// App groups that the operator lets apps of several vendors hold.
    public var sharedGroups: Set<GroupIdentifier> = []
    /// Whether the operator lets apps of several vendors hold any group.
    public var sharesAllGroups = false
    public var logLevel = Logger.Level.info

    public init() {}

    /// Whether an extension whose main queue is blocked is ended.
    var doesEndUnresponsive: Bool { endsUnresponsive ?? (profile?.endsUnresponsive?.value == true) }

    /// Whether the time to a suspension begins as soon as the hosts are inactive, instead of in the background.
    var suspendsWhenInactive: Bool { profile?.suspension?.value == .resignActive }
}
