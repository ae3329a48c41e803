// Messages: what travels on every connection, and how messages read and write themselves.

public import PropertyListCoding

/// One message of the protocol: its kind, and the fields of its dictionary.
public protocol Message: Sendable {
    static var kind: MessageKind { get }
    /// The lowest version of the protocol in which this message can be said as it is.
    var since: ProtocolVersion { get }
    init(_ fields: Fields) throws(ProtocolError)
    func encode(into fields: inout FieldWriter)
}

/// A message that is answered by one of `Response`, or by `error`.
public protocol RequestMessage: Message {
    associatedtype Response: Message
}

extension Message {
    public var since: ProtocolVersion { Self.kind.since }

    /// Reads the message out of a packet's dictionary.
    public init(dictionary: PropertyListDictionary) throws(ProtocolError) {
        try self.init(Fields(dictionary, of: .message(Self.kind)))
    }

    public var dictionary: PropertyListDictionary {
        var writer = FieldWriter()
        encode(into: &writer)
        return writer.dictionary
    }
}

/// Who a peer says it is.
public enum Role: String, Sendable, Hashable, WireValue {
    case host, `extension`, control, app
}

/// How much a peer may send before the other side has read it: packets, and bytes of header and body.
public struct Window: Sendable, Hashable, WireStructure {
    public var packets: Int
    public var bytes: Int

    public init(packets: Int, bytes: Int) {
        self.packets = packets
        self.bytes = bytes
    }

    public static let standard = Window(packets: 64, bytes: 512 * 1024)
    /// A window below this could not hold one packet.
    public static let smallest = Window(packets: 2, bytes: 2 * (PacketHeader.size + PacketLimits.body))

    public init(_ fields: Fields) throws(ProtocolError) {
        packets = try fields.value(.packets)
        bytes = try fields.value(.bytes)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.packets, packets)
        fields.set(.bytes, bytes)
    }
}

/// The first packet of a client: who it is, what it speaks, how much it will take.
public struct Hello: RequestMessage {
    public typealias Response = Welcome
    public static let kind = MessageKind.hello
    public var minimum: ProtocolVersion
    public var maximum: ProtocolVersion
    public var role: Role
    /// A host's name; a control client's program.
    public var name: String?
    /// The kit and its version, for the log.
    public var sdk: String
    /// What the client grants the daemon.
    public var window: Window
    /// The session that goes on, of a client that lost its connection.
    public var resumption: Resumption?
    /// Whether the client may come back when its connection is lost: both sides then keep what the other has not dealt with.
    public var resumable: Bool
    /// A host that wants what its extensions print, as `output` packets.
    public var output: Bool

    public init(
        role: Role, name: String? = nil, sdk: String, window: Window = .standard, resumption: Resumption? = nil,
        resumable: Bool = false, output: Bool = false
    ) {
        minimum = .lowest
        maximum = .current
        self.role = role
        self.name = name
        self.sdk = sdk
        self.window = window
        self.resumption = resumption
        self.resumable = resumable
        self.output = output
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

/// Which session goes on, and how far its client had come.
public struct Resumption: Sendable, Hashable, WireStructure {
    /// Of the session's welcome.
    public var token: [UInt8]
    /// The serial of the last packet that the client received in it.
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

/// The daemon's answer to a hello; what an extension needs to start is in `execution`.
public struct Welcome: Message {
    public static let kind = MessageKind.welcome
    public var version: ProtocolVersion
    public var window: Window
    /// Sixteen random bytes that name this session in a later hello.
    public var token: [UInt8]
    /// The session that the hello's token named goes on, and this is the serial of the last packet that the daemon received in
    /// it. Nil for a new session: what was open in an earlier one has ended.
    public var received: UInt32?
    /// A host's unique name, as `hosts` and the bus show it.
    public var host: String?
    public var execution: Execution?
    /// Whether the session outlives the daemon: what the client needs to say again to the next one it has to keep.
    public var keeps: Bool
    /// With a new session: the daemon is another one and has kept the client's. What was open goes on, once the client has said what that is
    /// (`stillOpen`); both sides go on numbering what the daemon sends after the hello's `received`.
    public var isKept: Bool
    /// Of a session that may outlive the daemon: when this one was started, in microseconds since 1970. A client that comes back finds by it
    /// whether another daemon has followed, or the same one has given it up.
    public var started: Int?

    public init(
        version: ProtocolVersion, window: Window, token: [UInt8], received: UInt32? = nil, host: String? = nil,
        execution: Execution? = nil, keeps: Bool = false, isKept: Bool = false, started: Int? = nil
    ) {
        self.version = version
        self.window = window
        self.token = token
        self.received = received
        self.host = host
        self.execution = execution
        self.keeps = keeps
        self.isKept = isKept
        self.started = started
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        version = try fields.value(.version)
        window = try fields.value(.limits)
        token = try fields.value(.token, as: Bytes.self).bytes
        received = try fields.optional(.received)
        host = try fields.optional(.host)
        execution = try fields.optional(.execution)
        keeps = try fields.optional(.keeps) ?? false
        isKept = try fields.optional(.kept) ?? false
        started = try fields.optional(.started)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.version, version)
        fields.set(.limits, window)
        fields.set(.token, Bytes(token))
        fields.set(.received, received)
        fields.set(.host, host)
        fields.set(.execution, execution)
        if keeps { fields.set(.keeps, keeps) }
        if isKept { fields.set(.kept, isKept) }
        fields.set(.started, started)
    }
}

/// What a process is told of itself, so that a launch needs no XML parser.
public struct Execution: Sendable, Hashable, WireStructure {
    public var identifier: String
    public var point: String
    /// Swift spelling, `Module.Class`; absent for a bare executable.
    public var principalClass: String?
    /// The bundle's folder; absent for a bare executable.
    public var bundle: String?
    /// Where the daemon listens: for an extension that lost its connection. Absent when that has no path.
    public var socket: String?
    /// What the daemon's clock shows, in nanoseconds, where it is virtual; absent where it is the system's.
    public var time: Int?
    /// Whether it was launched ahead of a request and waits for its first: what that will need is made now.
    public var prewarms: Bool

    public init(
        identifier: String, point: String, principalClass: String?, bundle: String?, socket: String? = nil, time: Int? = nil,
        prewarms: Bool = false
    ) {
        self.identifier = identifier
        self.point = point
        self.principalClass = principalClass
        self.bundle = bundle
        self.socket = socket
        self.time = time
        self.prewarms = prewarms
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        identifier = try fields.value(.identifier)
        point = try fields.value(.point)
        principalClass = try fields.optional(.principalClass)
        bundle = try fields.optional(.bundle)
        socket = try fields.optional(.socket)
        time = try fields.optional(.time)
        prewarms = try fields.optional(.prewarm) ?? false
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.identifier, identifier)
        fields.set(.point, point)
        fields.set(.principalClass, principalClass)
        fields.set(.bundle, bundle)
        fields.set(.socket, socket)
        fields.set(.time, time)
        if prewarms { fields.set(.prewarm, prewarms) }
    }
}

/// Asks the receiver to answer when everything sent before has been handled and, in an extension, its handlers rest.
public struct Fence: RequestMessage {
    public typealias Response = FenceReply
    public static let kind = MessageKind.fence
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

public struct FenceReply: Message {
    public static let kind = MessageKind.fenceReply
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Gives back what the receiver has read. Takes no credit itself.
public struct Credit: Message {
    public static let kind = MessageKind.credit
    public var window: Window
    public init(_ window: Window) { self.window = window }
    public init(_ fields: Fields) throws(ProtocolError) { window = try Window(fields) }
    public func encode(into fields: inout FieldWriter) { window.encode(into: &fields) }
}

/// The outcome of `request` has arrived: its sender may forget what it kept for sending again.
public struct Acknowledge: Message {
    public static let kind = MessageKind.acknowledge
    public var request: RequestIdentifier
    public init(request: RequestIdentifier) { self.request = request }
    public init(_ fields: Fields) throws(ProtocolError) { request = try fields.value(.request) }
    public func encode(into fields: inout FieldWriter) { fields.set(.request, request) }
}

/// The last packet of a client that leaves in order: its session is not kept for it to come back. From a service that is
/// stopped: nothing of the session goes on, and the client connects again when it has something to ask.
public struct Goodbye: Message {
    public static let kind = MessageKind.goodbye
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// The first packet of a host or extension whose session a new daemon has kept: what it has not seen the end of. Everything that is not named has
/// ended for it.
public struct StillOpen: Message {
    public static let kind = MessageKind.stillOpen
    /// A host's: those without an outcome. An extension's: those that it was given and whose answer, if there is one, is not acknowledged.
    public var requests: [RequestIdentifier]
    /// An extension's: those among them whose answer it says again now.
    public var answers: [RequestIdentifier]
    /// An extension's: those whose completion handler runs.
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

/// The answer of a request that has nothing else to say.
public struct Success: Message {
    public static let kind = MessageKind.success
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// The answer of a request that failed; as an answer to nothing, the last packet before the connection is closed.
public struct ErrorReply: Message {
    public static let kind = MessageKind.error
    public var error: ExtensionHostError
    public init(_ error: ExtensionHostError) { self.error = error }
    public init(_ fields: Fields) throws(ProtocolError) { error = try ExtensionHostError(fields) }
    public func encode(into fields: inout FieldWriter) { error.encode(into: &fields) }
}

/// Raw bytes in a message.
public struct Bytes: Sendable, Hashable, WireValue {
    public var bytes: [UInt8]
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    public init?(wire: PropertyList) {
        guard let bytes = wire.data else { return nil }
        self.bytes = bytes
    }
    public var wire: PropertyList { .data(bytes) }
}
