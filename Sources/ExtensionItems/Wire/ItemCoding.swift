// ItemCoding: the coding of items, values and errors between processes, for hosts and extensions.

public import Foundation
internal import LinuxDescriptors
public import PropertyListCoding

/// Encodes the items of a request. Attachments are numbered in `table` and loaded on the other side's demand.
///
/// Representations that are private to this process are not named. Strict mode (`ItemMode`) refuses attachments that
/// are no providers.
public func encodeItems(_ items: [NSExtensionItem], into table: ProviderTable) throws(ItemCodingError) -> EncodedValue {
    try checkAttachments(of: items)
    return try encode(items, providers: .number(table))
}

/// Checks the attachments (spec 1.5): lenient unless a test sets strict mode.
private func checkAttachments(of items: [NSExtensionItem]) throws(ItemCodingError) {
    guard ItemMode.current.isStrict else { return }
    for item in items {
        guard let attachments = item.userInfo?[NSExtensionItemAttachmentsKey] else { continue }
        guard let list = attachments as? [Any] else { throw .noProvider(type: "\(type(of: attachments))") }
        for value in list where !(value is NSItemProvider) { throw .noProvider(type: "\(type(of: value))") }
    }
}

/// Reads the items of a request. Attachments load through `loader`.
public func decodeItems(_ value: EncodedValue, loader: any ItemLoader) throws(ItemCodingError) -> [NSExtensionItem] {
    var decoder = ValueDecoder(descriptors: value.descriptors, providers: .load(loader))
    return try decoder.items(value.plist)
}

/// Encodes the items that an extension returns. The items are copied here.
///
/// The extension's own attachments are loaded now and travel with their values; those that came from the host travel as
/// the host's number.
///
/// `completion` is called once: before this returns if nothing must be loaded, else from another thread when every load
/// has been answered. This sets no time limit. A representation that cannot be loaded travels as its error; the whole
/// fails only with an `ItemCodingError` of the items themselves.
///
/// - Parameters:
///   - items: the returned items.
///   - owner: the request that they answer, by its loader's name (`ItemLoader.owner`). Attachments of another one
///     travel like those of this process.
///   - completion: gets the value to send.
public func encodeReturnedItems(
    _ items: [NSExtensionItem], to owner: String = "",
    completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
) {
    do throws(ItemCodingError) { try checkAttachments(of: items) } catch { return completion(.failure(error)) }
    // The items are copied: their author's changes during the loads do not count any more.
    let items = items.map { $0.copy(with: nil) as? NSExtensionItem ?? $0 }
    var search = ProviderSearch(owner: owner)
    search.visit(items, depth: 0)
    let loads = search.found.flatMap { provider in
        provider.representations.filter(\.isVisibleToOthers).map { (provider, $0.typeIdentifier, $0.isMadeAsFile) }
    }
    let finish: @Sendable ([ObjectIdentifier: [LoadedRepresentation]]) -> Void = { loaded in
        completion(Result { try encodeWithFiles(items, loaded, owner) })
    }
    guard !loads.isEmpty else { return finish([:]) }
    let collected = CollectedLoads(count: loads.count) { representations in
        var loaded: [ObjectIdentifier: [LoadedRepresentation]] = [:]
        for (load, representation) in zip(loads, representations) {
            loaded[ObjectIdentifier(load.0), default: []].append(representation)
        }
        finish(loaded)
    }
    for (index, (provider, typeIdentifier, isFile)) in loads.enumerated() {
        // A file that a handler makes may be removed when the process ends: its bytes travel.
        let request = LoadRequest(form: isFile ? .data : .item, isFromOthers: true, mode: ItemMode())
        let conversion: PendingLoad.Conversion = { value, _ in
            if let file = object(value, OpenedFile.self) { return try SealedBytes(reading: file) { _ in true } }
            return object(value, NSURL.self).flatMap { NamedFile(opening: $0 as URL) } ?? value
        }
        provider.startLoad(typeIdentifier, request, conversion: conversion) { result in
            collected.set(index, LoadedRepresentation(typeIdentifier: typeIdentifier, result: result))
        }
    }
}

/// Encodes the values first, then the files.
///
/// Data without a descriptor makes the answer larger; for a file without one, the reader gets only the URL. One
/// descriptor is reserved for files, which is enough for all of them.
private func encodeWithFiles(
    _ items: [NSExtensionItem], _ loaded: [ObjectIdentifier: [LoadedRepresentation]], _ owner: String
) throws(ItemCodingError) -> EncodedValue {
    let providers = ValueEncoder.Providers.include(loaded, owner: owner)
    let files = loaded.values.joined().compactMap {
        (try? $0.result.get().value).flatMap { object($0, NamedFile.self) }?.passed
    }
    guard !files.isEmpty else { return try encode(items, providers: providers) }
    let mostData = WireLimits.descriptors - 1
    let used = try encode(items, providers: providers, mostData: mostData).descriptors.count
    return try encode(
        items, providers: providers, mostData: mostData,
        placement: FilePlacement(files, room: WireLimits.descriptors - used))
}

/// Decodes the items that an extension returned: providers that this process gave out are the original objects.
public func decodeReturnedItems(_ value: EncodedValue, table: ProviderTable) throws(ItemCodingError)
    -> [NSExtensionItem]
{
    var decoder = ValueDecoder(descriptors: value.descriptors, providers: .resolve(table))
    return try decoder.items(value.plist)
}

/// Encodes one loaded value; nil travels as null.
public func encodeValue(_ value: Any?) throws(ItemCodingError) -> EncodedValue {
    var encoder = ValueEncoder(providers: .refuse, largestInlineData: WireLimits.inlineData)
    let plist = try encoder.value(value)
    return EncodedValue(plist: plist, descriptors: encoder.descriptors)
}

/// Encodes the result of a load: large data as its own descriptor, a file as an open one.
func encodeLoaded(_ value: Any?) throws(ItemCodingError) -> EncodedValue {
    if swiftData(value) != nil { return try encodeValue(value) }
    switch value {
    case let file as OpenedFile:
        var entries: [(String, PropertyList)] = [(WireKey.descriptor, .integer(0))]
        if let name = file.name { entries.append((WireKey.name, .string(name))) }
        if let path = file.path { entries.append((WireKey.path, .string(path))) }
        return EncodedValue(
            plist: ValueEncoder(providers: .refuse).tagged(.file, entries), descriptors: [file.descriptor])
    case let file as NamedFile:
        guard let passed = file.passed else { return try encodeValue(file.url) }
        var encoder = ValueEncoder(providers: .refuse)
        guard case .dictionary(var entries) = try encoder.value(file.url) else { return try encodeValue(file.url) }
        entries[WireKey.file] = .integer(0)
        if file.isMade { entries[WireKey.made] = .boolean(true) }
        return EncodedValue(plist: .dictionary(entries), descriptors: [passed.descriptor])
    case let image as ItemImage: return try encodeValue(image.data)
    default: return try encodeValue(value)
    }
}

/// Decodes the result of a load, in the form that `Representation.load` gives.
func decodeLoaded(_ value: EncodedValue) throws(ItemCodingError) -> Any? {
    guard let entries = value.plist.dictionary,
        let kind = entries[WireKey.kind]?.string.flatMap(WireKind.init(rawValue:))
    else {
        return try decodeValue(value)
    }
    func descriptor(_ key: String) throws(ItemCodingError) -> SharedDescriptor {
        guard let index = entries[key]?.integer else { throw .malformed("no descriptor's place as \(key)") }
        guard index >= 0, index < Int64(value.descriptors.count) else { throw .missingDescriptor(Int(index)) }
        return value.descriptors[Int(index)]
    }
    switch kind {
    case .data: return try SealedBytes(received: try descriptor(WireKey.descriptor))
    case .file:
        return try OpenedFile(
            received: try descriptor(WireKey.descriptor), name: entries[WireKey.name]?.string,
            path: entries[WireKey.path]?.string)
    case .url where entries[WireKey.file] != nil:
        guard let url = try decodeValue(value) as? NSURL, url.isFileURL else {
            throw .malformed("a file without its URL")
        }
        let file = try OpenedFile(received: try descriptor(WireKey.file), name: url.lastPathComponent, path: nil)
        return NamedFile(loaded: file, url: url, isMade: entries[WireKey.made]?.boolean == true)
    default: return try decodeValue(value)
    }
}

/// Decodes one loaded value as one of Foundation's objects; null is nil.
public func decodeValue(_ value: EncodedValue) throws(ItemCodingError) -> Any? {
    var decoder = ValueDecoder(descriptors: value.descriptors, providers: .refuse)
    let decoded = try decoder.value(value.plist)
    return decoded is NSNull ? nil : decoded
}

/// Encodes an error as far as it can travel.
///
/// That is its domain, code and description, the property list values of `userInfo`, the errors in it, and items with
/// their errors. The rest is omitted, also the contents of attachments that are not the receiver's own; `owner` as in
/// `encodeReturnedItems`.
public func encodeError(_ error: any Error, to owner: String = "") -> PropertyList {
    var encoder = ValueEncoder(providers: .include([:], owner: owner))
    return encoder.error(error)
}

/// Decodes an error. With a table, attachments that this process gave out are the original objects.
///
/// An error that cannot be read is reported as `NSItemProvider`'s `unknownError` with the reason below it.
public func decodeError(_ plist: PropertyList, table: ProviderTable? = nil) -> NSError {
    var decoder = ValueDecoder(descriptors: [], providers: .resolve(table))
    do {
        if let error = try decoder.value(plist) as? NSError { return error }
        throw ItemCodingError.malformed("no error")
    } catch {
        return NSItemProvider.error(.unknownError, "The error itself could not be read.", underlying: error)
    }
}

private func encode(
    _ items: [NSExtensionItem], providers: ValueEncoder.Providers, mostData: Int = WireLimits.descriptors,
    placement: FilePlacement = FilePlacement()
) throws(ItemCodingError) -> EncodedValue {
    guard items.count <= WireLimits.items else { throw .tooMany("items", limit: WireLimits.items) }
    var encoder = ValueEncoder(providers: providers, largestInlineData: WireLimits.inlineData)
    (encoder.mostData, encoder.placement) = (mostData, placement)
    let plist = try encoder.value(items)
    return EncodedValue(plist: plist, descriptors: encoder.descriptors)
}
