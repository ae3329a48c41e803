// KeptRecords: what a successor has to know of a process, a host and a request; names and numbers, never contents.

import ExtensionPoints
import ExtensionProtocol
import LinuxSystem

/// A process that may outlive the daemon.
struct KeptProcess: Sendable, Hashable, WireStructure {
    /// Counts all processes that this daemon and those before it have launched.
    var number: Int
    var extensionIdentifier: String
    /// Of its bundle.
    var path: String
    /// The init's, and when that was started, in clock ticks since boot.
    var root: Int
    var rootStart: Int
    /// The program's, once it is known.
    var pid: Int?
    /// It has said hello: whoever has not cannot go on with another daemon.
    var isReady = false
    /// It was launched ahead, and has had no request.
    var isPrewarmed = false
    /// In microseconds since 1970.
    var started: Int
    /// The layers that confine it, in words.
    var sandbox: String
    /// Whose rights it has; nil: the daemon's own user's.
    var identity: UserIdentity?
    /// What it was launched with, whatever the settings say by now.
    var limits = ResourceLimits()
    /// Those that it has reached and lives on with: each is told once, whichever daemon serves.
    var reached: [ResourceLimits.Name] = []
    /// Its control groups.
    var groups: [KeptGroup] = []
    /// The inodes of its door, its report, its standard output and error, in this order: by them its descriptors in the store are told
    /// apart. Empty for a process that ends with the daemon.
    var inodes: [Int]

    var isKept: Bool { inodes.count == Self.parts }
    static let parts = 4
    /// What it has in the store: those, and its pidfd.
    static let descriptors = parts + 1

    init(
        number: Int, extensionIdentifier: String, path: String, root: Int, rootStart: Int, started: Int, sandbox: String,
        inodes: [Int]
    ) {
        self.number = number
        self.extensionIdentifier = extensionIdentifier
        self.path = path
        self.root = root
        self.rootStart = rootStart
        self.started = started
        self.sandbox = sandbox
        self.inodes = inodes
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
        identity = try UserIdentity(kept: fields)
        groups = try fields.optional(.folders) ?? []
        for text in try fields.optional(.limits, as: [String].self) ?? [] {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let name = ResourceLimits.Name(rawValue: parts[0]), let value = Int(parts[1]),
                name.bounds.contains(value)
            else { throw .wrongType(key: "limits", kind: "record") }
            limits[setting: name] = .limit(value)
        }
        reached = try (fields.optional(.reached, as: [String].self) ?? []).map { (text) throws(ProtocolError) in
            guard let name = ResourceLimits.Name(rawValue: text) else { throw .wrongType(key: "reached", kind: "record") }
            return name
        }
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
        identity?.keep(in: &fields)
        if !groups.isEmpty { fields.set(.folders, groups) }
        let all = ResourceLimits.Name.allCases.compactMap { name in limits[name].map { "\(name.rawValue)=\($0)" } }
        if !all.isEmpty { fields.set(.limits, all) }
        if !reached.isEmpty { fields.set(.reached, reached.map(\.rawValue)) }
    }
}

/// A control group of a process, and what it is for; one without limits holds the process together, or tells it apart.
struct KeptGroup: Sendable, Hashable, WireStructure {
    var path: String
    /// Of the kernel's groups, 1 or 2.
    var version: Int
    var limitsMemory: Bool
    var limitsTasks: Bool

    /// A place that nothing leads out of.
    var canBe: Bool {
        path.hasPrefix("/") && !path.split(separator: "/").contains("..") && (1...2).contains(version)
    }

    init(path: String, version: Int, limitsMemory: Bool, limitsTasks: Bool) {
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
        if limitsMemory { fields.set(.memory, true) }
        if limitsTasks { fields.set(.count, true) }
    }
}

extension UserIdentity {
    /// Of a record; nil of a user's own daemon.
    fileprivate init?(kept fields: Fields) throws(ProtocolError) {
        guard let groups = try fields.optional(.groups, as: [UInt32].self) else { return nil }
        guard let first = groups.first else { throw .wrongType(key: "groups", kind: "record") }
        self.init(uid: try fields.value(.user), gid: first, groups: Array(groups.dropFirst()))
    }

    /// The user, and its groups, that of its files first.
    fileprivate func keep(in fields: inout FieldWriter) {
        fields.set(.user, uid)
        fields.set(.groups, [gid] + groups)
    }
}

/// A host that may come back to the successor.
struct KeptHost: Sendable, Hashable, WireStructure {
    var name: String
    /// Of its welcome.
    var token: [UInt8]
    var pid: Int
    var user: UInt32
    /// Whose rights its extensions have; nil: the daemon's own user's.
    var identity: UserIdentity?
    var state: HostStateName

    init(name: String, token: [UInt8], pid: Int, user: UInt32, identity: UserIdentity? = nil, state: HostStateName) {
        self.identity = identity
        self.name = name
        self.token = token
        self.pid = pid
        self.user = user
        self.state = state
    }

    init(_ fields: Fields) throws(ProtocolError) {
        name = try fields.value(.host)
        token = try fields.value(.token, as: Bytes.self).bytes
        pid = try fields.value(.pid)
        user = try fields.value(.user)
        identity = try UserIdentity(kept: fields)
        state = try fields.value(.state)
    }

    func encode(into fields: inout FieldWriter) {
        fields.set(.host, name)
        fields.set(.token, Bytes(token))
        fields.set(.pid, pid)
        // Its extensions have the rights of the host's own user.
        if let identity { identity.keep(in: &fields) } else { fields.set(.user, user) }
        fields.set(.state, state)
    }
}

/// A request that an extension may have been given, or whose end its host may not have heard of.
struct KeptRequest: Sendable, Hashable, WireStructure {
    var request: RequestIdentifier
    /// Counts all requests.
    var number: Int
    var extensionIdentifier: String
    var host: String
    /// The number of the process that it was given to; nil for one that ended before.
    var process: Int?
    /// In microseconds since 1970.
    var began: Int
    /// In seconds, where its begin said so.
    var timeout: Double?
    /// Why it ended, unless its extension ended it: that one keeps its answer until its host has it.
    var end: Cause?

    init(
        request: RequestIdentifier, number: Int, extensionIdentifier: String, host: String, process: Int?, began: Int,
        timeout: Double?, end: Cause? = nil
    ) {
        self.request = request
        self.number = number
        self.extensionIdentifier = extensionIdentifier
        self.host = host
        self.process = process
        self.began = began
        self.timeout = timeout
        self.end = end
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
    }
}
