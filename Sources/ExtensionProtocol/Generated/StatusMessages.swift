// StatusMessages: the state of the daemon, and orders about extensions.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Asks for the state of the daemon.
///
/// Client → daemon; answered by `daemonStatus`.
public struct Status: RequestMessage {
    public typealias Response = DaemonStatus
    public static let kind = MessageKind.status
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// The state of the daemon.
///
/// Daemon → client.
public struct DaemonStatus: Message, Hashable {
    public static let kind = MessageKind.daemonStatus
    public var version: String
    public var pid: Int
    /// The number of the user that the daemon runs as.
    public var user: Int
    /// The start of the daemon, in microseconds since 1970, on the daemon's clock.
    public var started: Int
    /// The current time on the same clock.
    public var time: Int
    /// The path of the listening socket. Absent if the daemon inherited a socket without a path.
    public var socket: String?
    /// The message bus of the daemon. Absent if it is on no bus.
    public var bus: String?
    public var clock: String
    /// The number of usable extensions.
    public var extensions: Int
    /// The number of disabled bundles.
    public var disabled: Int
    /// The number of processes that run.
    public var processes: Int
    /// The number of open requests.
    public var requests: Int
    /// The number of connected hosts.
    public var hosts: Int
    /// Resident bytes of the daemon alone.
    public var memory: Int?
    /// Peak resident bytes of the daemon alone.
    public var peakMemory: Int?
    /// The layers of confinement in force, as on the bus, or `none`.
    public var sandbox: String
    /// The limits in force, as on the bus, or `none`.
    public var limits: String
    /// The scope of a kill, as on the bus.
    public var treeKill: String
    /// The requested layers of confinement that are not in force, each with its reason.
    public var missing: [String]
    /// The last unexpected exit of a process.
    public var lastDeath: DeathRecord?
    /// The reason of that exit.
    public var detail: ExtensionHostError?
    /// The folder of stored elections and registrations, or the reason why there is none.
    public var state: String?
    /// At most 64 extensions that have failed several times in a row.
    public var breakers: [BreakerRecord]
    /// The folders that the daemon scans for applications, in order.
    public var folders: [String]?
    /// The way in which the daemon detects changes in these folders: `inotify`, `partly` (it polls some folders each
    /// second), `looking` (it polls all), or `starting`.
    public var watching: String?
    /// A description of the parts that survive the daemon. Absent if nothing does.
    public var kept: String?
    /// The lowest protocol version that the daemon speaks.
    public var minimum: ProtocolVersion?
    /// The highest protocol version that the daemon speaks.
    public var maximum: ProtocolVersion?

    public init(
        version: String, pid: Int, user: Int, started: Int, time: Int, socket: String?, bus: String?, clock: String,
        extensions: Int, disabled: Int, processes: Int, requests: Int, hosts: Int, memory: Int?, peakMemory: Int?,
        sandbox: String, limits: String, treeKill: String, lastDeath: DeathRecord?, detail: ExtensionHostError?,
        missing: [String] = [], state: String? = nil, breakers: [BreakerRecord] = [], folders: [String]? = nil,
        watching: String? = nil, kept: String? = nil, minimum: ProtocolVersion? = nil,
        maximum: ProtocolVersion? = nil
    ) {
        self.version = version
        self.pid = pid
        self.user = user
        self.started = started
        self.time = time
        self.socket = socket
        self.bus = bus
        self.clock = clock
        self.extensions = extensions
        self.disabled = disabled
        self.processes = processes
        self.requests = requests
        self.hosts = hosts
        self.memory = memory
        self.peakMemory = peakMemory
        self.sandbox = sandbox
        self.limits = limits
        self.treeKill = treeKill
        self.missing = missing
        self.lastDeath = lastDeath
        self.detail = detail
        self.state = state
        self.breakers = breakers
        self.folders = folders
        self.watching = watching
        self.kept = kept
        self.minimum = minimum
        self.maximum = maximum
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        version = try fields.value(.version)
        pid = try fields.value(.pid)
        user = try fields.value(.user)
        started = try fields.value(.started)
        time = try fields.value(.time)
        socket = try fields.optional(.socket)
        bus = try fields.optional(.bus)
        clock = try fields.value(.clock)
        extensions = try fields.value(.extensions)
        disabled = try fields.value(.disabled)
        processes = try fields.value(.processes)
        requests = try fields.value(.requests)
        hosts = try fields.value(.hosts)
        memory = try fields.optional(.memory)
        peakMemory = try fields.optional(.peakMemory)
        sandbox = try fields.value(.sandbox)
        limits = try fields.value(.limits)
        treeKill = try fields.value(.treeKill)
        missing = try fields.optional(.missing) ?? []
        lastDeath = try fields.optional(.lastDeath)
        detail = try fields.optional(.detail)
        state = try fields.optional(.state)
        breakers = try fields.optional(.breakers) ?? []
        folders = try fields.optional(.folders)
        watching = try fields.optional(.watching)
        kept = try fields.optional(.kept)
        minimum = try fields.optional(.minimum)
        maximum = try fields.optional(.maximum)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.version, version)
        fields.set(.pid, pid)
        fields.set(.user, user)
        fields.set(.started, started)
        fields.set(.time, time)
        fields.set(.socket, socket)
        fields.set(.bus, bus)
        fields.set(.clock, clock)
        fields.set(.extensions, extensions)
        fields.set(.disabled, disabled)
        fields.set(.processes, processes)
        fields.set(.requests, requests)
        fields.set(.hosts, hosts)
        fields.set(.memory, memory)
        fields.set(.peakMemory, peakMemory)
        fields.set(.sandbox, sandbox)
        fields.set(.limits, limits)
        fields.set(.treeKill, treeKill)
        if !missing.isEmpty { fields.set(.missing, missing) }
        fields.set(.lastDeath, lastDeath)
        fields.set(.detail, detail)
        fields.set(.state, state)
        if !breakers.isEmpty { fields.set(.breakers, breakers) }
        fields.set(.folders, folders)
        fields.set(.watching, watching)
        fields.set(.kept, kept)
        fields.set(.minimum, minimum)
        fields.set(.maximum, maximum)
    }
}

/// An extension that the daemon does not launch during a pause, because it has failed several times in a row.
public struct BreakerRecord: Sendable, Hashable, WireStructure {
    public var extensionIdentifier: String
    /// `open`: the daemon refuses requests. `halfOpen`: the daemon tries one launch.
    public var state: String
    /// The number of failures in a row.
    public var failures: Int
    /// Seconds until the next try.
    public var delay: Double

    public init(extensionIdentifier: String, state: String, failures: Int, delay: Double) {
        self.extensionIdentifier = extensionIdentifier
        self.state = state
        self.failures = failures
        self.delay = delay
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        extensionIdentifier = try fields.value(.extension)
        state = try fields.value(.state)
        failures = try fields.value(.failures)
        delay = try fields.value(.delay)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.extension, extensionIdentifier)
        fields.set(.state, state)
        fields.set(.failures, failures)
        fields.set(.delay, delay)
    }
}

/// Resets the breaker of an extension, so that the daemon launches it at once.
///
/// Client → daemon; answered by `success`.
public struct ResetBreaker: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.resetBreaker
    public var extensionIdentifier: String
    public init(extensionIdentifier: String) { self.extensionIdentifier = extensionIdentifier }
    public init(_ fields: Fields) throws(ProtocolError) { extensionIdentifier = try fields.value(.extension) }
    public func encode(into fields: inout FieldWriter) { fields.set(.extension, extensionIdentifier) }
}

/// Ends every process of an extension, or one process, with cause `terminatedByOperator`.
///
/// Client → daemon; answered by `killed` when the processes have exited.
public struct Kill: RequestMessage {
    public typealias Response = Killed
    public static let kind = MessageKind.kill
    public var target: Kill.Target
    public init(_ target: Kill.Target) { self.target = target }
    public init(_ fields: Fields) throws(ProtocolError) { target = try Kill.Target(fields) }
    public func encode(into fields: inout FieldWriter) { target.encode(into: &fields) }
}

extension Kill {
    /// The processes to end.
    public enum Target: Sendable, Hashable, WireStructure {
        /// Ends this process.
        case pid(Int)
        /// Ends every process of this extension.
        case identifier(String)

        public init(_ fields: Fields) throws(ProtocolError) {
            if let pid: Int = try fields.optional(.pid) {
                self = .pid(pid)
            } else {
                self = .identifier(try fields.value(.extension))
            }
        }

        public func encode(into fields: inout FieldWriter) {
            switch self {
            case .pid(let pid): fields.set(.pid, pid)
            case .identifier(let identifier): fields.set(.extension, identifier)
            }
        }
    }
}

/// Lists the processes that have ended.
///
/// Daemon → client.
public struct Killed: Message {
    public static let kind = MessageKind.killed
    /// The pids of the processes.
    public var pids: [Int]
    public init(pids: [Int]) { self.pids = pids }
    public init(_ fields: Fields) throws(ProtocolError) { pids = try fields.value(.processes) }
    public func encode(into fields: inout FieldWriter) { fields.set(.processes, pids) }
}

/// Registers a program or an `.appex` until the end of this connection (section 6.3). Allowed to the daemon's own user.
///
/// Client → daemon; answered by `registered`.
public struct Register: RequestMessage {
    public typealias Response = Registered
    public static let kind = MessageKind.register
    public var path: String
    public init(path: String) { self.path = path }
    public init(_ fields: Fields) throws(ProtocolError) { path = try fields.value(.path) }
    public func encode(into fields: inout FieldWriter) { fields.set(.path, path) }
}

/// Has the identifier of the registration, for which the connection can begin requests.
///
/// Daemon → client.
public struct Registered: Message {
    public static let kind = MessageKind.registered
    public var identifier: String
    public init(identifier: String) { self.identifier = identifier }
    public init(_ fields: Fields) throws(ProtocolError) { identifier = try fields.value(.identifier) }
    public func encode(into fields: inout FieldWriter) { fields.set(.identifier, identifier) }
}
