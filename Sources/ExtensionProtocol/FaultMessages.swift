// FaultMessages: letting faults happen in an ephemeral daemon.

public struct AddFault: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.addFault
    public var order: FaultOrder
    public init(_ order: FaultOrder) { self.order = order }
    public init(_ fields: Fields) throws(ProtocolError) { order = try FaultOrder(fields) }
    public func encode(into fields: inout FieldWriter) { order.encode(into: &fields) }
}

public struct ListFaults: RequestMessage {
    public typealias Response = Page<FaultRecord>
    public static let kind = MessageKind.listFaults
    public var offset: Int
    public init(offset: Int = 0) { self.offset = offset }
    public init(_ fields: Fields) throws(ProtocolError) { offset = try fields.optional(.offset) ?? 0 }
    public func encode(into fields: inout FieldWriter) { fields.set(.offset, offset) }
}

/// Takes every order back; what has happened has happened.
public struct ClearFaults: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.clearFaults
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// An order, and how often it has been carried out.
public struct FaultRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.faults
    public var order: FaultOrder
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
