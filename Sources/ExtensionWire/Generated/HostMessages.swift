// HostMessages: a request between its host and the daemon (kinds 0x01xx), from its begin to the end of its process.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Begins a request with an extension. A repeated `begin` for the same identifier starts no second request.
///
/// Host → daemon; answered by `begun`. Payload: the items. The daemon reads the types in `attachments` only.
public struct Begin: RequestMessage {
    public typealias Response = Begun
    public static let kind = MessageKind.begin
    /// Chosen by the host.
    public var request: RequestIdentifier
    public var extensionIdentifier: String
    public var attachments: [[[String]]]
    /// Seconds above 0. They replace the `request` timer of the extension point.
    public var timeout: Double?
    /// Whether to skip the activation rule.
    public var force: Bool
    /// Whether to deliver the request only after a debugger is attached. `held` follows when the process waits for it.
    public var waits: Bool
    /// Whether the request was begun with another daemon before (section 2.2).
    public var again: Bool
    /// Whether that daemon had sent `begun`. It applies with `again`.
    public var wasBegun: Bool
    /// Whether the delivery is not reported: `finished` answers this message, and no `begun` does. An error still
    /// answers it at once.
    public var isUnreported: Bool

    public init(
        request: RequestIdentifier, extensionIdentifier: String, attachments: [[[String]]], timeout: Double? = nil,
        force: Bool = false, waits: Bool = false, again: Bool = false, wasBegun: Bool = false,
        isUnreported: Bool = false
    ) {
        self.request = request
        self.extensionIdentifier = extensionIdentifier
        self.attachments = attachments
        self.timeout = timeout
        self.force = force
        self.waits = waits
        self.again = again
        self.wasBegun = wasBegun
        self.isUnreported = isUnreported
    }

    /// An older peer would pass over the keys that it does not know, and do something else.
    public var since: ProtocolVersion {
        if isUnreported { return ProtocolVersion(major: 1, minor: 3) }
        return force || waits ? ProtocolVersion(major: 1, minor: 1) : Self.kind.since
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        extensionIdentifier = try fields.value(.extension)
        attachments = try fields.value(.attachments)
        timeout = try fields.optional(.timeout)
        force = try fields.optional(.force) ?? false
        waits = try fields.optional(.waits) ?? false
        again = try fields.optional(.again) ?? false
        wasBegun = try fields.optional(.delivered) ?? false
        isUnreported = try fields.optional(.unreported) ?? false
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
        if isUnreported { fields.set(.unreported, isUnreported) }
    }
}

/// Confirms that the extension has the request. Without `pid` the request has ended before that, and `finished`
/// follows.
///
/// Daemon → host.
public struct Begun: Message {
    public static let kind = MessageKind.begun
    public var request: RequestIdentifier
    /// The pid of the process. Absent if the request has ended already.
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

/// Ends a request. The cause is `cancelledByHost`, or `cancelledByOperator` from a tool.
///
/// Host, tool → daemon; answered by `success`.
public struct Cancel: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.cancel
    public var request: RequestIdentifier
    public init(request: RequestIdentifier) { self.request = request }
    public init(_ fields: Fields) throws(ProtocolError) { request = try fields.value(.request) }
    public func encode(into fields: inout FieldWriter) { fields.set(.request, request) }
}

/// Changes the host's own state.
///
/// Host → daemon; answered by `success` when every change on the way has been announced.
public struct SetState: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.setState
    public var state: HostStateName
    public init(state: HostStateName) { self.state = state }
    public init(_ fields: Fields) throws(ProtocolError) { state = try fields.value(.state) }
    public func encode(into fields: inout FieldWriter) { fields.set(.state, state) }
}

/// The state of a host application (spec 1.7).
public enum HostStateName: String, Sendable, Hashable, CaseIterable, WireValue {
    case active
    case inactive
    case background
}

/// Ends a request. Each request gets exactly one.
///
/// Daemon → host; followed by `acknowledge`. Payload: the returned items of `completed`; the extension's error of
/// `cancelledByExtension`.
public struct Finished: Message {
    public static let kind = MessageKind.finished
    public var request: RequestIdentifier
    public var outcome: OutcomeKind
    public var cause: Cause
    /// The reason, if the daemon or the system decided.
    public var detail: ExtensionHostError?
    public var pid: Int?
    /// The number of the process among all that the daemon has launched; `exited` has the same number. Absent if no
    /// process served the request.
    public var process: Int?
    public var hostState: HostStateName
    /// The creation time of the request, in nanoseconds on the daemon's clock.
    public var created: Int
    public var timings: Timings
    /// The first 16 refusals of the process while the request was open, each once per process.
    public var refusals: [RefusalRecord]
    /// Whether nobody waits for an `acknowledge` of the outcome. The host then sends none.
    public var isFinal: Bool

    public init(
        request: RequestIdentifier, cause: Cause, detail: ExtensionHostError?, pid: Int?, process: Int?,
        hostState: HostStateName, created: Int, timings: Timings, refusals: [RefusalRecord] = [],
        isFinal: Bool = false
    ) {
        self.request = request
        self.cause = cause
        self.detail = detail
        self.pid = pid
        self.process = process
        self.hostState = hostState
        self.created = created
        self.timings = timings
        self.refusals = refusals
        self.isFinal = isFinal
        outcome = cause.outcome
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
        isFinal = try fields.optional(.final) ?? false
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
        if isFinal { fields.set(.final, isFinal) }
    }
}

/// Seconds from the creation of a request to each step that it reached.
public struct Timings: Sendable, Hashable, WireStructure {
    public var spawn: Double?
    /// The process sent `hello`.
    public var ready: Double?
    /// The extension has the request.
    public var delivered: Double?
    public var finished: Double?
    /// The exit of the process. The host's kit adds it. It never travels.
    public var exited: Double?

    public init(spawn: Double? = nil, ready: Double? = nil, delivered: Double? = nil, finished: Double? = nil) {
        self.spawn = spawn
        self.ready = ready
        self.delivered = delivered
        self.finished = finished
    }

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

/// An access that confinement denied to an extension, with the remedy for its author. Each is reported once per
/// process.
public struct RefusalRecord: Sendable, Hashable, WireStructure {
    /// `namespaces`, `landlock` or `seccomp`.
    public var layer: String
    /// The kind of access: `file`, `network`, `mount` and others ([confinement.md](confinement.md), section 4).
    public var kind: String
    /// The system call, as its man page names it.
    public var call: String
    /// A path, the family and type of a socket, or flags: at most 200 bytes, empty if the call alone is specific.
    public var about: String
    /// The line of the bundle's `Entitlements.plist` that would allow it. Absent if no entitlement does.
    public var allowance: String?
    /// The remedy, for the author.
    public var remedy: String

    public init(_ fields: Fields) throws(ProtocolError) {
        layer = try fields.value(.layer)
        kind = try fields.value(.kind)
        call = try fields.value(.call)
        about = try fields.value(.about)
        allowance = try fields.optional(.allowance)
        remedy = try fields.value(.remedy)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.layer, layer)
        fields.set(.kind, kind)
        fields.set(.call, call)
        fields.set(.about, about)
        fields.set(.allowance, allowance)
        fields.set(.remedy, remedy)
    }
}

/// Reports the exit of a process that served this host, after the last `finished` of its requests, or the exit of the
/// app that this connection follows.
///
/// Daemon → host, tool.
public struct Exited: Message {
    public static let kind = MessageKind.exited
    /// The number from `finished`.
    public var process: Int
    public var exit: ExitRecord
    /// The time of the exit, in nanoseconds on the daemon's clock.
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

/// Forwards the output of an extension to its host, if the host's `hello` asked for that. The daemon drops output that
/// comes faster than the host reads. For an app that the connection follows it drops nothing: the app waits for a slow
/// reader.
///
/// Daemon → host, tool.
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

/// Reports, for a `begin` with `waits`, that the process runs and waits for a debugger.
///
/// Daemon → host.
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
