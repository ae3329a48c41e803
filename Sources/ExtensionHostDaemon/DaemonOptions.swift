// DaemonOptions: everything a daemon is told before it starts.

public import EventLoop
public import ExtensionPoints
public import LinuxSystem
public import Logging

/// How a daemon is set up. Made by `exthostd` from its options and configuration.
public struct DaemonOptions: Sendable {
    public enum ClockKind: String, Sendable, Hashable { case real, virtual }

    public enum BusChoice: Sendable, Hashable {
        case address(BusAddress)
        /// A dbus-daemon of this daemon's own, whose socket lies in `folder`.
        case privateDaemon(folder: String)
    }

    /// Where the daemon listens.
    public enum Listening: Sendable {
        case path(String)
        /// A socket that systemd passed.
        case inherited(SharedDescriptor)
    }

    public var listening: Listening
    public var applications: [String]
    public var bus: BusChoice
    /// Where elections and registrations are kept; nil: in memory only.
    public var stateFolder: String?
    /// Where containers lie, those of groups below `Shared`; nil: nowhere.
    public var containersFolder: String?
    /// Whether an extension whose main queue is blocked is ended, and not only reported.
    public var endsUnresponsive = false
    /// Failures in a row after which an extension is not launched for a while; nil: as often as it is asked for.
    public var breakerLimit: Int?
    /// Whether the time to a suspension begins as soon as the hosts are inactive, and not in the background.
    public var suspendsWhenInactive = false
    /// Over those of the extension points.
    public var timers: [Timers.Name: Duration] = [:]
    /// What the kinds of extensions decide.
    public var points = PointTable()
    public var clock = ClockKind.real
    /// The program `exthost-init`, which encloses extensions; nil where it was not found.
    public var initProgram: String?
    /// The means of tree kill to try first; nil: the best.
    public var treeKill: TreeKill?
    /// How much confinement there has to be.
    public var sandbox = ConfinementDemand.best
    /// What one host may take up, and what all hosts of one user may.
    public var hostQuota = Usage.hostLimit
    public var userQuota = Usage.userLimit
    /// Over those of the profile and of the extension points.
    public var limits = ResourceLimits()
    /// The platform whose figures of memory are taken; nil: of none.
    public var profile: PlatformProfile?
    /// The means of limits to try first; nil: the best.
    public var limitsBy: LimitBackEnd?
    /// Where systemd-coredump keeps cores.
    public var coreDumps = CoreDumps.standardFolder
    /// Connections that one daemon holds.
    public var connections = 4096
    /// Whether only this daemon's own test uses it; a virtual clock and faults are for such daemons.
    public var isEphemeral = false
    public var logger: Logger
    /// What `Version` on the bus and `--version` say.
    public var version: String

    public init(listening: Listening, applications: [String], bus: BusChoice, logger: Logger, version: String) {
        self.listening = listening
        self.applications = applications
        self.bus = bus
        self.logger = logger
        self.version = version
    }
}
