// TranscriptRecords: the content of an entry of a recording.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

public import PropertyListCoding

/// One entry of a recorded session. It has `time` and one of the other keys.
public struct TranscriptEntry: Sendable, Hashable, WireStructure {
    /// Microseconds since the recording began, in real time.
    public var time: Int
    public var content: TranscriptEntry.Content

    public init(time: Int, _ content: TranscriptEntry.Content) {
        self.time = time
        self.content = content
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        time = try fields.value(.time)
        content = try TranscriptEntry.Content(fields)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.time, time)
        content.encode(into: &fields)
    }
}

extension TranscriptEntry {
    /// The content of an entry.
    public enum Content: Sendable, Hashable, WireStructure {
        case packet(RecordedPacket)
        case event(EventRecord)
        case timer(RecordedTimer)
        /// The end of a connection.
        case ended(RecordedEnd)
        /// The number of entries that are missing here, because the recorder was too slow.
        case gap(Int)

        public init(_ fields: Fields) throws(ProtocolError) {
            if let packet: RecordedPacket = try fields.optional(.packet) {
                self = .packet(packet)
            } else if let event: EventRecord = try fields.optional(.event) {
                self = .event(event)
            } else if let timer: RecordedTimer = try fields.optional(.timer) {
                self = .timer(timer)
            } else if let ended: RecordedEnd = try fields.optional(.ended) {
                self = .ended(ended)
            } else {
                self = .gap(try fields.value(.gap))
            }
        }

        public func encode(into fields: inout FieldWriter) {
            switch self {
            case .packet(let packet): fields.set(.packet, packet)
            case .event(let event): fields.set(.event, event)
            case .timer(let timer): fields.set(.timer, timer)
            case .ended(let ended): fields.set(.ended, ended)
            case .gap(let gap): fields.set(.gap, gap)
            }
        }
    }
}

/// A packet between the daemon and one of its peers.
public struct RecordedPacket: Sendable, Hashable, WireStructure {
    /// The number of the connection among all connections of this daemon.
    public var connection: Int
    /// The role of the peer.
    public var role: Role
    /// The name of a host, or the identifier of an extension or app. Absent until the host has its `welcome`.
    public var name: String?
    public var pid: Int?
    /// `daemon`, or the role of the peer.
    public var isFromDaemon: Bool
    /// The name of the message.
    public var kind: String
    public var serial: Int
    /// The serial that the packet answers. 0 if it answers none.
    public var answers: Int
    /// The body without the payload.
    public var body: PropertyListDictionary
    /// The contents of the payload, if the recording has contents. Otherwise its shape: types and sizes in place of
    /// values.
    public var payload: PropertyList?
    /// The number of bytes of a sealed payload.
    public var sealed: Int?
    /// The descriptors after the payload's, in order.
    public var descriptors: [RecordedDescriptor]
    /// The index of the sealed payload's descriptor among those of the entry. Absent in a file.
    public var index: Int?

    public init(
        connection: Int, role: Role, name: String?, pid: Int?, isFromDaemon: Bool, kind: String, serial: Int,
        answers: Int = 0, body: PropertyListDictionary, payload: PropertyList? = nil, sealed: Int? = nil,
        descriptors: [RecordedDescriptor] = [], index: Int? = nil
    ) {
        self.connection = connection
        self.role = role
        self.name = name
        self.pid = pid
        self.isFromDaemon = isFromDaemon
        self.kind = kind
        self.serial = serial
        self.answers = answers
        self.body = body
        self.payload = payload
        self.sealed = sealed
        self.descriptors = descriptors
        self.index = index
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        connection = try fields.value(.connection)
        role = try fields.value(.role)
        name = try fields.optional(.name)
        pid = try fields.optional(.pid)
        isFromDaemon = try Self.isFromDaemon(fields, role)
        kind = try fields.value(.kind)
        serial = try fields.value(.serial)
        answers = try fields.optional(.answers) ?? 0
        body = try fields.value(.body)
        payload = try fields.optional(.payload)
        sealed = try fields.optional(.sealed)
        descriptors = try fields.optional(.descriptors) ?? []
        index = try fields.optional(.index)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.connection, connection)
        fields.set(.role, role)
        fields.set(.name, name)
        fields.set(.pid, pid)
        fields.set(.from, isFromDaemon ? "daemon" : role.rawValue)
        fields.set(.kind, kind)
        fields.set(.serial, serial)
        if answers != 0 { fields.set(.answers, answers) }
        fields.set(.body, body)
        fields.set(.payload, payload)
        fields.set(.sealed, sealed)
        if !descriptors.isEmpty { fields.set(.descriptors, descriptors) }
        fields.set(.index, index)
    }
}

/// A descriptor that came with a packet.
public struct RecordedDescriptor: Sendable, Hashable, WireStructure {
    public var kind: RecordedDescriptor.Kind
    /// The size of its object. Absent if the object has no size.
    public var size: Int?
    /// The contents, if the recording has contents and they do not exceed its limit.
    public var contents: [UInt8]?
    /// The index of the descriptor among those of the entry. Absent in a file.
    public var index: Int?

    public init(kind: RecordedDescriptor.Kind, size: Int?, contents: [UInt8]? = nil, index: Int? = nil) {
        self.kind = kind
        self.size = size
        self.contents = contents
        self.index = index
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        kind = try fields.value(.kind)
        size = try fields.optional(.bytes)
        contents = try fields.optional(.contents, as: Bytes.self)?.bytes
        index = try fields.optional(.index)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.kind, kind)
        fields.set(.bytes, size)
        fields.set(.contents, contents.map(Bytes.init))
        fields.set(.index, index)
    }
}

extension RecordedDescriptor {
    public enum Kind: String, Sendable, Hashable, CaseIterable, WireValue {
        case memory
        case file
        case other
    }
}

/// A change of a timer of the model.
public struct RecordedTimer: Sendable, Hashable, WireStructure {
    /// The name as in `--timer`: `launch`, `request`, `load` and others.
    public var name: String
    public var change: RecordedTimer.Change
    /// Seconds until the timer fires, for `armed` and `resumed`.
    public var delay: Double?
    /// The process that it limits. Absent before the program of the process has started.
    public var pid: Int?
    public var extensionIdentifier: String
    public var request: RequestIdentifier?

    public init(
        name: String, change: RecordedTimer.Change, delay: Double? = nil, pid: Int?, extensionIdentifier: String,
        request: RequestIdentifier? = nil
    ) {
        self.name = name
        self.change = change
        self.delay = delay
        self.pid = pid
        self.extensionIdentifier = extensionIdentifier
        self.request = request
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        name = try fields.value(.name)
        change = try fields.value(.change)
        delay = try fields.optional(.delay)
        pid = try fields.optional(.pid)
        extensionIdentifier = try fields.value(.extension)
        request = try fields.optional(.request)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.name, name)
        fields.set(.change, change)
        fields.set(.delay, delay)
        fields.set(.pid, pid)
        fields.set(.extension, extensionIdentifier)
        fields.set(.request, request)
    }
}

extension RecordedTimer {
    public enum Change: String, Sendable, Hashable, CaseIterable, WireValue {
        case armed
        case fired
        case disarmed
        case paused
        case resumed
    }
}

/// The end of a connection.
public struct RecordedEnd: Sendable, Hashable, WireStructure {
    /// The same as in a *packet*.
    public var connection: Int
    public var role: Role
    /// The same as in a *packet*.
    public var name: String?
    /// The reason. Absent if the peer closed the connection without an error.
    public var detail: String?

    public init(connection: Int, role: Role, name: String?, detail: String?) {
        self.connection = connection
        self.role = role
        self.name = name
        self.detail = detail
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        connection = try fields.value(.connection)
        role = try fields.value(.role)
        name = try fields.optional(.name)
        detail = try fields.optional(.detail)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.connection, connection)
        fields.set(.role, role)
        fields.set(.name, name)
        fields.set(.detail, detail)
    }
}
