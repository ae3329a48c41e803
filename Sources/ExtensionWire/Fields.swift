// Fields: typed reading and writing of a message's dictionary; only Key spells the keys.

public import PropertyListCoding

/// A Swift value with one form in a property list.
public protocol WireValue: Sendable {
    init?(wire: PropertyList)
    var wire: PropertyList { get }
}

/// The fields of a packet's dictionary, read by key.
public struct Fields: Sendable {
    /// The owner of the fields. Its name is made only for an error.
    ///
    /// Asking a type or a case of an enumeration for its name takes longer than reading the whole message, and in a new
    /// process a millisecond.
    public enum Owner: Sendable {
        case message(MessageKind)
        case structure(any WireStructure.Type)
        case named(String)
    }

    public let dictionary: PropertyListDictionary
    private let owner: Owner

    public init(_ dictionary: PropertyListDictionary, of owner: Owner) {
        self.dictionary = dictionary
        self.owner = owner
    }

    /// The owner's name, for people.
    package var kind: String {
        switch owner {
        case .message(let kind): "\(kind)"
        case .structure(let type): "\(type)"
        case .named(let name): name
        }
    }

    public func value<Value: WireValue>(_ key: Key, as type: Value.Type = Value.self) throws(ProtocolError) -> Value {
        guard let value: Value = try optional(key) else { throw .missing(key: key.rawValue, kind: kind) }
        return value
    }

    public func optional<Value: WireValue>(_ key: Key, as type: Value.Type = Value.self) throws(ProtocolError) -> Value?
    {
        guard let wire = dictionary[key.rawValue] else { return nil }
        guard let value = Value(wire: wire) else { throw .wrongType(key: key.rawValue, kind: kind) }
        return value
    }
}

/// A writer of a message's dictionary; absent values are left out.
public struct FieldWriter: Sendable {
    public private(set) var dictionary = PropertyListDictionary(minimumCapacity: 8)

    public init() {}

    /// Sets a key, each key once: existing keys are not searched.
    public mutating func set(_ key: Key, _ value: (some WireValue)?) {
        guard let value else { return }
        assert(dictionary[key.rawValue] == nil, "\(key) is set twice")
        dictionary.append(newKey: key.rawValue, value.wire)
    }
}

extension String: WireValue {
    public init?(wire: PropertyList) {
        guard let value = wire.string else { return nil }
        self = value
    }
    public var wire: PropertyList { .string(self) }
}

extension Bool: WireValue {
    public init?(wire: PropertyList) {
        guard let value = wire.boolean else { return nil }
        self = value
    }
    public var wire: PropertyList { .boolean(self) }
}

extension Double: WireValue {
    public init?(wire: PropertyList) {
        switch wire {
        case .real(let value): self = value
        case .integer(let value): self = Double(value)
        default: return nil
        }
    }
    public var wire: PropertyList { .real(self) }
}

extension Int: WireValue {
    public init?(wire: PropertyList) {
        guard let value = wire.integer.flatMap(Int.init(exactly:)) else { return nil }
        self = value
    }
    public var wire: PropertyList { .integer(Int64(self)) }
}

/// A packet's serial.
extension UInt32: WireValue {
    public init?(wire: PropertyList) {
        guard let value = wire.integer.flatMap(UInt32.init(exactly:)) else { return nil }
        self = value
    }
    public var wire: PropertyList { .integer(Int64(self)) }
}

extension PropertyList: WireValue {
    public init?(wire: PropertyList) { self = wire }
    public var wire: PropertyList { self }
}

extension PropertyListDictionary: WireValue {
    public init?(wire: PropertyList) {
        guard let value = wire.dictionary else { return nil }
        self = value
    }
    public var wire: PropertyList { .dictionary(self) }
}

extension Array: WireValue where Element: WireValue {
    public init?(wire: PropertyList) {
        guard let values = wire.array else { return nil }
        self = []
        reserveCapacity(values.count)
        for value in values {
            guard let element = Element(wire: value) else { return nil }
            append(element)
        }
    }
    public var wire: PropertyList { .array(map(\.wire)) }
}

/// Enumerations travel by their raw name.
extension WireValue where Self: RawRepresentable, RawValue == String {
    public init?(wire: PropertyList) {
        guard let name = wire.string else { return nil }
        self.init(rawValue: name)
    }
    public var wire: PropertyList { .string(rawValue) }
}

/// An enumeration that a newer peer may know more names of.
public protocol OpenEnumeration: RawRepresentable, WireValue where RawValue == String {
    static var unrecognized: Self { get }
}

extension OpenEnumeration {
    public init?(wire: PropertyList) {
        guard let name = wire.string else { return nil }
        self = Self(rawValue: name) ?? .unrecognized
    }
}

/// A structure inside a message travels as a dictionary of its own.
public protocol WireStructure: WireValue {
    init(_ fields: Fields) throws(ProtocolError)
    func encode(into fields: inout FieldWriter)
}

extension WireStructure {
    public init?(wire: PropertyList) {
        guard let dictionary = wire.dictionary, let value = try? Self(Fields(dictionary, of: .structure(Self.self)))
        else {
            return nil
        }
        self = value
    }
    public var wire: PropertyList {
        var writer = FieldWriter()
        encode(into: &writer)
        return .dictionary(writer.dictionary)
    }
}
