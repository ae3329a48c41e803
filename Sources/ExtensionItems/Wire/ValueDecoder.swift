// ValueDecoder: the decoding of WireFormat to values of Foundation. The input is a stranger's: everything is checked.

internal import Foundation
internal import LinuxDescriptors
internal import PropertyListCoding

struct ValueDecoder {
    /// The result of decoding a provider.
    enum Providers {
        case refuse
        /// A provider that loads through the other side.
        case load(any ItemLoader)
        /// A provider of this process that comes back, or one with its values.
        ///
        /// Without a table, those of this process come back empty.
        case resolve(ProviderTable?)
    }

    let descriptors: [SharedDescriptor]
    let providers: Providers
    /// The decoded providers, one object for each number.
    private var decoded: [Int64: NSItemProvider] = [:]
    /// The data that was read, one object for each descriptor: naming one a thousand times costs nothing.
    private var read: [Int: Data] = [:]
    private var depth = 0
    private var count = 0

    init(descriptors: [SharedDescriptor], providers: Providers) {
        self.descriptors = descriptors
        self.providers = providers
    }

    /// Decodes a value in its Foundation form; null is `NSNull`.
    mutating func value(_ plist: PropertyList) throws(ItemCodingError) -> Any {
        count += 1
        guard count <= WireLimits.values else { throw .tooMany("values", limit: WireLimits.values) }
        guard depth < WireLimits.depth else { throw .tooDeep(limit: WireLimits.depth) }
        depth += 1
        defer { depth -= 1 }
        switch plist {
        case .array(let elements): return foundationArray(try list(elements))
        case .dictionary(let entries):
            guard let kind = entries[WireKey.kind] else {
                return NSDictionary(dictionary: try plainDictionary(entries))
            }
            guard let known = kind.string.flatMap(WireKind.init(rawValue:)) else {
                throw .malformed("an unknown $kind")
            }
            return try tagged(known, entries)
        default: return foundationObject(plist)
        }
    }

    private mutating func tagged(_ kind: WireKind, _ entries: PropertyListDictionary) throws(ItemCodingError) -> Any {
        switch kind {
        case .null: return NSNull()
        case .url: return try url(entries)
        case .data: return try data(entries)
        // A file is only ever a whole answer, which is read elsewhere.
        case .file: throw .malformed("a file inside a value")
        case .dictionary:
            guard let value = entries[WireKey.value]?.dictionary else {
                throw .malformed("a wrapped dictionary without value")
            }
            return NSDictionary(dictionary: try plainDictionary(value))
        case .attributedString: return try attributedString(entries)
        case .error: return try error(entries)
        case .item: return try item(entries)
        case .provider, .loadedProvider, .ownProvider: return try provider(kind, entries)
        }
    }

    private mutating func list(_ elements: [PropertyList]) throws(ItemCodingError) -> [Any] {
        var list: [Any] = []
        list.reserveCapacity(elements.count)
        for element in elements { list.append(try value(element)) }
        return list
    }

    /// Decodes a dictionary where only a dictionary is possible.
    mutating func plainDictionary(_ entries: PropertyListDictionary) throws(ItemCodingError) -> [AnyHashable: Any] {
        var dictionary: [AnyHashable: Any] = [:]
        dictionary.reserveCapacity(entries.count)
        let (keys, values) = (entries.keys, entries.values)
        for index in keys.indices { dictionary[keys[index]] = try value(values[index]) }
        return dictionary
    }

    func string(_ key: String, of entries: PropertyListDictionary) throws(ItemCodingError) -> String {
        guard let string = entries[key]?.string else { throw .malformed("no string \(key)") }
        return string
    }

    private func url(_ entries: PropertyListDictionary) throws(ItemCodingError) -> NSURL {
        let string = try string(WireKey.string, of: entries)
        var base: URL?
        if let text = entries[WireKey.base] {
            guard let url = text.string.flatMap({ URL(string: $0) }) else { throw .malformed("a URL's base") }
            base = url
        }
        guard let url = NSURL(string: string, relativeTo: base) else { throw .malformed("a URL") }
        return url
    }

    private mutating func data(_ entries: PropertyListDictionary) throws(ItemCodingError) -> Data {
        guard let index = entries[WireKey.descriptor]?.integer else { throw .malformed("data without a descriptor") }
        guard index >= 0, index < Int64(descriptors.count) else { throw .missingDescriptor(Int(index)) }
        if let known = read[Int(index)] { return known }
        let data = try SealedBytes(received: descriptors[Int(index)]).data()
        read[Int(index)] = data
        return data
    }

    mutating func item(_ entries: PropertyListDictionary) throws(ItemCodingError) -> NSExtensionItem {
        guard let userInfo = entries[WireKey.userInfo]?.dictionary else { throw .malformed("an item without userInfo") }
        let item = NSExtensionItem()
        item.userInfo = try plainDictionary(userInfo)
        return item
    }

    /// Decodes the items of a request or an outcome.
    mutating func items(_ plist: PropertyList) throws(ItemCodingError) -> [NSExtensionItem] {
        guard let elements = plist.array else { throw .malformed("no array of items") }
        guard elements.count <= WireLimits.items else { throw .tooMany("items", limit: WireLimits.items) }
        var items: [NSExtensionItem] = []
        for element in elements {
            guard let item = try value(element) as? NSExtensionItem else { throw .malformed("a value among the items") }
            items.append(item)
        }
        return items
    }

    // MARK: Providers

    private mutating func provider(_ kind: WireKind, _ entries: PropertyListDictionary) throws(ItemCodingError)
        -> NSItemProvider
    {
        switch (kind, providers) {
        case (.provider, .load(let loader)): return try remoteProvider(entries, loader)
        case (.loadedProvider, .resolve): return try loadedProvider(entries)
        case (.ownProvider, .resolve(let table)):
            let number = try number(entries)
            guard let table else { return NSItemProvider() }
            guard let own = table[Int(number)] else { throw .unknownProvider(Int(number)) }
            return own
        default: throw .malformed("a provider of kind \(kind.rawValue) in this place")
        }
    }

    private func number(_ entries: PropertyListDictionary) throws(ItemCodingError) -> Int64 {
        guard let number = entries[WireKey.number]?.integer, number > 0 else { throw .malformed("a provider's number") }
        return number
    }

    private mutating func remoteProvider(
        _ entries: PropertyListDictionary, _ loader: any ItemLoader
    ) throws(ItemCodingError) -> NSItemProvider {
        let number = try number(entries)
        if let known = decoded[number] { return known }
        var representations: [Representation] = []
        guard let types = entries[WireKey.types]?.array else { throw .malformed("a provider without types") }
        guard types.count <= WireLimits.types else {
            throw .tooMany("types of an item provider", limit: WireLimits.types)
        }
        var places: Set<String> = []
        if let inPlace = entries[WireKey.inPlace] {
            guard let list = inPlace.array, list.count <= WireLimits.types else {
                throw .malformed("types that open in place")
            }
            places = Set(list.compactMap(\.string))
        }
        for type in types {
            let identifier = try typeIdentifier(type)
            representations.append(
                Representation(
                    typeIdentifier: identifier, fileOptions: places.contains(identifier) ? .openInPlace : [],
                    source: .remote(loader, provider: Int(number))))
        }
        let provider = NSItemProvider(
            representations: representations, suggestedName: entries[WireKey.name]?.string,
            remoteName: NSItemProvider.RemoteName(owner: loader.owner, number: Int(number)))
        decoded[number] = provider
        return provider
    }

    private mutating func loadedProvider(_ entries: PropertyListDictionary) throws(ItemCodingError) -> NSItemProvider {
        guard let list = entries[WireKey.representations]?.array else {
            throw .malformed("a provider without representations")
        }
        guard list.count <= WireLimits.types else {
            throw .tooMany("types of an item provider", limit: WireLimits.types)
        }
        var representations: [Representation] = []
        for entry in list {
            guard let entry = entry.dictionary else { throw .malformed("a representation") }
            let source: Representation.Source
            if let value = entry[WireKey.value] {
                let value = try self.value(value)
                source = .value(Handover(value: value is NSNull ? nil : try returnedFile(value, entry) ?? value))
            } else if let error = entry[WireKey.error], let decoded = try value(error) as? NSError {
                source = .failed(decoded)
            } else {
                throw .malformed("a representation without value or error")
            }
            representations.append(
                Representation(typeIdentifier: try typeIdentifier(entry[WireKey.type]), source: source))
        }
        return NSItemProvider(
            representations: representations, suggestedName: entries[WireKey.name]?.string, isReturned: true)
    }

    /// Returns the file of a returned URL, with the file itself or its bytes if its sender passed them on.
    private mutating func returnedFile(_ value: Any, _ entry: PropertyListDictionary) throws(ItemCodingError)
        -> NamedFile?
    {
        let url = object(value, NSURL.self)
        if let place = entry[WireKey.file] {
            guard let url, url.isFileURL, let index = place.integer else { throw .malformed("a file without its URL") }
            guard index >= 0, index < Int64(descriptors.count) else { throw .missingDescriptor(Int(index)) }
            let file = try OpenedFile(received: descriptors[Int(index)], name: url.lastPathComponent, path: nil)
            return NamedFile(received: file, url: url)
        }
        if let bytes = entry[WireKey.bytes] {
            guard let url, url.isFileURL, let bytes = bytes.dictionary else {
                throw .malformed("a file's bytes without its URL")
            }
            return NamedFile(bytes: try part(bytes), url: url)
        }
        return url.flatMap { $0.isFileURL ? NamedFile(received: nil, url: $0) : nil }
    }

    /// Returns a view of some of the bytes behind a descriptor.
    private mutating func part(_ entries: PropertyListDictionary) throws(ItemCodingError) -> Data {
        let all = try data(entries)
        guard let offset = entries[WireKey.offset]?.integer, let length = entries[WireKey.length]?.integer, offset >= 0,
            length >= 0,
            offset <= all.count, length <= Int64(all.count) - offset
        else { throw .malformed("bytes that are not there") }
        return all[Int(offset)..<Int(offset + length)]
    }

    private func typeIdentifier(_ plist: PropertyList?) throws(ItemCodingError) -> String {
        guard let identifier = plist?.string, !identifier.isEmpty, identifier.utf8.count <= WireLimits.identifier else {
            throw .malformed("a type identifier")
        }
        return identifier
    }

    // MARK: Errors

    mutating func error(_ entries: PropertyListDictionary) throws(ItemCodingError) -> NSError {
        guard let code = entries[WireKey.code]?.integer else { throw .malformed("an error without code") }
        let domain = try string(WireKey.domain, of: entries)
        // Foundation on Linux makes an Int32 of the code for strerror(3), and ends the process if it does not fit.
        guard domain != NSPOSIXErrorDomain || Int32(exactly: code) != nil else {
            throw .malformed("a code that no errno has")
        }
        var userInfo: [String: Any] = [:]
        for (key, plist) in entries[WireKey.userInfo]?.dictionary ?? [:] { userInfo[key] = try value(plist) }
        if userInfo[NSLocalizedDescriptionKey] == nil, let description = entries[WireKey.description]?.string {
            userInfo[NSLocalizedDescriptionKey] = description
        }
        if let underlying = entries[WireKey.underlying] {
            guard let error = try value(underlying) as? NSError else { throw .malformed("an underlying error") }
            userInfo[NSUnderlyingErrorKey] = error
        }
        if let pairs = entries[WireKey.itemsAndErrors] {
            userInfo[NSExtensionItemsAndErrorsKey] = try itemsAndErrors(pairs)
        }
        return NSError(domain: domain, code: Int(code), userInfo: userInfo)
    }

    private mutating func itemsAndErrors(_ plist: PropertyList) throws(ItemCodingError) -> [NSExtensionItem: NSError] {
        guard let list = plist.array else { throw .malformed("items and errors") }
        guard list.count <= WireLimits.items else { throw .tooMany("items", limit: WireLimits.items) }
        var pairs: [NSExtensionItem: NSError] = [:]
        for entry in list {
            guard let entry = entry.dictionary, let itemList = entry[WireKey.item],
                let errorList = entry[WireKey.error],
                let item = try value(itemList) as? NSExtensionItem, let error = try value(errorList) as? NSError
            else { throw .malformed("a pair of item and error") }
            pairs[item] = error
        }
        return pairs
    }
}
