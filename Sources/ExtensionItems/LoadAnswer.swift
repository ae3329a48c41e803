// LoadAnswer: what a load brings back: a value, or the error of the item itself.

public import LinuxSystem
public import PropertyListCoding

/// The payload of an answered load: `{"value": …}` or `{"error": …}`.
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
        throw NSItemProvider.error(.unknownError, "the answer to the load holds neither a value nor an error")
    }
    return EncodedValue(plist: value, descriptors: descriptors)
}
