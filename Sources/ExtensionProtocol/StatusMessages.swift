// StatusMessages: the daemon at a glance, and an operator's end of an extension.

/// How does the daemon do?
public struct Status: RequestMessage {
    public typealias Response = DaemonStatus
    public static let kind = MessageKind.status
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// The daemon at a glance.
public struct DaemonStatus: Message, Hashable {
    public static let kind = MessageKind.daemonStatus
    public var version: String
    public var pid: Int
    /// The uid that the daemon runs as.
    public var user: Int
    /// Microseconds since 1970, on the daemon's clock, as `time` is.
    public var started: Int
    public var time: Int
    /// The path of the listening socket; nil where the daemon was given one without a path.
    public var socket: String?
    /// The bus it is on, in words; nil when it is on none.
    public var bus: String?
    /// `real` or `virtual`.
    public var clock: String
    /// Extensions that can be used, bundles that are disabled, processes, open requests, connected hosts.
    public var extensions: Int
    public var disabled: Int
    public var processes: Int
    public var requests: Int
    public var hosts: Int
    /// Resident bytes of the daemon alone, now and at its peak.
    public var memory: Int?
    public var peakMemory: Int?
    /// The layers of confinement in force, the limits, and how far a kill reaches; `none` where there is nothing.
    public var sandbox: String
    public var limits: String
    public var treeKill: String
    /// The layers that were asked for and are not in force, each with its reason; empty where all are, or none is wanted.
    public var missing: [String]
    /// The last end of a process that nobody had wished for, and why in words.
    public var lastDeath: DeathRecord?
    public var detail: ExtensionHostError?
    /// Where elections and registrations are kept, or why they are not, in words.
    public var state: String?
    /// Extensions that are not launched for a while because they have failed again and again.
    public var breakers: [BreakerRecord]
    /// Where it looks for applications, in order.
    public var folders: [String]?
    /// How it learns that one of these changes: `inotify`, `partly` (not all folders are watched), `looking` (once a second), `starting`.
    public var watching: String?
    /// What outlives it, in words; nil where nothing is to.
    public var kept: String?
    /// The protocol versions that it speaks.
    public var minimum: ProtocolVersion?
    public var maximum: ProtocolVersion?

    public init(
        version: String, pid: Int, user: Int, started: Int, time: Int, socket: String?, bus: String?, clock: String,
        extensions: Int, disabled: Int, processes: Int, requests: Int, hosts: Int, memory: Int?, peakMemory: Int?,
        sandbox: String, limits: String, treeKill: String, lastDeath: DeathRecord?, detail: ExtensionHostError?,
        missing: [String] = [], state: String? = nil, breakers: [BreakerRecord] = [], folders: [String]? = nil,
        watching: String? = nil, kept: String? = nil,
        minimum: ProtocolVersion? = nil, maximum: ProtocolVersion? = nil
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

/// An extension whose breaker is not closed.
public struct BreakerRecord: Sendable, Hashable, WireStructure {
    public var extensionIdentifier: String
    /// `open`: requests are refused; `halfOpen`: one launch is tried.
    public var state: String
    /// How often it has failed in a row.
    public var failures: Int
    /// Seconds until it is tried again.
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

/// Lets an extension be launched again that has failed again and again.
public struct ResetBreaker: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.resetBreaker
    public var extensionIdentifier: String
    public init(extensionIdentifier: String) { self.extensionIdentifier = extensionIdentifier }
    public init(_ fields: Fields) throws(ProtocolError) { extensionIdentifier = try fields.value(.extension) }
    public func encode(into fields: inout FieldWriter) { fields.set(.extension, extensionIdentifier) }
}

/// Ends processes with cause `terminatedByOperator`: every one of an extension, or the one of a pid. Answered once they
/// are gone.
public struct Kill: RequestMessage {
    public typealias Response = Killed
    public static let kind = MessageKind.kill

    public enum Target: Sendable, Hashable {
        case identifier(String)
        case pid(Int)
    }

    public var target: Target

    public init(_ target: Target) { self.target = target }

    public init(_ fields: Fields) throws(ProtocolError) {
        if let pid: Int = try fields.optional(.pid) {
            target = .pid(pid)
        } else {
            target = .identifier(try fields.value(.extension))
        }
    }

    public func encode(into fields: inout FieldWriter) {
        switch target {
        case .identifier(let identifier): fields.set(.extension, identifier)
        case .pid(let pid): fields.set(.pid, pid)
        }
    }
}

/// These processes have ended.
public struct Killed: Message {
    public static let kind = MessageKind.killed
    public var pids: [Int]
    public init(pids: [Int]) { self.pids = pids }
    public init(_ fields: Fields) throws(ProtocolError) { pids = try fields.value(.processes) }
    public func encode(into fields: inout FieldWriter) { fields.set(.processes, pids) }
}

/// Registers a program or an `.appex` for as long as this connection lasts; of the daemon's own user only.
public struct Register: RequestMessage {
    public typealias Response = Registered
    public static let kind = MessageKind.register
    /// Absolute.
    public var path: String
    public init(path: String) { self.path = path }
    public init(_ fields: Fields) throws(ProtocolError) { path = try fields.value(.path) }
    public func encode(into fields: inout FieldWriter) { fields.set(.path, path) }
}

/// The name under which the connection can begin requests for it.
public struct Registered: Message {
    public static let kind = MessageKind.registered
    public var identifier: String
    public init(identifier: String) { self.identifier = identifier }
    public init(_ fields: Fields) throws(ProtocolError) { identifier = try fields.value(.identifier) }
    public func encode(into fields: inout FieldWriter) { fields.set(.identifier, identifier) }
}
