// EncodedValue: items, a value or an error, ready for a packet; and the answer to a load made of one.

public import LinuxDescriptors
public import PropertyListCoding

/// A property list and the descriptors that it names by index.
public struct EncodedValue: Sendable {
    /// The form of `docs/protocol.md`, section 8.
    public var plist: PropertyList
    /// The descriptors, at most 15; each is closed when its last holder goes.
    public var descriptors: [SharedDescriptor]

    /// Takes shared ownership of `descriptors`.
    public init(plist: PropertyList, descriptors: [SharedDescriptor] = []) {
        self.plist = plist
        self.descriptors = descriptors
    }
}

/// Encodes the payload of an answered load: `{"value": …}` or `{"error": …}`.
public func encodeLoadAnswer(_ answer: Result<EncodedValue, any Error>) -> EncodedValue {
    switch answer {
    case .success(let value): EncodedValue(plist: ["value": value.plist], descriptors: value.descriptors)
    case .failure(let error): EncodedValue(plist: ["error": encodeError(error)], descriptors: [])
    }
}

/// Reads such a payload. Throws the item's own error, or one that says the answer cannot be read.
public func decodeLoadAnswer(_ plist: PropertyList, descriptors: [SharedDescriptor]) throws -> EncodedValue {
    if let error = plist.dictionary?["error"] { throw decodeError(error) }
    guard let value = plist.dictionary?["value"] else {
        throw NSItemProvider.error(.unknownError, "the answer to the load has neither a value nor an error")
    }
    return EncodedValue(plist: value, descriptors: descriptors)
}
