// StatusMessages: the daemon at a glance, and what an operator does to extensions.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Asks how the daemon does.
///
/// Client → daemon; answered by `daemonStatus`.
public struct Status: RequestMessage {
    public typealias Response = DaemonStatus
    public static let kind = MessageKind.status
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// The daemon at a glance.
///
/// Daemon → client.
public struct DaemonStatus: Message, Hashable {
    public static let kind = MessageKind.daemonStatus
    public var version: String
    public var pid: Int
    /// The number of the user that the daemon runs as.
    public var user: Int
    /// When the daemon was started, in microseconds since 1970, on the daemon's clock.
    public var started: Int
    /// Now, on the same clock.
    public var time: Int
    /// The path of the listening socket. Absent where the daemon was given one without a path.
    public var socket: String?
    /// The bus that the daemon is on. Absent when it is on none.
    public var bus: String?
    public var clock: String
    /// The number of extensions that can be used.
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
    /// The layers of confinement in force, as on the bus; `none` where there is none.
    public var sandbox: String
    /// The limits in force, as on the bus; `none` where there is none.
    public var limits: String
    /// The reach of a kill, as on the bus.
    public var treeKill: String
    /// The layers of confinement that were asked for and are not in force, each with its reason.
    public var missing: [String]
    /// The last end of a process that nobody had wished for.
    public var lastDeath: DeathRecord?
    /// The reason of that end.
    public var detail: ExtensionHostError?
    /// The folder where elections and registrations are stored, or why they are not.
    public var state: String?
    /// At most 64 extensions that have failed again and again.
    public var breakers: [BreakerRecord]
    /// The folders where the daemon looks for applications, in order.
    public var folders: [String]?
    /// The way in which the daemon learns of changes in these folders: `inotify`, `partly` (some folders are polled
    /// each second), `looking` (all are polled), or `starting`.
    public var watching: String?
    /// A description of what survives the daemon. Absent where nothing does.
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

/// An extension that is not launched for a while because it has failed again and again.
public struct BreakerRecord: Sendable, Hashable, WireStructure {
    public var extensionIdentifier: String
    /// `open`: requests are refused; `halfOpen`: one launch is tried.
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

/// Lets an extension be launched at once though it has failed again and again.
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
/// Client → daemon; answered by `killed` once they are gone.
public struct Kill: RequestMessage {
    public typealias Response = Killed
    public static let kind = MessageKind.kill
    public var target: Kill.Target
    public init(_ target: Kill.Target) { self.target = target }
    public init(_ fields: Fields) throws(ProtocolError) { target = try Kill.Target(fields) }
    public func encode(into fields: inout FieldWriter) { target.encode(into: &fields) }
}

extension Kill {
    /// The processes that it ends.
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

/// Names the processes that have ended.
///
/// Daemon → client.
public struct Killed: Message {
    public static let kind = MessageKind.killed
    /// Their pids.
    public var pids: [Int]
    public init(pids: [Int]) { self.pids = pids }
    public init(_ fields: Fields) throws(ProtocolError) { pids = try fields.value(.processes) }
    public func encode(into fields: inout FieldWriter) { fields.set(.processes, pids) }
}

/// Registers a program or an `.appex` for as long as this connection lasts (section 6.3). Allowed to the daemon's own
/// user.
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

/// Names what was registered, as the connection can begin requests for it.
///
/// Daemon → client.
public struct Registered: Message {
    public static let kind = MessageKind.registered
    public var identifier: String
    public init(identifier: String) { self.identifier = identifier }
    public init(_ fields: Fields) throws(ProtocolError) { identifier = try fields.value(.identifier) }
    public func encode(into fields: inout FieldWriter) { fields.set(.identifier, identifier) }
}
