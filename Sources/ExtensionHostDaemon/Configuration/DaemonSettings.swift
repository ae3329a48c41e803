// DaemonSettings: the values of the configuration, as the engine uses them.

public import ExtensionHostModel
public import ExtensionPoints
public import ExtensionProtocol
public import LinuxSystem
public import Logging

/// What an operator may set in files and by options. Those of a running daemon change as a whole (`Engine.adopt`).
public struct DaemonSettings: Sendable {
    /// Over those of the extension points.
    public var timers: [Timers.Name: Duration] = [:]
    /// Over those of the profile and of the extension points.
    public var limits = ResourceLimits()
    /// The platform whose figures of memory are taken; nil: of none.
    public var profile: PlatformProfile?
    /// What one host may take up, what all hosts of one process may, and what all hosts of one user may.
    public var hostQuota = Usage.hostLimit
    public var processQuota = Usage.processLimit
    public var userQuota = Usage.userLimit
    /// How much confinement there has to be. Found out at the start, and the same until the end.
    public var sandbox = ConfinementDemand.best
    /// Failures in a row after which an extension is not launched for a while; nil: as often as it is asked for.
    public var breakerLimit: Int? = 5
    /// Whether an extension whose main queue is blocked is ended, and not only reported; nil: as the profile has it.
    public var endsUnresponsive: Bool?
    /// App groups that apps of several vendors hold, by the operator's word.
    public var sharedGroups: Set<GroupIdentifier> = []
    /// Whether that is so of all.
    public var sharesAllGroups = false
    public var logLevel = Logger.Level.info

    public init() {}

    /// Whether an extension whose main queue is blocked is ended.
    var doesEndUnresponsive: Bool { endsUnresponsive ?? (profile?.endsUnresponsive?.value == true) }

    /// Whether the time to a suspension begins as soon as the hosts are inactive, and not in the background.
    var suspendsWhenInactive: Bool { profile?.suspension?.value == .resignActive }
}
