// HandedRecords: the records of a process, a host and a request for a successor; names and numbers, never contents.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

import ExtensionPoints
import ExtensionProtocol
import LinuxSystem

/// A process that may outlive the daemon.
struct HandedProcess: Sendable, Hashable, WireStructure {
    /// Counts all processes that this daemon and earlier ones have launched.
    var number: Int
    var extensionIdentifier: String
    /// The path of its bundle.
    var path: String
    /// The pid of the init.
    var root: Int
    /// The start of the init, in clock ticks since boot.
    var rootStart: Int
    /// The pid of the program, once it is known.
    var pid: Int?
    /// Whether it has sent `hello`: a process that has not cannot continue with another daemon.
    var isReady: Bool
    /// Whether it was launched ahead and has had no request.
    var isPrewarmed: Bool
    /// The start, in microseconds since 1970.
    var started: Int
    /// The layers of confinement of the process, as text.
    var sandbox: String
    /// The inodes of its reconnect socket, its report, its standard output and error, in this order. They identify its
    /// descriptors in the store. Empty for a process that ends with the daemon.
    var inodes: [Int]
    /// The user and the groups whose rights it has. Nil: those of the daemon's own user.
    var identity: UserIdentity?
    /// The user's consents to the extension at the launch.
    var consents: [String]
    /// The control groups of the process.
    var groups: [HandedGroup]
    /// The limits at its launch, independent of the current settings.
    var limits: ResourceLimits
    /// The limits that it has reached without being killed. Each is reported once across all daemons.
    var reached: [ResourceLimits.Name]

    init(
        number: Int, extensionIdentifier: String, path: String, root: Int, rootStart: Int, started: Int,
        sandbox: String, inodes: [Int]
    ) {
        self.number = number
        self.extensionIdentifier = extensionIdentifier
        self.path = path
        self.root = root
        self.rootStart = rootStart
        self.started = started
        self.sandbox = sandbox
        self.inodes = inodes
        isReady = false
        isPrewarmed = false
        consents = []
        groups = []
        limits = ResourceLimits()
        reached = []
    }

    init(_ fields: Fields) throws(ProtocolError) {
        number = try fields.value(.process)
        extensionIdentifier = try fields.value(.extension)
        path = try fields.value(.path)
        root = try fields.value(.to)
        rootStart = try fields.value(.since)
        pid = try fields.optional(.pid)
        isReady = try fields.optional(.ready) ?? false
        isPrewarmed = try fields.optional(.prewarm) ?? false
        started = try fields.value(.started)
        sandbox = try fields.value(.sandbox)
        inodes = try fields.value(.descriptors)
        identity = try UserIdentity(handed: fields)
        consents = try fields.optional(.consents) ?? []
        groups = try fields.optional(.folders) ?? []
        limits = try ResourceLimits(handed: fields)
        reached = try ResourceLimits.Name.reached(handed: fields)
    }

    func encode(into fields: inout FieldWriter) {
        fields.set(.process, number)
        fields.set(.extension, extensionIdentifier)
        fields.set(.path, path)
        fields.set(.to, root)
        fields.set(.since, rootStart)
        fields.set(.pid, pid)
        if isReady { fields.set(.ready, isReady) }
        if isPrewarmed { fields.set(.prewarm, isPrewarmed) }
        fields.set(.started, started)
        fields.set(.sandbox, sandbox)
        fields.set(.descriptors, inodes)
        identity?.handOver(in: &fields)
        if !consents.isEmpty { fields.set(.consents, consents) }
        if !groups.isEmpty { fields.set(.folders, groups) }
        limits.handOver(in: &fields)
        if !reached.isEmpty { fields.set(.reached, reached.map(\.rawValue)) }
    }
}

/// A control group of a process, and its purpose. A group without limits contains the process tree, or identifies it.
struct HandedGroup: Sendable, Hashable, WireStructure {
    var path: String
    /// The version of the kernel's control groups, 1 or 2.
    var version: Int
    var limitsMemory: Bool
    var limitsTasks: Bool

    init(path: String, version: Int, limitsMemory: Bool = false, limitsTasks: Bool = false) {
        self.path = path
        self.version = version
        self.limitsMemory = limitsMemory
        self.limitsTasks = limitsTasks
    }

    init(_ fields: Fields) throws(ProtocolError) {
        path = try fields.value(.path)
        version = try fields.value(.version)
        limitsMemory = try fields.optional(.memory) ?? false
        limitsTasks = try fields.optional(.count) ?? false
    }

    func encode(into fields: inout FieldWriter) {
        fields.set(.path, path)
        fields.set(.version, version)
        if limitsMemory { fields.set(.memory, limitsMemory) }
        if limitsTasks { fields.set(.count, limitsTasks) }
    }
}

/// A host that may reconnect to the successor.
struct HandedHost: Sendable, Hashable, WireStructure {
    var name: String
    /// The token of its welcome.
    var token: [UInt8]
    var pid: Int
    var user: UInt32
    /// The user and the groups whose rights its extensions have. Nil: those of the daemon's own user.
    var identity: UserIdentity?
    var state: HostStateName

    init(name: String, token: [UInt8], pid: Int, user: UInt32, identity: UserIdentity? = nil, state: HostStateName) {
        self.name = name
        self.token = token
        self.pid = pid
        self.user = user
        self.identity = identity
        self.state = state
    }

    init(_ fields: Fields) throws(ProtocolError) {
        name = try fields.value(.host)
        token = try fields.value(.token, as: Bytes.self).bytes
        pid = try fields.value(.pid)
        user = try fields.value(.user)
        identity = try UserIdentity(handed: fields)
        state = try fields.value(.state)
    }

    func encode(into fields: inout FieldWriter) {
        fields.set(.host, name)
        fields.set(.token, Bytes(token))
        fields.set(.pid, pid)
        if let identity { identity.handOver(in: &fields) } else { fields.set(.user, user) }
        fields.set(.state, state)
    }
}

/// A request that an extension may have, or whose outcome its host may not have.
struct HandedRequest: Sendable, Hashable, WireStructure {
    var request: RequestIdentifier
    /// Counts all requests.
    var number: Int
    var extensionIdentifier: String
    var host: String
    /// The number of the process that has it. Nil for a request that ended before.
    var process: Int?
    /// The start, in microseconds since 1970.
    var began: Int
    /// The timeout of its `begin`, in seconds.
    var timeout: Double?
    /// The cause of its end, unless its extension ended it: the extension stores its answer until the host has it.
    var end: Cause?
    /// The answer to the call under `Ends`, in microseconds since 1970.
    var lastAnswer: Int?

    init(
        request: RequestIdentifier, number: Int, extensionIdentifier: String, host: String, process: Int?,
        began: Int, timeout: Double?, end: Cause? = nil, lastAnswer: Int? = nil
    ) {
        self.request = request
        self.number = number
        self.extensionIdentifier = extensionIdentifier
        self.host = host
        self.process = process
        self.began = began
        self.timeout = timeout
        self.end = end
        self.lastAnswer = lastAnswer
    }

    init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        number = try fields.value(.number)
        extensionIdentifier = try fields.value(.extension)
        host = try fields.value(.host)
        process = try fields.optional(.process)
        began = try fields.value(.began)
        timeout = try fields.optional(.timeout)
        end = try fields.optional(.cause)
        lastAnswer = try fields.optional(.since)
    }

    func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.number, number)
        fields.set(.extension, extensionIdentifier)
        fields.set(.host, host)
        fields.set(.process, process)
        fields.set(.began, began)
        fields.set(.timeout, timeout)
        fields.set(.cause, end)
        fields.set(.since, lastAnswer)
    }
}
