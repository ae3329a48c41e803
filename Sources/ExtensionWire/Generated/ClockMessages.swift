// ClockMessages: the daemon's clock in an extension's hands (kinds 0x025x).
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Asks for a `clockMoved` before any other packet that follows a move of the daemon's clock.
///
/// Extension → daemon.
public struct FollowClock: Message {
    public static let kind = MessageKind.followClock
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Says what the daemon's clock shows now, where it is virtual, to those that follow it.
///
/// Daemon → extension.
public struct ClockMoved: Message {
    public static let kind = MessageKind.clockMoved
    /// Nanoseconds on the daemon's clock.
    public var time: Int
    public init(time: Int) { self.time = time }
    public init(_ fields: Fields) throws(ProtocolError) { time = try fields.value(.time) }
    public func encode(into fields: inout FieldWriter) { fields.set(.time, time) }
}

/// Waits until the daemon's clock shows a time.
///
/// Extension → daemon; answered by `success` when the clock shows that time.
public struct Sleep: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.sleep
    /// Nanoseconds on the daemon's clock.
    public var time: Int
    /// The extension's number for the sleep.
    public var number: Int

    public init(until time: Int, number: Int) {
        self.time = time
        self.number = number
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        time = try fields.value(.time)
        number = try fields.value(.number)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.time, time)
        fields.set(.number, number)
    }
}

/// Gives a sleep up. It is not answered any more, unless its answer is on the way.
///
/// Extension → daemon.
public struct CancelSleep: Message {
    public static let kind = MessageKind.cancelSleep
    /// The extension's number for the sleep.
    public var number: Int
    public init(number: Int) { self.number = number }
    public init(_ fields: Fields) throws(ProtocolError) { number = try fields.value(.number) }
    public func encode(into fields: inout FieldWriter) { fields.set(.number, number) }
}
