// ClockMessages: the daemon's clock for an extension (kinds 0x025x).
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Asks for a `clockMoved` before any other packet that follows a change of the daemon's clock.
///
/// Extension → daemon.
public struct FollowClock: Message {
    public static let kind = MessageKind.followClock
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Reports the time of the daemon's virtual clock to the extensions that follow it.
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

/// Cancels a sleep. No answer follows, unless it is already on the way.
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
