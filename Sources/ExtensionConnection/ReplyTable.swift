// ReplyTable: the handlers that wait for answers, by serial.

public import ExtensionWire

/// Handlers by the serial of the request that they wait for; each is taken out once.
public struct ReplyTable<Handler> {
    private var waiting: [UInt32: Handler] = [:]

    public init() {}

    public var isEmpty: Bool { waiting.isEmpty }

    public mutating func await(_ serial: UInt32, _ handler: Handler) { waiting[serial] = handler }

    /// Removes and returns the handler of an answer; an answer without a handler breaks the protocol.
    public mutating func take(_ serial: UInt32) throws(ProtocolError) -> Handler {
        guard let handler = waiting.removeValue(forKey: serial) else { throw .unknownReply(serial) }
        return handler
    }

    /// Removes and returns all handlers, oldest first. Their answers may still arrive; the caller ignores them.
    public mutating func takeAll() -> [Handler] {
        defer { waiting = [:] }
        return waiting.sorted { $0.key < $1.key }.map(\.value)
    }
}

extension ReplyTable: Sendable where Handler: Sendable {}
