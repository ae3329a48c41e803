// RecordingMessages: what happens in a daemon, packet by packet, on its way to a tool that asks for it.

/// Starts the stream of `recorded` packets: everything from now on until the connection ends. One at a time on a connection.
public struct Record: RequestMessage {
    public typealias Response = Recording
    public static let kind = MessageKind.record
    /// What payloads and descriptors hold, too, and not their types and sizes only.
    public var contents: Bool

    public init(contents: Bool) { self.contents = contents }

    public init(_ fields: Fields) throws(ProtocolError) { contents = try fields.optional(.contents) ?? false }

    public func encode(into fields: inout FieldWriter) {
        if contents { fields.set(.contents, contents) }
    }
}

/// The recording has begun; what a reader of it has to know of the daemon.
public struct Recording: Message {
    public static let kind = MessageKind.recording
    /// The daemon's.
    public var version: String
    /// `real` or `virtual`.
    public var clock: String
    /// When it began, in microseconds since 1970, virtual when the clock is.
    public var time: Int
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

/// Some entries of a recording in order: its payload is an array of data, each the binary property list of one `TranscriptEntry`. The
/// descriptors beside it are of the entry's packet, which then is the only one.
public struct Recorded: Message {
    public static let kind = MessageKind.recorded
    public var count: Int

    public init(count: Int) { self.count = count }

    public init(_ fields: Fields) throws(ProtocolError) { count = try fields.value(.count) }

    public func encode(into fields: inout FieldWriter) { fields.set(.count, count) }
}

/// Ends the recording of this connection: nothing new is recorded, and the answer comes behind everything that was.
public struct EndRecording: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.endRecording
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}
