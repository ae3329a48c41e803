// KeptRecords: what a successor has to know of a process, a host and a request; names and numbers, never contents.

import ExtensionProtocol

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
    /// In microseconds since 1970.
    var started: Int
    /// The layers that confine it, in words.
    var sandbox: String
    /// The inodes of its door, its report, its standard output and error, in this order: by them its descriptors in the store are told
    /// apart. Empty for a process that ends with the daemon.
    var inodes: [Int]

    var isKept: Bool { inodes.count == Self.parts }
    static let parts = 4

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
        started = try fields.value(.started)
        sandbox = try fields.value(.sandbox)
        inodes = try fields.value(.descriptors)
    }

    func encode(into fields: inout FieldWriter) {
        fields.set(.process, number)
        fields.set(.extension, extensionIdentifier)
        fields.set(.path, path)
        fields.set(.to, root)
        fields.set(.since, rootStart)
        fields.set(.pid, pid)
        if isReady { fields.set(.ready, isReady) }
        fields.set(.started, started)
        fields.set(.sandbox, sandbox)
        fields.set(.descriptors, inodes)
    }
}

/// A host that may come back to the successor.
struct KeptHost: Sendable, Hashable, WireStructure {
    var name: String
    /// Of its welcome.
    var token: [UInt8]
    var pid: Int
    var user: Int
    var state: HostStateName

    init(name: String, token: [UInt8], pid: Int, user: Int, state: HostStateName) {
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
        state = try fields.value(.state)
    }

    func encode(into fields: inout FieldWriter) {
        fields.set(.host, name)
        fields.set(.token, Bytes(token))
        fields.set(.pid, pid)
        fields.set(.user, user)
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
