// LogMessages: what extensions printed, on its way to somebody who asks for it later.

/// Starts the stream of `logLines` packets: what is kept of an extension's output, or of one request's; then, with
/// `follow`, what comes. Answered by `success` at the end of what was kept or, following a request, at the request's own end.
public struct ReadLog: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.readLog
    /// An extension's identifier, else a request's or its first four characters or more.
    public var name: String
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

/// A line that an extension printed.
public struct LogLine: Sendable, Hashable, WireStructure {
    public var extensionIdentifier: String
    public var pid: Int
    /// `stdout` or `stderr`.
    public var stream: String
    /// Microseconds since 1970, on the daemon's clock: when the line's end came.
    public var time: Int
    /// Without the newline; as printed, so not always UTF-8.
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

/// Some lines in order. `lost` says that lines before the first one are kept no more.
public struct LogBatch: Message {
    public static let kind = MessageKind.logLines
    public var lines: [LogLine]
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
