// TranscriptEntry: one thing that happened in a recorded session: a packet, an event, a timer's change.

public import PropertyListCoding

/// One entry of a recording, as it travels and as it is kept.
public struct TranscriptEntry: Sendable, Hashable, WireStructure {
    public enum Content: Sendable, Hashable {
        case packet(RecordedPacket)
        case event(EventRecord)
        case timer(RecordedTimer)
        /// A connection is over.
        case ended(RecordedEnd)
        /// So many entries are missing here: the recorder was too slow for them.
        case gap(Int)
    }

    /// Microseconds since the recording began, in real time whatever the daemon's clock is.
    public var time: Int
    public var content: Content

    public init(time: Int, _ content: Content) {
        self.time = time
        self.content = content
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        time = try fields.value(.time)
        if let packet = try fields.optional(.packet, as: RecordedPacket.self) {
            content = .packet(packet)
        } else if let event = try fields.optional(.event, as: EventRecord.self) {
            content = .event(event)
        } else if let timer = try fields.optional(.timer, as: RecordedTimer.self) {
            content = .timer(timer)
        } else if let end = try fields.optional(.ended, as: RecordedEnd.self) {
            content = .ended(end)
        } else {
            content = .gap(try fields.value(.gap))
        }
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.time, time)
        switch content {
        case .packet(let packet): fields.set(.packet, packet)
        case .event(let event): fields.set(.event, event)
        case .timer(let timer): fields.set(.timer, timer)
        case .ended(let end): fields.set(.ended, end)
        case .gap(let count): fields.set(.gap, count)
        }
    }
}

/// A packet between the daemon and one of its peers.
public struct RecordedPacket: Sendable, Hashable, WireStructure {
    /// The connection's number among all of this daemon's.
    public var connection: Int
    /// What the peer is.
    public var role: Role
    /// A host's name, an extension's or app's identifier; nil before a host has been told its own.
    public var name: String?
    public var pid: Int?
    /// Whether the daemon sent it to the peer, and not the peer to the daemon.
    public var isFromDaemon: Bool
    /// A `MessageKind` by its name.
    public var kind: String
    public var serial: Int
    /// The serial of the packet that this one answers, sent the other way; 0 when it answers none.
    public var answers: Int
    /// All of its dictionary but the payload.
    public var body: PropertyListDictionary
    /// Where contents were asked for what the payload holds, else its shape: types and sizes in place of values. Nil when there is none.
    public var payload: PropertyList?
    /// Bytes of a payload that travelled in a sealed memory file.
    public var sealed: Int?
    /// Those beside the payload, in order.
    public var descriptors: [RecordedDescriptor]
    /// Under way only: the place of the sealed payload's descriptor beside the entry.
    public var index: Int?

    public init(
        connection: Int, role: Role, name: String?, pid: Int?, isFromDaemon: Bool, kind: String, serial: Int, answers: Int = 0,
        body: PropertyListDictionary, payload: PropertyList? = nil, sealed: Int? = nil, descriptors: [RecordedDescriptor] = [],
        index: Int? = nil
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
        let sender: String = try fields.value(.from)
        guard sender == "daemon" || sender == role.rawValue else { throw .wrongType(key: "from", kind: fields.kind) }
        isFromDaemon = sender == "daemon"
        kind = try fields.value(.kind)
        serial = try fields.value(.serial)
        answers = try fields.optional(.answers) ?? 0
        guard let dictionary = try fields.value(.body, as: PropertyList.self).dictionary else {
            throw .wrongType(key: "body", kind: fields.kind)
        }
        body = dictionary
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
        fields.set(.body, PropertyList.dictionary(body))
        fields.set(.payload, payload)
        fields.set(.sealed, sealed)
        if !descriptors.isEmpty { fields.set(.descriptors, descriptors) }
        fields.set(.index, index)
    }
}

/// A descriptor that travelled beside a packet.
public struct RecordedDescriptor: Sendable, Hashable, WireStructure {
    public enum Kind: String, Sendable, Hashable, WireValue { case memory, file, other }

    public var kind: Kind
    /// Bytes; nil where that means nothing.
    public var size: Int?
    /// What it held, where contents were asked for and it is no larger than a recording takes.
    public var contents: [UInt8]?
    /// Under way only: its place beside the entry.
    public var index: Int?

    public init(kind: Kind, size: Int?, contents: [UInt8]? = nil, index: Int? = nil) {
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

/// A time limit of the model, and what became of it.
public struct RecordedTimer: Sendable, Hashable, WireStructure {
    public enum Change: String, Sendable, Hashable, WireValue { case armed, fired, disarmed, paused, resumed }

    /// As in `--timer`: `launch`, `request`, `load` …
    public var name: String
    public var change: Change
    /// Seconds until it fires, where it is armed or resumed.
    public var delay: Double?
    /// Of the process that it limits; nil before its program has been started.
    public var pid: Int?
    public var extensionIdentifier: String
    public var request: RequestIdentifier?

    public init(
        name: String, change: Change, delay: Double? = nil, pid: Int?, extensionIdentifier: String,
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

/// The end of a connection.
public struct RecordedEnd: Sendable, Hashable, WireStructure {
    public var connection: Int
    public var role: Role
    public var name: String?
    /// Nil when the peer simply left.
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
