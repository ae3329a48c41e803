// ItemCoding: items, values and errors between processes: what hosts and extensions call.

public import Foundation
public import PropertyListCoding

/// Writes the items of a request. Attachments are numbered in `table` and loaded when the other side asks; representations
/// of this process alone are not named.
public func encodeItems(_ items: [NSExtensionItem], into table: ProviderTable) throws(ItemCodingError) -> EncodedValue {
    try encode(items, providers: .number(table))
}

/// Reads the items of a request. Attachments load through `loader`.
public func decodeItems(_ value: EncodedValue, loader: any ItemLoader) throws(ItemCodingError) -> [NSExtensionItem] {
    var decoder = ValueDecoder(descriptors: value.descriptors, providers: .load(loader))
    return try decoder.items(value.plist)
}

/// Writes what an extension returns: attachments of its own are loaded now and travel with their values, those that came from
/// the host travel as the host's number.
///
/// `completion` is called once: before this returns when nothing is to be loaded, else from another thread when every load has
/// been answered. No time limit is set here. A representation that cannot be loaded travels as its error; the whole fails only
/// with an `ItemCodingError` of the items themselves.
public func encodeReturnedItems(
    _ items: [NSExtensionItem], completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
) {
    var search = ProviderSearch()
    search.visit(items, depth: 0)
    let loads = search.found.flatMap { provider in
        provider.representations.filter(\.isVisibleToOthers).map { (provider, $0.typeIdentifier) }
    }
    let finish: @Sendable ([ObjectIdentifier: [LoadedRepresentation]]) -> Void = { loaded in
        completion(Result { try encode(items, providers: .include(loaded)) })
    }
    guard !loads.isEmpty else { return finish([:]) }
    let collected = CollectedLoads(count: loads.count) { representations in
        var loaded: [ObjectIdentifier: [LoadedRepresentation]] = [:]
        for (load, representation) in zip(loads, representations) {
            loaded[ObjectIdentifier(load.0), default: []].append(representation)
        }
        finish(loaded)
    }
    for (index, (provider, typeIdentifier)) in loads.enumerated() {
        provider.startLoad(typeIdentifier, visibleToOthers: true) { result in
            collected.set(index, LoadedRepresentation(typeIdentifier: typeIdentifier, result: result))
        }
    }
}

/// Reads what an extension returned: providers that this process gave out are the original objects.
public func decodeReturnedItems(_ value: EncodedValue, table: ProviderTable) throws(ItemCodingError) -> [NSExtensionItem] {
    var decoder = ValueDecoder(descriptors: value.descriptors, providers: .resolve(table))
    return try decoder.items(value.plist)
}

/// Answers a load from the other side, by the best match among the representations that others may see.
///
/// `completion` is called once, from another thread. A value that cannot travel fails with `unexpectedValueClassError`, whose
/// underlying error says what it was.
public func serveLoad(
    provider: NSItemProvider, typeIdentifier: String, completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
) {
    provider.startLoad(typeIdentifier, visibleToOthers: true) { result in
        completion(
            Result {
                let loaded = try result.get().value
                do { return try encodeValue(loaded) } catch {
                    throw NSItemProvider.error(.unexpectedValueClassError, "\(error).", underlying: error)
                }
            })
    }
}

/// Writes one loaded value; nil travels as null.
public func encodeValue(_ value: Any?) throws(ItemCodingError) -> EncodedValue {
    var encoder = ValueEncoder(providers: .refuse, largestInlineData: WireLimits.inlineData)
    let plist = try encoder.value(value)
    return EncodedValue(plist: plist, descriptors: encoder.descriptors)
}

/// Reads one loaded value as one of Foundation's objects; null is nil.
public func decodeValue(_ value: EncodedValue) throws(ItemCodingError) -> Any? {
    var decoder = ValueDecoder(descriptors: value.descriptors, providers: .refuse)
    let decoded = try decoder.value(value.plist)
    return decoded is NSNull ? nil : decoded
}

/// Writes an error as far as it can travel: domain, code, description, what a property list can hold of `userInfo`, the
/// underlying error, and items with their errors. The rest is left out, also the contents of attachments that are not the
/// receiver's own.
public func encodeError(_ error: any Error) -> PropertyList {
    var encoder = ValueEncoder(providers: .include([:]))
    return encoder.error(error)
}

/// Reads an error. With a table, attachments that this process gave out are the original objects. An error that cannot be read
/// is reported as `NSItemProvider`'s `unknownError` with the reason below it.
public func decodeError(_ plist: PropertyList, table: ProviderTable? = nil) -> NSError {
    var decoder = ValueDecoder(descriptors: [], providers: .resolve(table))
    do {
        if let error = try decoder.value(plist) as? NSError { return error }
        throw ItemCodingError.malformed("no error")
    } catch {
        return NSItemProvider.error(.unknownError, "The error itself could not be read.", underlying: error)
    }
}

private func encode(_ items: [NSExtensionItem], providers: ValueEncoder.Providers) throws(ItemCodingError) -> EncodedValue {
    guard items.count <= WireLimits.items else { throw .tooMany("items", limit: WireLimits.items) }
    var encoder = ValueEncoder(providers: providers, largestInlineData: WireLimits.inlineData)
    let plist = try encoder.value(items)
    return EncodedValue(plist: plist, descriptors: encoder.descriptors)
}
