// ReplyTable: who waits for the answer to which serial.

public import ExtensionWire

/// Handlers by the serial of the request that they wait for; each is taken out once.
public struct ReplyTable<Handler> {
    private var waiting: [UInt32: Handler] = [:]

    public init() {}

    public var isEmpty: Bool { waiting.isEmpty }

    public mutating func await(_ serial: UInt32, _ handler: Handler) { waiting[serial] = handler }

    /// The handler of an answer; an answer that nobody waits for breaks the protocol.
    public mutating func take(_ serial: UInt32) throws(ProtocolError) -> Handler {
        guard let handler = waiting.removeValue(forKey: serial) else { throw .unknownReply(serial) }
        return handler
    }

    /// Stops waiting; the answer may still come, so it is the caller's to ignore.
    public mutating func takeAll() -> [Handler] {
        defer { waiting = [:] }
        return Array(waiting.values)
    }
}

extension ReplyTable: Sendable where Handler: Sendable {}
