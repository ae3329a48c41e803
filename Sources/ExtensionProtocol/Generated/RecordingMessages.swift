// RecordingMessages: what happens in a daemon, packet by packet, on its way to a tool.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Starts a recording of everything from now on, until the connection ends (section 6.5). A connection has one at a
/// time.
///
/// Client → daemon; answered by `recording` then `recorded` packets.
public struct Record: RequestMessage {
    public typealias Response = Recording
    public static let kind = MessageKind.record
    /// Whether to record what payloads and descriptors hold, too, and not their types and sizes only.
    public var contents: Bool
    public init(contents: Bool = false) { self.contents = contents }
    public init(_ fields: Fields) throws(ProtocolError) { contents = try fields.optional(.contents) ?? false }
    public func encode(into fields: inout FieldWriter) { if contents { fields.set(.contents, contents) } }
}

/// Says that the recording has begun, and what its reader must know of the daemon.
///
/// Daemon → client.
public struct Recording: Message {
    public static let kind = MessageKind.recording
    /// The version of the daemon.
    public var version: String
    public var clock: String
    /// When it began, in microseconds since 1970, on the daemon's clock.
    public var time: Int
    /// As in `record`.
    public var contents: Bool
    /// The time limits that the daemon was given over those of the extension points.
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

/// Sends some entries of a recording, in order. The descriptors beside it belong to its one entry.
///
/// Daemon → client. Payload: an array of data, each the binary property list of one *entry*.
public struct Recorded: Message {
    public static let kind = MessageKind.recorded
    public var count: Int
    public init(count: Int) { self.count = count }
    public init(_ fields: Fields) throws(ProtocolError) { count = try fields.value(.count) }
    public func encode(into fields: inout FieldWriter) { fields.set(.count, count) }
}

/// Ends the recording of this connection: nothing new is recorded.
///
/// Client → daemon; answered by `success` behind everything that was recorded.
public struct EndRecording: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.endRecording
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}
