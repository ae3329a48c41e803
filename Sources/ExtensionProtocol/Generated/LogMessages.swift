// LogMessages: the output of extensions.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Asks for the stored output of an extension or a request, as `logLines` packets. The answer comes after all of it.
/// With `follow` it comes after the end of the request, and for an extension it never comes. A connection reads one log
/// at a time.
///
/// Client → daemon; answered by `success` at the end.
public struct ReadLog: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.readLog
    /// The identifier of an extension, or that of a request, or at least the first four characters of one.
    public var name: String
    /// Whether to continue with new lines.
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
    /// Whether the daemon has dropped lines before the first one.
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

/// A line that an extension printed. A line over 8,192 bytes is split.
public struct LogLine: Sendable, Hashable, WireStructure {
    public var extensionIdentifier: String
    public var pid: Int
    /// `stdout`, `stderr`, or `sandbox` for a line about a denied access.
    public var stream: String
    /// The arrival of the end of the line, in microseconds since 1970, on the daemon's clock.
    public var time: Int
    /// The output as printed, without the newline. It is not always UTF-8.
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
