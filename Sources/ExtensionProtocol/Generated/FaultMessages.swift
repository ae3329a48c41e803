// FaultMessages: faults on demand in an ephemeral daemon.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Orders a fault. Only an ephemeral daemon allows it ([faults.md](faults.md)).
///
/// Client → daemon; answered by `success`.
public struct AddFault: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.addFault
    public var order: FaultOrder
    public init(_ order: FaultOrder) { self.order = order }
    public init(_ fields: Fields) throws(ProtocolError) { order = try FaultOrder(fields) }
    public func encode(into fields: inout FieldWriter) { order.encode(into: &fields) }
}

/// Lists the orders.
///
/// Client → daemon; answered by `faults`.
public struct ListFaults: RequestMessage {
    public typealias Response = Page<FaultRecord>
    public static let kind = MessageKind.listFaults
    public var offset: Int
    public init(offset: Int = 0) { self.offset = offset }
    public init(_ fields: Fields) throws(ProtocolError) { offset = try fields.optional(.offset) ?? 0 }
    public func encode(into fields: inout FieldWriter) { fields.set(.offset, offset) }
}

/// Cancels all orders. Faults that have happened stay.
///
/// Client → daemon; answered by `success`.
public struct ClearFaults: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.clearFaults
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// A fault to inject: its kind, its point, its extension and its count. Counts start when the daemon accepts the order.
public struct FaultOrder: Sendable, Hashable, WireStructure {
    /// The point in the life of an extension, or of the daemon.
    public var point: FaultPoint
    /// The kind of the fault.
    public var kind: FaultKind
    /// The extension. Absent: any extension that reaches the point.
    public var extensionIdentifier: String?
    /// The number of passes through the point before the first fault.
    public var after: Int
    /// The number of times that the fault happens.
    public var times: Int
    /// The seed of the random parts of the fault: the length of a truncated packet, the bytes of noise.
    public var seed: Int
    /// Seconds of the daemon's clock, for `slow` only.
    public var delay: Double
    /// Whether the fault affects packets to the extension, not those from it.
    public var sent: Bool

    public init(
        _ kind: FaultKind, at point: FaultPoint, extensionIdentifier: String? = nil, after: Int = 0, times: Int = 1,
        seed: Int = 0, delay: Double = 1, sent: Bool = false
    ) {
        self.point = point
        self.kind = kind
        self.extensionIdentifier = extensionIdentifier
        self.after = after
        self.times = times
        self.seed = seed
        self.delay = delay
        self.sent = sent
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        point = try fields.value(.point)
        kind = try fields.value(.fault)
        extensionIdentifier = try fields.optional(.extension)
        after = try fields.optional(.after) ?? 0
        times = try fields.optional(.count) ?? 1
        seed = try fields.optional(.seed) ?? 0
        delay = try fields.optional(.delay) ?? 1
        sent = try fields.optional(.sent) ?? false
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.point, point)
        fields.set(.fault, kind)
        fields.set(.extension, extensionIdentifier)
        fields.set(.after, after)
        fields.set(.count, times)
        fields.set(.seed, seed)
        fields.set(.delay, delay)
        fields.set(.sent, sent)
    }
}

/// An order, and the number of its faults so far.
public struct FaultRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.faults
    public var order: FaultOrder
    /// The number of times that the fault has happened.
    public var struck: Int

    public init(order: FaultOrder, struck: Int) {
        self.order = order
        self.struck = struck
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        order = try FaultOrder(fields)
        struck = try fields.value(.used)
    }

    public func encode(into fields: inout FieldWriter) {
        order.encode(into: &fields)
        fields.set(.used, struck)
    }
}
