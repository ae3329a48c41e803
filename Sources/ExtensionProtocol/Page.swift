// Page: a part of a list, so that lists of any number of entries fit into packets.

/// An entry of a list, with the kind of packet that carries a page of it.
public protocol ListEntry: WireStructure {
    static var pageKind: MessageKind { get }
}

/// The entries `offset ..< offset + entries.count` of `count`.
public struct Page<Entry: ListEntry>: Message {
    public static var kind: MessageKind { Entry.pageKind }
    public var entries: [Entry]
    public var offset: Int
    public var count: Int

    public init(entries: [Entry], offset: Int, count: Int) {
        self.entries = entries
        self.offset = offset
        self.count = count
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        entries = try fields.value(.items)
        offset = try fields.value(.offset)
        count = try fields.value(.count)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.items, entries)
        fields.set(.offset, offset)
        fields.set(.count, count)
    }
}
