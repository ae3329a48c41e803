// ConnectionMessages: the messages of every connection (kinds 0x00xx).
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// The role that a peer claims.
public enum Role: String, Sendable, Hashable, CaseIterable, WireValue {
    case host
    case `extension`
    case control
    case app
    /// A program of the installation that the daemon launches for its service.
    case service
}

/// The credit of a peer: the amount that it may send before the other side has processed it.
public struct Window: Sendable, Hashable, WireStructure {
    /// The number of packets.
    public var packets: Int
    /// Bytes of headers and bodies.
    public var bytes: Int

    public init(packets: Int, bytes: Int) {
        self.packets = packets
        self.bytes = bytes
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        packets = try fields.value(.packets)
        bytes = try fields.value(.bytes)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.packets, packets)
        fields.set(.bytes, bytes)
    }
}

/// Identifies the session to resume, and the last packet that its client received.
public struct Resumption: Sendable, Hashable, WireStructure {
    /// The token of the session's `welcome`.
    public var token: [UInt8]
    /// The serial of the last packet that the client received in that session.
    public var received: UInt32

    public init(token: [UInt8], received: UInt32) {
        self.token = token
        self.received = received
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        token = try fields.value(.token, as: Bytes.self).bytes
        received = try fields.value(.received)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.token, Bytes(token))
        fields.set(.received, received)
    }
}

/// Describes a process to itself, so that a launch needs no XML parser.
public struct Execution: Sendable, Hashable, WireStructure {
    public var identifier: String
    /// The extension point. Empty for an app.
    public var point: String
    /// The class in Swift's spelling, `Module.Class`. Absent for a bare executable.
    public var principalClass: String?
    /// The folder of the bundle. Absent for a bare executable.
    public var bundle: String?
    /// The listening socket, for an extension that lost its connection. Absent if the socket has no path.
    public var socket: String?
    /// The time on the daemon's virtual clock, in nanoseconds. Absent if the daemon uses the system's clock.
    public var time: Int?
    /// Whether the process was launched ahead of a request. The process can prepare for its first request.
    public var prewarms: Bool
    /// The module that has the declarations of the extension point. Absent if the point needs none.
    public var framework: String?
    /// The class in the module that performs calls. Absent: `ExtensionPointSupport`.
    public var support: String?
    /// The call of a host after which the kit completes the request. Absent: the extension completes it.
    public var ends: String?

    public init(
        identifier: String, point: String, principalClass: String?, bundle: String?, socket: String? = nil,
        time: Int? = nil, prewarms: Bool = false, framework: String? = nil, support: String? = nil,
        ends: String? = nil
    ) {
        self.identifier = identifier
        self.point = point
        self.principalClass = principalClass
        self.bundle = bundle
        self.socket = socket
        self.time = time
        self.prewarms = prewarms
        self.framework = framework
        self.support = support
        self.ends = ends
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        identifier = try fields.value(.identifier)
        point = try fields.value(.point)
        principalClass = try fields.optional(.principalClass)
        bundle = try fields.optional(.bundle)
        socket = try fields.optional(.socket)
        time = try fields.optional(.time)
        prewarms = try fields.optional(.prewarm) ?? false
        framework = try fields.optional(.framework)
        support = try fields.optional(.support)
        ends = try fields.optional(.ends)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.identifier, identifier)
        fields.set(.point, point)
        fields.set(.principalClass, principalClass)
        fields.set(.bundle, bundle)
        fields.set(.socket, socket)
        fields.set(.time, time)
        if prewarms { fields.set(.prewarm, prewarms) }
        fields.set(.framework, framework)
        fields.set(.support, support)
        fields.set(.ends, ends)
    }
}

/// Opens a connection, with the client's identity, versions and credit. It is the client's first packet.
///
/// Client → daemon; answered by `welcome`.
public struct Hello: RequestMessage {
    public typealias Response = Welcome
    public static let kind = MessageKind.hello
    /// The lowest version that the client speaks.
    public var minimum: ProtocolVersion
    /// The highest version that the client speaks.
    public var maximum: ProtocolVersion
    /// The role of the client; `app` since 1.1.
    public var role: Role
    /// The name of a host (required), or the program of a tool.
    public var name: String?
    /// The kit and its version, for the log.
    public var sdk: String
    /// The credit that the client grants the daemon.
    public var window: Window
    /// The session to resume, from a client that lost its connection (section 2.1).
    public var resumption: Resumption?
    /// Whether the client can resume its session after its connection is lost. Both sides then store each packet until
    /// the other side has processed it.
    public var resumable: Bool
    /// Whether a host wants `output` packets.
    public var output: Bool

    public init(
        role: Role, name: String? = nil, sdk: String, window: Window = .standard, resumption: Resumption? = nil,
        resumable: Bool = false, output: Bool = false
    ) {
        self.role = role
        self.name = name
        self.sdk = sdk
        self.window = window
        self.resumption = resumption
        self.resumable = resumable
        self.output = output
        minimum = .lowest
        maximum = .current
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        minimum = try fields.value(.minimum)
        maximum = try fields.value(.maximum)
        role = try fields.value(.role)
        name = try fields.optional(.name)
        sdk = try fields.value(.sdk)
        window = try fields.value(.limits)
        resumption = try fields.optional(.resumption)
        resumable = try fields.optional(.resumable) ?? false
        output = try fields.optional(.output) ?? false
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.minimum, minimum)
        fields.set(.maximum, maximum)
        fields.set(.role, role)
        fields.set(.name, name)
        fields.set(.sdk, sdk)
        fields.set(.limits, window)
        fields.set(.resumption, resumption)
        if resumable { fields.set(.resumable, resumable) }
        if output { fields.set(.output, output) }
    }
}

/// Answers a `hello`, and describes an extension or app to itself.
///
/// Daemon → client.
public struct Welcome: Message {
    public static let kind = MessageKind.welcome
    /// The version that both sides speak from now on.
    public var version: ProtocolVersion
    /// The credit that the daemon grants the client.
    public var window: Window
    /// Sixteen random bytes. They name this session in a later `hello`.
    public var token: [UInt8]
    /// The serial of the last packet that the daemon received in the session of the hello's token, which continues.
    /// Absent for a new session: everything that was open in an earlier one has ended.
    public var received: UInt32?
    /// The unique name of a host, as `hosts` and the bus show it.
    public var host: String?
    /// Present for an extension or an app.
    public var execution: Execution?
    /// Whether the session may outlive the daemon (section 2.2). The client then stores the messages that it must
    /// repeat to the next daemon.
    public var survives: Bool
    /// Whether another daemon has adopted the client's session; `received` is absent then. Open requests continue after
    /// the client has listed them (`stillOpen`). The serials of the daemon continue after the hello's `received`.
    public var isRecognized: Bool
    /// The start of this daemon, in microseconds since 1970. Present with `keeps`. A client that reconnects can thus
    /// distinguish another daemon from the same one that has given the session up.
    public var started: Int?

    public init(
        version: ProtocolVersion, window: Window, token: [UInt8], received: UInt32? = nil, host: String? = nil,
        execution: Execution? = nil, survives: Bool = false, isRecognized: Bool = false, started: Int? = nil
    ) {
        self.version = version
        self.window = window
        self.token = token
        self.received = received
        self.host = host
        self.execution = execution
        self.survives = survives
        self.isRecognized = isRecognized
        self.started = started
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        version = try fields.value(.version)
        window = try fields.value(.limits)
        token = try fields.value(.token, as: Bytes.self).bytes
        received = try fields.optional(.received)
        host = try fields.optional(.host)
        execution = try fields.optional(.execution)
        survives = try fields.optional(.keeps) ?? false
        isRecognized = try fields.optional(.kept) ?? false
        started = try fields.optional(.started)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.version, version)
        fields.set(.limits, window)
        fields.set(.token, Bytes(token))
        fields.set(.received, received)
        fields.set(.host, host)
        fields.set(.execution, execution)
        if survives { fields.set(.keeps, survives) }
        if isRecognized { fields.set(.kept, isRecognized) }
        fields.set(.started, started)
    }
}

/// Asks the receiver to answer when it has handled all earlier packets, and no code of an extension's author runs.
///
/// Either side → the other; answered by `fenceReply`.
public struct Fence: RequestMessage {
    public typealias Response = FenceReply
    public static let kind = MessageKind.fence
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Answers a `fence`.
///
/// Either side → the other.
public struct FenceReply: Message {
    public static let kind = MessageKind.fenceReply
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Returns credit for the packets that the receiver has processed. It costs no credit itself.
///
/// Either side → the other.
public struct Credit: Message {
    public static let kind = MessageKind.credit
    public var window: Window
    public init(_ window: Window) { self.window = window }
    public init(_ fields: Fields) throws(ProtocolError) { window = try Window(fields) }
    public func encode(into fields: inout FieldWriter) { window.encode(into: &fields) }
}

/// Confirms that the outcome of the request has arrived. The outcome's sender can delete its stored copy.
///
/// Host → daemon → extension.
public struct Acknowledge: Message {
    public static let kind = MessageKind.acknowledge
    public var request: RequestIdentifier
    public init(request: RequestIdentifier) { self.request = request }
    public init(_ fields: Fields) throws(ProtocolError) { request = try fields.value(.request) }
    public func encode(into fields: inout FieldWriter) { fields.set(.request, request) }
}

/// Ends a session in order. The client cannot resume it. From a service that stops (since 1.1): the session is over,
/// and the client connects again for its next question.
///
/// Client → daemon; since 1.1 daemon → host, tool.
public struct Goodbye: Message {
    public static let kind = MessageKind.goodbye
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Lists for a new daemon the requests that a host or extension still has open (section 2.2). All other requests have
/// ended for it. It is the first packet of a client whose session the new daemon has adopted.
///
/// Host, extension → daemon.
public struct StillOpen: Message {
    public static let kind = MessageKind.stillOpen
    /// A host lists those without an outcome. An extension lists those whose answer, if any, is not acknowledged.
    public var requests: [RequestIdentifier]
    /// An extension lists those among them whose answer it sends again now.
    public var answers: [RequestIdentifier]
    /// An extension lists those whose completion handler runs.
    public var work: [RequestIdentifier]

    public init(requests: [RequestIdentifier], answers: [RequestIdentifier] = [], work: [RequestIdentifier] = []) {
        self.requests = requests
        self.answers = answers
        self.work = work
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        requests = try fields.value(.requests)
        answers = try fields.optional(.answers) ?? []
        work = try fields.optional(.work) ?? []
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.requests, requests)
        if !answers.isEmpty { fields.set(.answers, answers) }
        if !work.isEmpty { fields.set(.work, work) }
    }
}

/// Answers a question that has no other answer.
///
/// Daemon → client; app → daemon.
public struct Success: Message {
    public static let kind = MessageKind.success
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Answers a question that failed. If it answers no question, it is the last packet before the sender closes the
/// connection.
///
/// Either side → the other.
public struct ErrorReply: Message {
    public static let kind = MessageKind.error
    public var error: ExtensionHostError
    public init(_ error: ExtensionHostError) { self.error = error }
    public init(_ fields: Fields) throws(ProtocolError) { error = try ExtensionHostError(fields) }
    public func encode(into fields: inout FieldWriter) { error.encode(into: &fields) }
}
