// DaemonOptions: the options that a daemon gets before it starts.

public import EventLoop
public import ExtensionPoints
public import ExtensionProtocol
public import ExtensionRegistry
public import LinuxSystem
public import Logging

/// The setup of a daemon. `exthostd` makes it from its options and configuration.
public struct DaemonOptions: Sendable {
    public enum ClockKind: String, Sendable, Hashable { case real, virtual }

    public enum BusChoice: Sendable, Hashable {
        case address(BusAddress)
        /// A dbus-daemon of this daemon's own, whose socket lies in `folder`.
        case privateDaemon(folder: String)
    }

    /// The socket at which the daemon listens.
    public enum Listening: Sendable {
        case path(String)
        /// A socket that systemd passed.
        case inherited(SharedDescriptor)
    }

    public var listening: Listening
    public var applications: [String]
    public var bus: BusChoice
    /// The folder of elections and registrations; nil: they are in memory only.
    public var stateFolder: String?
    /// The folder of containers, with those of groups below `Shared`; nil: there are none.
    public var containersFolder: String?
    /// The configuration at the start.
    public var configuration = DaemonConfiguration()
    /// Reads the configuration again, on any thread; nil where there is nothing to read again.
    public var rereadConfiguration: (@Sendable () -> DaemonConfiguration)?
    /// The table of the extension points.
    public var points = PointTable()
    /// The services whose programs the daemon launches.
    public var services = ServiceDefinitions()
    public var clock = ClockKind.real
    /// The program `exthost-init`, which encloses extensions; nil where it was not found.
    public var initProgram: String?
    /// The means of tree kill to try first; nil: the best one.
    public var treeKill: TreeKill?
    /// The means of limits to try first; nil: the best one.
    public var limitsBy: LimitBackEnd?
    /// The folder in which systemd-coredump stores cores.
    public var coreDumps = CoreDumps.standardFolder
    /// The maximum number of connections to a daemon.
    public var connections = 4096
    /// Whether the daemon serves every user of the system, and runs each user's extensions with that user's rights.
    public var isSystem = false
    /// Whether only this daemon's own test uses it; a virtual clock and faults are for such daemons.
    public var isEphemeral = false
    /// The faults that are ordered from the start; for an ephemeral daemon only.
    public var faults: [FaultOrder] = []
    /// The journal through which the next daemon adopts the running processes; nil: they end with this daemon.
    public var journal: String?
    /// The descriptors of the last daemon that the service manager has stored, by name.
    public var stored = StoredDescriptors()
    /// The socket of that manager, which reports how many descriptors it stores; nil where there is none.
    public var serviceManager: String?
    /// The prefix of the names of stored descriptors. Every other descriptor of the manager is a socket to listen at.
    public static let storedPrefix = "process-"
    public var logger: Logger
    /// Whether the logger's lines go to the journal with fields. Then the output of extensions goes there, too.
    public var logsToJournal = false
    /// The version that `Version` on the bus and `--version` report.
    public var version: String

    public init(listening: Listening, applications: [String], bus: BusChoice, logger: Logger, version: String) {
        self.listening = listening
        self.applications = applications
        self.bus = bus
        self.logger = logger
        self.version = version
    }
}
