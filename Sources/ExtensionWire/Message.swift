// Message: the protocols for reading and writing messages. The messages themselves are generated from
// docs/protocol.schema.

public import PropertyListCoding

/// One message of the protocol: its kind, and the fields of its dictionary.
public protocol Message: Sendable {
    static var kind: MessageKind { get }
    /// The lowest version of the protocol in which this message can be sent unchanged.
    var since: ProtocolVersion { get }
    init(_ fields: Fields) throws(ProtocolError)
    func encode(into fields: inout FieldWriter)
}

/// A message that is answered with a `Response` or an `error`.
public protocol RequestMessage: Message {
    associatedtype Response: Message
}

extension Message {
    public var since: ProtocolVersion { Self.kind.since }

    /// Reads the message out of a packet's dictionary.
    public init(dictionary: PropertyListDictionary) throws(ProtocolError) {
        try self.init(Fields(dictionary, of: .message(Self.kind)))
    }

    public var dictionary: PropertyListDictionary {
        var writer = FieldWriter()
        encode(into: &writer)
        return writer.dictionary
    }
}

/// Raw bytes in a message.
public struct Bytes: Sendable, Hashable, WireValue {
    public var bytes: [UInt8]
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    public init?(wire: PropertyList) {
        guard let bytes = wire.data else { return nil }
        self.bytes = bytes
    }
    public var wire: PropertyList { .data(bytes) }
}
