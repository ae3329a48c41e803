// ClockMessages: the daemon's clock in an extension's hands (kinds 0x025x).

/// Extension → daemon: it wants to know of each move of the daemon's clock before it hears of anything else.
public struct FollowClock: Message {
    public static let kind = MessageKind.followClock
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Daemon → extension: what the daemon's clock shows now. Sent to those that follow it, where it is virtual.
public struct ClockMoved: Message {
    public static let kind = MessageKind.clockMoved
    /// Nanoseconds on the daemon's clock.
    public var time: Int
    public init(time: Int) { self.time = time }
    public init(_ fields: Fields) throws(ProtocolError) { time = try fields.value(.time) }
    public func encode(into fields: inout FieldWriter) { fields.set(.time, time) }
}

/// Extension → daemon: answered when the daemon's clock shows `time`, at once if it does already.
public struct Sleep: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.sleep
    /// Nanoseconds on the daemon's clock.
    public var time: Int
    /// The extension's name for it, for `cancelSleep`.
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

/// Extension → daemon: a sleep is given up. It is not answered any more, unless that is on the way.
public struct CancelSleep: Message {
    public static let kind = MessageKind.cancelSleep
    public var number: Int
    public init(number: Int) { self.number = number }
    public init(_ fields: Fields) throws(ProtocolError) { number = try fields.value(.number) }
    public func encode(into fields: inout FieldWriter) { fields.set(.number, number) }
}
