// LogMessages: what extensions printed.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Asks for what is stored of the output of an extension or a request, as `logLines` packets. The answer comes when all
/// of it has been sent. With `follow` it comes when the request has ended; for an extension it never comes. A
/// connection reads one log at a time.
///
/// Client → daemon; answered by `success` at the end.
public struct ReadLog: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.readLog
    /// The identifier of an extension; else that of a request, or four or more of its first characters.
    public var name: String
    /// Whether to go on with new lines.
    public var follow: Bool

    public init(name: String, follow: Bool) {
        self.name = name
        self.follow = follow
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        name = try fields.value(.name)
        follow = try fields.value(.follow)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.name, name)
        fields.set(.follow, follow)
    }
}

/// Sends some lines, in order.
///
/// Daemon → client.
public struct LogBatch: Message {
    public static let kind = MessageKind.logLines
    public var lines: [LogLine]
    /// Whether lines before the first one are stored no more.
    public var lost: Bool

    public init(lines: [LogLine], lost: Bool = false) {
        self.lines = lines
        self.lost = lost
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        lines = try fields.value(.lines)
        lost = try fields.optional(.lost) ?? false
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.lines, lines)
        if lost { fields.set(.lost, lost) }
    }
}

/// A line that an extension printed. One over 8,192 bytes comes in pieces.
public struct LogLine: Sendable, Hashable, WireStructure {
    public var extensionIdentifier: String
    public var pid: Int
    /// `stdout`, `stderr`, or `sandbox` for a line that says what the process was refused.
    public var stream: String
    /// When the end of the line came, in microseconds since 1970, on the daemon's clock.
    public var time: Int
    /// As printed, so not always UTF-8, and without the newline.
    public var bytes: [UInt8]

    public init(extensionIdentifier: String, pid: Int, stream: String, time: Int, bytes: [UInt8]) {
        self.extensionIdentifier = extensionIdentifier
        self.pid = pid
        self.stream = stream
        self.time = time
        self.bytes = bytes
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        extensionIdentifier = try fields.value(.extension)
        pid = try fields.value(.pid)
        stream = try fields.value(.stream)
        time = try fields.value(.time)
        bytes = try fields.value(.bytes, as: Bytes.self).bytes
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.extension, extensionIdentifier)
        fields.set(.pid, pid)
        fields.set(.stream, stream)
        fields.set(.time, time)
        fields.set(.bytes, Bytes(bytes))
    }
}
