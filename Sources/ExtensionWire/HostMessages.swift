// HostMessages: a request between its host and the daemon (kinds 0x01xx), from begin to the end of its process.

/// Host → daemon. The payload holds the items; the daemon reads only the types in `attachments`.
public struct Begin: RequestMessage {
    public typealias Response = Begun
    public static let kind = MessageKind.begin
    /// Chosen by the host: a begin said again for the same identifier does not begin again.
    public var request: RequestIdentifier
    public var extensionIdentifier: String
    /// The registered types of each attachment, item by item.
    public var attachments: [[[String]]]
    /// The `request` timer of this request in seconds, in place of the extension point's.
    public var timeout: Double?
    /// Passes over the activation rule: the extension gets what it would not be offered.
    public var force: Bool
    /// The extension gets the request once a debugger is attached to it; `held` says when that is waited for.
    public var waits: Bool
    /// Said again to another daemon than before, as the session was kept.
    public var again: Bool
    /// With `again`: the host had been told that the extension has it.
    public var wasBegun: Bool

    public init(
        request: RequestIdentifier, extensionIdentifier: String, attachments: [[[String]]], timeout: Double? = nil,
        force: Bool = false, waits: Bool = false, again: Bool = false, wasBegun: Bool = false
    ) {
        self.again = again
        self.wasBegun = wasBegun
        self.force = force
        self.waits = waits
        self.request = request
        self.extensionIdentifier = extensionIdentifier
        self.attachments = attachments
        self.timeout = timeout
    }

    /// A daemon that knows no rules, or no debuggers, would take what is asked for for nothing said.
    public var since: ProtocolVersion { waits ? .withSupervision : force ? .withRegistry : .lowest }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        extensionIdentifier = try fields.value(.extension)
        attachments = try fields.value(.attachments)
        timeout = try fields.optional(.timeout)
        force = try fields.optional(.force) ?? false
        waits = try fields.optional(.waits) ?? false
        again = try fields.optional(.again) ?? false
        wasBegun = try fields.optional(.delivered) ?? false
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.extension, extensionIdentifier)
        fields.set(.attachments, attachments)
        fields.set(.timeout, timeout)
        if force { fields.set(.force, force) }
        if waits { fields.set(.waits, waits) }
        if again { fields.set(.again, again) }
        if wasBegun { fields.set(.delivered, wasBegun) }
    }
}

/// Daemon → host: the extension has the request, or, without a pid, the request has ended before; `finished` follows.
public struct Begun: Message {
    public static let kind = MessageKind.begun
    public var request: RequestIdentifier
    public var pid: Int?

    public init(request: RequestIdentifier, pid: Int?) {
        self.request = request
        self.pid = pid
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        pid = try fields.optional(.pid)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.pid, pid)
    }
}

/// Daemon → host: the process runs, and the request waits for a debugger to be attached to it.
public struct Held: Message {
    public static let kind = MessageKind.held
    public var request: RequestIdentifier
    public var pid: Int

    public init(request: RequestIdentifier, pid: Int) {
        self.request = request
        self.pid = pid
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        pid = try fields.value(.pid)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.pid, pid)
    }
}

/// Host or control → daemon: end this request. Of a control client the cause is `cancelledByOperator`.
public struct Cancel: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.cancel
    public var request: RequestIdentifier
    public init(request: RequestIdentifier) { self.request = request }
    public init(_ fields: Fields) throws(ProtocolError) { request = try fields.value(.request) }
    public func encode(into fields: inout FieldWriter) { fields.set(.request, request) }
}

/// Daemon → host: the one terminal message of a request. The payload holds the returned items (`completed`) or the
/// extension's error (`cancelledByExtension`). The host answers with `acknowledge`.
public struct Finished: Message {
    public static let kind = MessageKind.finished
    public var request: RequestIdentifier
    public var outcome: OutcomeKind
    public var cause: Cause
    /// Why, in words, when the daemon or the system decided.
    public var detail: ExtensionHostError?
    public var pid: Int?
    /// The number of the process among all that the daemon has launched; `exited` names it again.
    public var process: Int?
    public var hostState: HostStateName
    /// When the request was created, in nanoseconds on the daemon's clock.
    public var created: Int
    public var timings: Timings
    /// What its process was refused while the request was open, each once a process; the first 16.
    public var refusals: [RefusalRecord]

    public init(
        request: RequestIdentifier, cause: Cause, detail: ExtensionHostError?, pid: Int?, process: Int?, hostState: HostStateName,
        created: Int, timings: Timings, refusals: [RefusalRecord] = []
    ) {
        self.refusals = refusals
        self.request = request
        self.outcome = cause.outcome
        self.cause = cause
        self.detail = detail
        self.pid = pid
        self.process = process
        self.hostState = hostState
        self.created = created
        self.timings = timings
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        outcome = try fields.value(.outcome)
        cause = try fields.value(.cause)
        detail = try fields.optional(.detail)
        pid = try fields.optional(.pid)
        process = try fields.optional(.process)
        hostState = try fields.value(.hostState)
        created = try fields.value(.created)
        timings = try fields.value(.timings)
        refusals = try fields.optional(.refusals) ?? []
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.outcome, outcome)
        fields.set(.cause, cause)
        fields.set(.detail, detail)
        fields.set(.pid, pid)
        fields.set(.process, process)
        fields.set(.hostState, hostState)
        fields.set(.created, created)
        fields.set(.timings, timings)
        if !refusals.isEmpty { fields.set(.refusals, refusals) }
    }
}

/// Seconds from the creation of a request to each step that it reached.
public struct Timings: Sendable, Hashable, WireStructure {
    public var spawn: Double?
    public var ready: Double?
    public var delivered: Double?
    public var finished: Double?
    /// Added by the host's kit once the process has ended; never on the wire.
    public var exited: Double?

    public init() {}

    public init(_ fields: Fields) throws(ProtocolError) {
        spawn = try fields.optional(.spawn)
        ready = try fields.optional(.ready)
        delivered = try fields.optional(.delivered)
        finished = try fields.optional(.finished)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.spawn, spawn)
        fields.set(.ready, ready)
        fields.set(.delivered, delivered)
        fields.set(.finished, finished)
    }
}

/// Daemon → host: a process that served this host has ended, after the last `finished` of its requests.
public struct Exited: Message {
    public static let kind = MessageKind.exited
    /// The number that `finished` gave.
    public var process: Int
    public var exit: ExitRecord
    /// When, in nanoseconds on the daemon's clock.
    public var time: Int

    public init(process: Int, exit: ExitRecord, time: Int) {
        self.process = process
        self.exit = exit
        self.time = time
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        process = try fields.value(.process)
        exit = try fields.value(.exit)
        time = try fields.value(.time)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.process, process)
        fields.set(.exit, exit)
        fields.set(.time, time)
    }
}

/// Daemon → host: something that an extension of this host printed, to a host whose hello asked for it.
public struct Output: Message {
    public static let kind = MessageKind.output
    public var extensionIdentifier: String
    public var pid: Int
    /// `stdout` or `stderr`.
    public var stream: String
    public var bytes: [UInt8]

    public init(extensionIdentifier: String, pid: Int, stream: String, bytes: [UInt8]) {
        self.extensionIdentifier = extensionIdentifier
        self.pid = pid
        self.stream = stream
        self.bytes = bytes
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        extensionIdentifier = try fields.value(.extension)
        pid = try fields.value(.pid)
        stream = try fields.value(.stream)
        bytes = try fields.value(.bytes, as: Bytes.self).bytes
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.extension, extensionIdentifier)
        fields.set(.pid, pid)
        fields.set(.stream, stream)
        fields.set(.bytes, Bytes(bytes))
    }
}
