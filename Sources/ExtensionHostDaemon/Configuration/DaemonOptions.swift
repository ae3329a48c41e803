// DaemonOptions: everything a daemon is told before it starts.

public import EventLoop
public import ExtensionPoints
public import ExtensionProtocol
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
    /// What is set at the start.
    public var configuration = DaemonConfiguration()
    /// Reads the configuration once more, on any thread; nil where there is nothing to read again.
    public var rereadConfiguration: (@Sendable () -> DaemonConfiguration)?
    /// What the kinds of extensions decide.
    public var points = PointTable()
    public var clock = ClockKind.real
    /// The program `exthost-init`, which encloses extensions; nil where it was not found.
    public var initProgram: String?
    /// The means of tree kill to try first; nil: the best.
    public var treeKill: TreeKill?
    /// The means of limits to try first; nil: the best.
    public var limitsBy: LimitBackEnd?
    /// Where systemd-coredump keeps cores.
    public var coreDumps = CoreDumps.standardFolder
    /// Connections that one daemon holds.
    public var connections = 4096
    /// Whether it serves every user of the system, each one's extensions with that user's rights.
    public var isSystem = false
    /// Whether only this daemon's own test uses it; a virtual clock and faults are for such daemons.
    public var isEphemeral = false
    /// Those that are ordered from the start; of an ephemeral one only.
    public var faults: [FaultOrder] = []
    /// The journal by which the next daemon goes on with what runs; nil: what runs ends with this one.
    public var journal: String?
    /// What the service manager has kept of the daemon before, by name.
    public var stored = StoredDescriptors()
    /// The socket of that manager, which tells how many descriptors it keeps; nil where there is none.
    public var serviceManager: String?
    /// With what the names of descriptors begin that the manager keeps: every other one is a socket to listen at.
    public static let storedPrefix = "process-"
    public var logger: Logger
    /// Whether the logger's lines go to the journal with fields: then what extensions print goes there, too.
    public var logsToJournal = false
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
