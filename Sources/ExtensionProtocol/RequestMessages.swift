// RequestMessages: a request's life on the wire, between its host, the daemon and its extension.

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

    public init(
        request: RequestIdentifier, extensionIdentifier: String, attachments: [[[String]]], timeout: Double? = nil,
        force: Bool = false, waits: Bool = false
    ) {
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
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.extension, extensionIdentifier)
        fields.set(.attachments, attachments)
        fields.set(.timeout, timeout)
        if force { fields.set(.force, force) }
        if waits { fields.set(.waits, waits) }
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

    public init(
        request: RequestIdentifier, cause: Cause, detail: ExtensionHostError?, pid: Int?, process: Int?, hostState: HostStateName,
        created: Int, timings: Timings
    ) {
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
    }
}

/// How a process ended.
public struct ExitRecord: Sendable, Hashable, WireStructure {
    /// The exit status, when it exited.
    public var status: Int?
    /// The signal's number, when a signal ended it.
    public var signal: Int?
    public var cause: Cause
    /// Peak resident memory in bytes.
    public var peakMemory: Int?
    /// Whether a completion handler of this process was told that its time was up.
    public var expired: Bool
    /// What its processes were allowed to hold in memory, in bytes; nil without a limit.
    public var memoryLimit: Int?
    /// The limit that ended it.
    public var reached: LimitRecord?
    /// The file that systemd-coredump keeps of it.
    public var coreDump: String?

    public init(
        status: Int?, signal: Int?, cause: Cause, peakMemory: Int?, expired: Bool, memoryLimit: Int? = nil,
        reached: LimitRecord? = nil, coreDump: String? = nil
    ) {
        self.memoryLimit = memoryLimit
        self.reached = reached
        self.coreDump = coreDump
        self.status = status
        self.signal = signal
        self.cause = cause
        self.peakMemory = peakMemory
        self.expired = expired
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        status = try fields.optional(.status)
        signal = try fields.optional(.signal)
        cause = try fields.value(.cause)
        peakMemory = try fields.optional(.peakMemory)
        expired = try fields.value(.expired)
        memoryLimit = try fields.optional(.limit)
        reached = try fields.optional(.reached)
        coreDump = try fields.optional(.coreDump)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.status, status)
        fields.set(.signal, signal)
        fields.set(.cause, cause)
        fields.set(.peakMemory, peakMemory)
        fields.set(.expired, expired)
        fields.set(.limit, memoryLimit)
        fields.set(.reached, reached)
        fields.set(.coreDump, coreDump)
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

/// Daemon → extension: a request, its items in the payload.
public struct Deliver: Message {
    public static let kind = MessageKind.deliver
    public var request: RequestIdentifier
    public var host: String
    public var hostState: HostStateName

    public init(request: RequestIdentifier, host: String, hostState: HostStateName) {
        self.request = request
        self.host = host
        self.hostState = hostState
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        host = try fields.value(.host)
        hostState = try fields.value(.hostState)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.host, host)
        fields.set(.hostState, hostState)
    }
}

/// Daemon → extension: the host of these requests announces something; `sequence` is that of the bus signal.
public struct HostStateChanged: Message {
    public static let kind = MessageKind.hostState
    public var notification: HostNotification
    public var requests: [RequestIdentifier]
    public var sequence: Int

    public init(notification: HostNotification, requests: [RequestIdentifier], sequence: Int) {
        self.notification = notification
        self.requests = requests
        self.sequence = sequence
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        notification = try fields.value(.notification)
        requests = try fields.value(.requests)
        sequence = try fields.value(.sequence)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.notification, notification)
        fields.set(.requests, requests)
        fields.set(.sequence, sequence)
    }
}

/// Daemon → extension: this request has ended without the extension's word; its loads fail.
public struct Cancelled: Message {
    public static let kind = MessageKind.cancelled
    public var request: RequestIdentifier
    public var cause: Cause

    public init(request: RequestIdentifier, cause: Cause) {
        self.request = request
        self.cause = cause
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        cause = try fields.value(.cause)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.cause, cause)
    }
}

/// Daemon → extension: the time for this request's completion handler is up (spec 1.2 step 6).
public struct Expired: Message {
    public static let kind = MessageKind.expired
    public var request: RequestIdentifier
    public init(request: RequestIdentifier) { self.request = request }
    public init(_ fields: Fields) throws(ProtocolError) { request = try fields.value(.request) }
    public func encode(into fields: inout FieldWriter) { fields.set(.request, request) }
}

/// Daemon → extension: end now.
public struct Terminate: Message {
    public static let kind = MessageKind.terminate
    public var cause: Cause
    public init(cause: Cause) { self.cause = cause }
    public init(_ fields: Fields) throws(ProtocolError) { cause = try fields.value(.cause) }
    public func encode(into fields: inout FieldWriter) { fields.set(.cause, cause) }
}

/// Extension → daemon: the request is done; the payload holds the returned items, kept by the sender until `acknowledge`.
public struct Complete: Message {
    public static let kind = MessageKind.complete
    public var request: RequestIdentifier
    /// Whether a completion handler will run; `handlerFinished` follows then.
    public var work: Bool

    public init(request: RequestIdentifier, work: Bool) {
        self.request = request
        self.work = work
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        work = try fields.value(.work)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.work, work)
    }
}

/// Extension → daemon: the request is given up; the payload holds the error, kept by the sender until `acknowledge`.
public struct CancelRequest: Message {
    public static let kind = MessageKind.cancelRequest
    public var request: RequestIdentifier
    public init(request: RequestIdentifier) { self.request = request }
    public init(_ fields: Fields) throws(ProtocolError) { request = try fields.value(.request) }
    public func encode(into fields: inout FieldWriter) { fields.set(.request, request) }
}

/// Extension → daemon: the completion handler of this request has returned.
public struct HandlerFinished: Message {
    public static let kind = MessageKind.handlerFinished
    public var request: RequestIdentifier
    public init(request: RequestIdentifier) { self.request = request }
    public init(_ fields: Fields) throws(ProtocolError) { request = try fields.value(.request) }
    public func encode(into fields: inout FieldWriter) { fields.set(.request, request) }
}

/// Extension → daemon: the author's code used a finished context (spec 1.2 step 9); for the log.
public struct ContextFault: Message {
    public static let kind = MessageKind.contextFault
    public var request: RequestIdentifier
    public var detail: String

    public init(request: RequestIdentifier, detail: String) {
        self.request = request
        self.detail = detail
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        detail = try fields.value(.detail)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.detail, detail)
    }
}

/// Extension → daemon → host: the value behind an attachment, as one of its types.
public struct LoadItem: RequestMessage {
    public typealias Response = ItemLoaded
    public static let kind = MessageKind.loadItem
    public var request: RequestIdentifier
    /// The provider's number in the request's payload.
    public var provider: Int
    public var type: String
    /// The extension's own number for the load, by which `cancelLoad` and `loadProgress` name it; no two open ones share it.
    public var load: Int?
    /// A name of `docs/protocol.md`, section 8; absent for the value as it was registered.
    public var form: String?

    public init(request: RequestIdentifier, provider: Int, type: String, load: Int? = nil, form: String? = nil) {
        self.request = request
        self.provider = provider
        self.type = type
        self.load = load
        self.form = form
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        provider = try fields.value(.provider)
        type = try fields.value(.type)
        load = try fields.optional(.load)
        form = try fields.optional(.form)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.provider, provider)
        fields.set(.type, type)
        fields.set(.load, load)
        fields.set(.form, form)
    }
}

/// Extension → daemon → host: nobody waits for this load any more. The load is answered all the same.
public struct CancelLoad: Message {
    public static let kind = MessageKind.cancelLoad
    public var request: RequestIdentifier
    public var load: Int

    public init(request: RequestIdentifier, load: Int) {
        self.request = request
        self.load = load
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        load = try fields.value(.load)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.load, load)
    }
}

/// Host → daemon → extension: so much of a load is done; never after its answer.
public struct LoadProgress: Message {
    public static let kind = MessageKind.loadProgress
    public var request: RequestIdentifier
    public var load: Int
    /// Units of the host's choice, 0 to `total`.
    public var completed: Int
    public var total: Int

    public init(request: RequestIdentifier, load: Int, completed: Int, total: Int) {
        self.request = request
        self.load = load
        self.completed = completed
        self.total = total
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        load = try fields.value(.load)
        completed = try fields.value(.completed)
        total = try fields.value(.total)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.load, load)
        fields.set(.completed, completed)
        fields.set(.total, total)
    }
}

/// Host → daemon → extension: the value, or the item's own error, in the payload. `error` says that the load itself
/// failed: host gone, request ended, no answer in time.
public struct ItemLoaded: Message {
    public static let kind = MessageKind.itemLoaded
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}
