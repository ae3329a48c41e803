// PointDecoder: a Codable value from a property list and the descriptors that came with it.

public import ExtensionItems
import LinuxDescriptors
import PropertyListCoding

/// Decodes what `PointEncoder` encodes.
///
/// Numbers are checked against their types, and an index of a descriptor against the number of descriptors. A real
/// number may come as an integer, as from other languages.
public enum PointDecoder {
    /// - Throws: `DecodingError`, with the path of the value that is missing or of another type.
    public static func decode<Value: Decodable>(_ type: Value.Type, from value: EncodedValue) throws -> Value {
        try Place(plist: value.plist, descriptors: value.descriptors, codingPath: []).decode(type)
    }
}

private struct Place: Decoder, SingleValueDecodingContainer {
    let plist: PropertyList
    let descriptors: [SharedDescriptor]
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(DecodedMembers<Key>(members: try value(plist.dictionary), place: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        DecodedElements(elements: try value(plist.array), place: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func inside(_ plist: PropertyList, _ key: any CodingKey) -> Place {
        Place(plist: plist, descriptors: descriptors, codingPath: codingPath + [key])
    }

    private func value<Value>(_ value: Value?) throws -> Value {
        guard let value else {
            throw DecodingError.typeMismatch(
                Value.self, .init(codingPath: codingPath, debugDescription: "the value has another type"))
        }
        return value
    }

    private func integer<Value: BinaryInteger>(_ type: Value.Type) throws -> Value {
        try value(plist.integer.flatMap { Value(exactly: $0) })
    }

    private var number: Double? { plist.real ?? plist.integer.map(Double.init) }

    func decodeNil() -> Bool { false }
    func decode(_ type: Bool.Type) throws -> Bool { try value(plist.boolean) }
    func decode(_ type: String.Type) throws -> String { try value(plist.string) }
    func decode(_ type: Double.Type) throws -> Double { try value(number) }
    func decode(_ type: Float.Type) throws -> Float { try value(number.map { Float($0) }) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == [UInt8].self { return try value(plist.data as? Value) }
        if type == PointValue.self { return try value(PointValue(plist) as? Value) }
        if type == PointFile.self {
            let index = try integer(Int.self)
            guard descriptors.indices.contains(index), let file = PointFile(descriptors[index]) as? Value else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: codingPath, debugDescription: "no descriptor has the index \(index)"))
            }
            // A reader of a pipe could wait for ever, and a writer could change a file that was checked.
            guard let status = try? FileStatus(of: descriptors[index].raw), status.isRegular, status.isReadOnly else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: codingPath,
                        debugDescription: "the descriptor is not a regular file that is open for reading only"))
            }
            return file
        }
        if type == StreamPart.self {
            let index = try integer(Int.self)
            return try value(descriptors.indices.contains(index) ? StreamPart(descriptors[index]) as? Value : nil)
        }
        return try Value(from: self)
    }
}

private struct DecodedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: PropertyListDictionary
    let place: Place
    var codingPath: [any CodingKey] { place.codingPath }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    private func inside(_ key: any CodingKey) throws -> Place {
        guard let plist = members[key.stringValue] else {
            throw DecodingError.valueNotFound(
                Any.self,
                .init(codingPath: codingPath + [key], debugDescription: "the key \(key.stringValue) is missing"))
        }
        return place.inside(plist, key)
    }

    // An absent key and null are the same.
    func decodeNil(forKey key: Key) -> Bool { !contains(key) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try inside(key).decode(type) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    {
        try inside(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try inside(key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder { place.inside(members["super"] ?? .dictionary([:]), PointKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try inside(key) }
}

private struct DecodedElements: UnkeyedDecodingContainer {
    let elements: [PropertyList]
    let place: Place
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { place.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    init(elements: [PropertyList], place: Place) {
        self.elements = elements
        self.place = place
    }

    private mutating func next() throws -> Place {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self, .init(codingPath: codingPath, debugDescription: "there are \(elements.count) elements only"))
        }
        defer { currentIndex += 1 }
        return place.inside(elements[currentIndex], PointKey("\(currentIndex)"))
    }

    func decodeNil() -> Bool { false }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }
    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        try next().container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }
}

/// A key of a path in errors.
private struct PointKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
