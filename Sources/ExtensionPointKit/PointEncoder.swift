// PointEncoder: a Codable value as a property list, with the files that it refers to.

public import ExtensionItems
import LinuxDescriptors
import PropertyListCoding

/// Encodes the arguments and replies of calls.
///
/// A structure becomes a dictionary without the keys of absent values. `[UInt8]` becomes data, and a `PointFile` the
/// index of its descriptor.
public enum PointEncoder {
    /// - Throws: `EncodingError`, for a value that no property list has, such as an integer above 2⁶³.
    public static func encode(_ value: some Encodable) throws -> EncodedValue {
        let files = Files()
        let node = Node()
        try node.set(value, files, [])
        return EncodedValue(plist: node.plist, descriptors: files.descriptors)
    }

    /// The descriptors so far.
    fileprivate final class Files {
        var descriptors: [SharedDescriptor] = []
    }
}

/// A place in the result, which containers fill after they were created.
private final class Node {
    private var value: PropertyList = .dictionary([:])
    private var members: [(key: String, node: Node)]?
    private var elements: [Node]?

    var plist: PropertyList {
        if let members { return .dictionary(PropertyListDictionary(members.map { ($0.key, $0.node.plist) })) }
        if let elements { return .array(elements.map(\.plist)) }
        return value
    }

    var count: Int { elements?.count ?? 0 }

    func set(_ plist: PropertyList) { value = plist }

    func becomeDictionary() { if members == nil { members = [] } }

    func becomeArray() { if elements == nil { elements = [] } }

    func member(_ key: String) -> Node {
        let node = Node()
        members?.append((key, node))
        return node
    }

    func element() -> Node {
        let node = Node()
        elements?.append(node)
        return node
    }

    func set(_ encoded: some Encodable, _ files: PointEncoder.Files, _ path: [any CodingKey]) throws {
        switch encoded {
        // Every empty array can be cast to one of bytes.
        case let bytes as [UInt8] where type(of: encoded) == [UInt8].self: set(.data(bytes))
        case let value as PointValue: set(value.plist)
        case let file as PointFile:
            set(.integer(Int64(files.descriptors.count)))
            files.descriptors.append(file.descriptor)
        case let part as StreamPart:
            set(.integer(Int64(files.descriptors.count)))
            files.descriptors.append(part.descriptor)
        default: try encoded.encode(to: NodeEncoder(node: self, files: files, codingPath: path))
        }
    }

    func set(integer: some BinaryInteger, _ path: [any CodingKey]) throws {
        guard let whole = Int64(exactly: integer) else {
            throw EncodingError.invalidValue(integer, .init(codingPath: path, debugDescription: "it is above 2⁶³ − 1"))
        }
        set(.integer(whole))
    }
}

private struct NodeEncoder: Encoder, SingleValueEncodingContainer {
    let node: Node
    let files: PointEncoder.Files
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeDictionary()
        return KeyedEncodingContainer(Members<Key>(node: node, files: files, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return Elements(node: node, files: files, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws {
        throw EncodingError.invalidValue(
            Optional<Int>.none as Any, .init(codingPath: codingPath, debugDescription: "a property list has no null"))
    }
    func encode(_ value: Bool) { node.set(.boolean(value)) }
    func encode(_ value: String) { node.set(.string(value)) }
    func encode(_ value: Double) { node.set(.real(value)) }
    func encode(_ value: Float) { node.set(.real(Double(value))) }
    func encode(_ value: Int) { node.set(.integer(Int64(value))) }
    func encode(_ value: Int8) { node.set(.integer(Int64(value))) }
    func encode(_ value: Int16) { node.set(.integer(Int64(value))) }
    func encode(_ value: Int32) { node.set(.integer(Int64(value))) }
    func encode(_ value: Int64) { node.set(.integer(value)) }
    func encode(_ value: UInt) throws { try node.set(integer: value, codingPath) }
    func encode(_ value: UInt8) { node.set(.integer(Int64(value))) }
    func encode(_ value: UInt16) { node.set(.integer(Int64(value))) }
    func encode(_ value: UInt32) { node.set(.integer(Int64(value))) }
    func encode(_ value: UInt64) throws { try node.set(integer: value, codingPath) }
    func encode(_ value: some Encodable) throws { try node.set(value, files, codingPath) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: Node
    let files: PointEncoder.Files
    let codingPath: [any CodingKey]

    private func encoder(_ key: any CodingKey) -> NodeEncoder {
        NodeEncoder(node: node.member(key.stringValue), files: files, codingPath: codingPath + [key])
    }

    // A null is a key that is absent.
    func encodeNil(forKey key: Key) {}
    func encode(_ value: some Encodable, forKey key: Key) throws { try encoder(key).encode(value) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<
        Nested
    > {
        encoder(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(key).unkeyedContainer() }
    func superEncoder() -> any Encoder {
        NodeEncoder(node: node.member("super"), files: files, codingPath: codingPath)
    }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
}

private struct Elements: UnkeyedEncodingContainer {
    let node: Node
    let files: PointEncoder.Files
    let codingPath: [any CodingKey]
    var count: Int { node.count }

    private func encoder() -> NodeEncoder { NodeEncoder(node: node.element(), files: files, codingPath: codingPath) }

    func encodeNil() throws { try encoder().encodeNil() }
    func encode(_ value: some Encodable) throws { try encoder().encode(value) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder() }
}
