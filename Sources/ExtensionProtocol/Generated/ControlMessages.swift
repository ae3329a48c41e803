// ControlMessages: orders to the daemon from hosts and tools, and its event log.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Changes the state of a connected host. Allowed to the host's user and root.
///
/// Client → daemon; answered by `success`.
public struct SetHostState: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.setHostState
    public var host: String
    public var state: HostStateName

    public init(host: String, state: HostStateName) {
        self.host = host
        self.state = state
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        host = try fields.value(.host)
        state = try fields.value(.state)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.host, host)
        fields.set(.state, state)
    }
}

/// Asks for the event log, as `event` packets. A connection has one watch at a time.
///
/// Client → daemon; answered by `success` after the events in the log.
public struct Watch: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.watch
    /// A sequence: the daemon sends the events after it. Absent: new events only.
    public var since: Int?
    /// Whether to continue with new events.
    public var follow: Bool

    public init(since: Int?, follow: Bool) {
        self.since = since
        self.follow = follow
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        since = try fields.optional(.since)
        follow = try fields.value(.follow)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.since, since)
        fields.set(.follow, follow)
    }
}

/// Sends some events of the log, in order.
///
/// Daemon → client.
public struct EventBatch: Message {
    public static let kind = MessageKind.event
    public var events: [EventRecord]
    /// The sequence of the oldest event that the log still has. Earlier events are lost for this watcher.
    public var oldest: Int?

    public init(events: [EventRecord], oldest: Int? = nil) {
        self.events = events
        self.oldest = oldest
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        events = try fields.value(.events)
        oldest = try fields.optional(.oldest)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.events, events)
        fields.set(.oldest, oldest)
    }
}

/// One event of the log. Absent keys do not apply.
public struct EventRecord: Sendable, Hashable, WireStructure {
    /// The number of the event, from 1 in each daemon, without a gap.
    public var sequence: Int
    /// Microseconds since 1970, virtual when the clock is.
    public var time: Int
    /// A name of section 6.2.
    public var event: String
    public var request: RequestIdentifier?
    public var extensionIdentifier: String?
    public var host: String?
    public var pid: Int?
    /// The earlier state.
    public var from: String?
    /// The new state.
    public var to: String?
    public var cause: Cause?
    public var detail: String?

    public init(_ fields: Fields) throws(ProtocolError) {
        sequence = try fields.value(.sequence)
        time = try fields.value(.time)
        event = try fields.value(.event)
        request = try fields.optional(.request)
        extensionIdentifier = try fields.optional(.extension)
        host = try fields.optional(.host)
        pid = try fields.optional(.pid)
        from = try fields.optional(.from)
        to = try fields.optional(.to)
        cause = try fields.optional(.cause)
        detail = try fields.optional(.detail)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.sequence, sequence)
        fields.set(.time, time)
        fields.set(.event, event)
        fields.set(.request, request)
        fields.set(.extension, extensionIdentifier)
        fields.set(.host, host)
        fields.set(.pid, pid)
        fields.set(.from, from)
        fields.set(.to, to)
        fields.set(.cause, cause)
        fields.set(.detail, detail)
    }
}

/// Advances a virtual clock.
///
/// Client → daemon; answered by `success` when everything that became due has been handled.
public struct AdvanceClock: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.advanceClock
    public var delay: Double
    public init(delay: Double) { self.delay = delay }
    public init(_ fields: Fields) throws(ProtocolError) { delay = try fields.value(.delay) }
    public func encode(into fields: inout FieldWriter) { fields.set(.delay, delay) }
}
