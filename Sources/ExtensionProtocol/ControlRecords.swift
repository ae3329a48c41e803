// ControlRecords: the entries of the lists that hosts and control clients ask for.

/// A running extension or app.
public struct ProcessRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.processes
    public var extensionIdentifier: String
    public var pid: Int
    public var state: String
    public var requests: [RequestIdentifier]
    /// Microseconds since 1970.
    public var started: Int
    /// Resident bytes now; absent when the process is just going.
    public var memory: Int?
    /// The layers that confine it, as `Sandbox` on the bus has them; nil of an older daemon.
    public var sandbox: String?
    /// Whether it is an app and no extension.
    public var isApp: Bool

    /// What `kind` says of an app.
    private static let app = "app"

    public init(
        extensionIdentifier: String, pid: Int, state: String, requests: [RequestIdentifier], started: Int, memory: Int?,
        sandbox: String? = nil, isApp: Bool = false
    ) {
        self.sandbox = sandbox
        self.isApp = isApp
        self.extensionIdentifier = extensionIdentifier
        self.pid = pid
        self.state = state
        self.requests = requests
        self.started = started
        self.memory = memory
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        extensionIdentifier = try fields.value(.extension)
        pid = try fields.value(.pid)
        state = try fields.value(.state)
        requests = try fields.value(.requests)
        started = try fields.value(.started)
        memory = try fields.optional(.memory)
        sandbox = try fields.optional(.sandbox)
        isApp = try fields.optional(.kind) == Self.app
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.extension, extensionIdentifier)
        fields.set(.pid, pid)
        fields.set(.state, state)
        fields.set(.requests, requests)
        fields.set(.started, started)
        fields.set(.memory, memory)
        fields.set(.sandbox, sandbox)
        if isApp { fields.set(.kind, Self.app) }
    }
}

/// A connected host application.
public struct HostRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.hosts
    public var host: String
    public var user: Int
    public var pid: Int
    public var state: HostStateName
    /// The sequence of its last change of state; of its connection when there was none.
    public var sequence: Int
    public var requests: [RequestIdentifier]

    public init(host: String, user: Int, pid: Int, state: HostStateName, sequence: Int, requests: [RequestIdentifier]) {
        self.host = host
        self.user = user
        self.pid = pid
        self.state = state
        self.sequence = sequence
        self.requests = requests
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        host = try fields.value(.host)
        user = try fields.value(.user)
        pid = try fields.value(.pid)
        state = try fields.value(.state)
        sequence = try fields.value(.sequence)
        requests = try fields.value(.requests)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.host, host)
        fields.set(.user, user)
        fields.set(.pid, pid)
        fields.set(.state, state)
        fields.set(.sequence, sequence)
        fields.set(.requests, requests)
    }
}

/// An open request.
public struct RequestRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.requests
    public var request: RequestIdentifier
    public var extensionIdentifier: String
    public var host: String
    public var pid: Int?
    public var state: String
    /// Microseconds since 1970.
    public var began: Int

    public init(request: RequestIdentifier, extensionIdentifier: String, host: String, pid: Int?, state: String, began: Int) {
        self.request = request
        self.extensionIdentifier = extensionIdentifier
        self.host = host
        self.pid = pid
        self.state = state
        self.began = began
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        extensionIdentifier = try fields.value(.extension)
        host = try fields.value(.host)
        pid = try fields.optional(.pid)
        state = try fields.value(.state)
        began = try fields.value(.began)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.extension, extensionIdentifier)
        fields.set(.host, host)
        fields.set(.pid, pid)
        fields.set(.state, state)
        fields.set(.began, began)
    }
}

/// A process that has ended, and why.
public struct DeathRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.exits
    public var extensionIdentifier: String
    public var pid: Int
    public var exit: ExitRecord
    /// Who decided: `extension`, `daemon`, `host`, `operator`, `system`.
    public var decidedBy: String
    /// The requests that were open.
    public var requests: [RequestIdentifier]
    /// Its loads that had not been answered, at most 16.
    public var loads: [LoadRecord]
    /// The end of what it wrote to standard error.
    public var stderrTail: String
    /// In a page: how many bytes of its payload are the end of standard error, in place of `stderrTail`. They follow those of the entry before.
    public var tail: Int?
    /// Microseconds since 1970.
    public var time: Int

    public init(
        extensionIdentifier: String, pid: Int, exit: ExitRecord, decidedBy: String, requests: [RequestIdentifier],
        loads: [LoadRecord] = [], stderrTail: String, tail: Int? = nil, time: Int
    ) {
        self.loads = loads
        self.tail = tail
        self.extensionIdentifier = extensionIdentifier
        self.pid = pid
        self.exit = exit
        self.decidedBy = decidedBy
        self.requests = requests
        self.stderrTail = stderrTail
        self.time = time
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        extensionIdentifier = try fields.value(.extension)
        pid = try fields.value(.pid)
        exit = try fields.value(.exit)
        decidedBy = try fields.value(.decidedBy)
        requests = try fields.value(.requests)
        loads = try fields.optional(.loads) ?? []
        tail = try fields.optional(.tail)
        stderrTail = try fields.optional(.stderrTail) ?? ""
        time = try fields.value(.time)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.extension, extensionIdentifier)
        fields.set(.pid, pid)
        fields.set(.exit, exit)
        fields.set(.decidedBy, decidedBy)
        fields.set(.requests, requests)
        if !loads.isEmpty { fields.set(.loads, loads) }
        fields.set(.tail, tail)
        if tail == nil { fields.set(.stderrTail, stderrTail) }
        fields.set(.time, time)
    }
}
