// RecordingMessages: a recording of a daemon's packets and events, for a tool.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Starts a recording, until `endRecording` or the end of the connection (section 6.5). A connection has one at a time.
///
/// Client → daemon; answered by `recording` then `recorded` packets.
public struct Record: RequestMessage {
    public typealias Response = Recording
    public static let kind = MessageKind.record
    /// Whether to record the contents of payloads and descriptors, not only their types and sizes.
    public var contents: Bool
    public init(contents: Bool = false) { self.contents = contents }
    public init(_ fields: Fields) throws(ProtocolError) { contents = try fields.optional(.contents) ?? false }
    public func encode(into fields: inout FieldWriter) { if contents { fields.set(.contents, contents) } }
}

/// Reports that the recording has begun, with the facts about the daemon that its reader needs.
///
/// Daemon → client.
public struct Recording: Message {
    public static let kind = MessageKind.recording
    /// The version of the daemon.
    public var version: String
    public var clock: String
    /// The start of the recording, in microseconds since 1970, on the daemon's clock.
    public var time: Int
    /// The same as in `record`.
    public var contents: Bool
    /// The daemon's settings of timers that override those of the extension points.
    public var timers: [PointRecord.Timer]

    public init(version: String, clock: String, time: Int, contents: Bool, timers: [PointRecord.Timer]) {
        self.version = version
        self.clock = clock
        self.time = time
        self.contents = contents
        self.timers = timers
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        version = try fields.value(.version)
        clock = try fields.value(.clock)
        time = try fields.value(.time)
        contents = try fields.value(.contents)
        timers = try fields.value(.timers)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.version, version)
        fields.set(.clock, clock)
        fields.set(.time, time)
        fields.set(.contents, contents)
        fields.set(.timers, timers)
    }
}

/// Sends some entries of a recording, in order. If the packet has descriptors, they belong to its only entry.
///
/// Daemon → client. Payload: an array of data, each the binary property list of one *entry*.
public struct Recorded: Message {
    public static let kind = MessageKind.recorded
    public var count: Int
    public init(count: Int) { self.count = count }
    public init(_ fields: Fields) throws(ProtocolError) { count = try fields.value(.count) }
    public func encode(into fields: inout FieldWriter) { fields.set(.count, count) }
}

/// Ends the recording of this connection.
///
/// Client → daemon; answered by `success` after everything that was recorded.
public struct EndRecording: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.endRecording
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}
