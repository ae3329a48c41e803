// ValueEncoder: the encoding of Foundation's values in WireFormat.

internal import Foundation
internal import LinuxDescriptors
internal import PropertyListCoding

struct ValueEncoder {
    /// The treatment of a provider.
    enum Providers {
        case refuse
        /// A provider is numbered here, and loaded on demand.
        case number(ProviderTable)
        /// A provider is sent with the values that were loaded for it; those of the receiver, which is `owner`, are
        /// sent by number.
        case include([ObjectIdentifier: [LoadedRepresentation]], owner: String)
    }

    /// The kinds of values that are allowed.
    enum Values {
        /// All kinds that `WireFormat` lists.
        case all
        /// The native kinds of a property list, and errors: for the `userInfo` of one.
        case plain
        /// The kinds of `plain`, and the reserved key has no meaning: for data that is a property list of its own.
        case raw
    }

    let providers: Providers
    var values = Values.all
    var largestInlineData = Int.max
    /// The limit of descriptors for data.
    var mostData = WireLimits.descriptors
    /// The places of files.
    var placement = FilePlacement()
    private(set) var descriptors: [SharedDescriptor] = []
    /// The places of files among the descriptors, and that of the bytes which others share.
    private var files: [ObjectIdentifier: Int64] = [:]
    private var depth = 0
    private var count = 0
    /// The number of errors inside errors so far.
    private var errors = 0

    init(providers: Providers, values: Values = .all, largestInlineData: Int = .max) {
        self.providers = providers
        self.values = values
        self.largestInlineData = largestInlineData
    }

    mutating func value(_ value: Any?) throws(ItemCodingError) -> PropertyList {
        count += 1
        guard count <= WireLimits.values else { throw .tooMany("values", limit: WireLimits.values) }
        guard depth < WireLimits.depth else { throw .tooDeep(limit: WireLimits.depth) }
        depth += 1
        defer { depth -= 1 }
        guard let value else {
            guard values == .all else { throw .unsupportedValue(type: "nil") }
            return tagged(.null)
        }
        if let data = swiftData(value) { return self.data(data) }
        if let object = classInstance(value) { return try self.value(of: object) }
        switch value {
        case let text as String: return .string(text)
        case let date as Date: return try self.date(date)
        case let array as [Any]: return .array(try list(array))
        case let dictionary as [AnyHashable: Any]: return wrapped(try plainDictionary(dictionary))
        case let number as NSNumber: return try self.number(number)
        default: break
        }
        if values == .plain, errors < WireLimits.errors, let error = value as? any Error { return self.error(error) }
        guard values == .all else { throw .unsupportedValue(type: "\(type(of: value))") }
        switch value {
        case let url as URL: return self.url(url)
        case let error as any Error: return self.error(error)
        case let hashable as AnyHashable where type(of: value) == AnyHashable.self: return try self.value(hashable.base)
        case let optional as any Optionality: return try self.value(optional.held)
        default: throw .unsupportedValue(type: "\(type(of: value))")
        }
    }

    private mutating func value(of object: AnyObject) throws(ItemCodingError) -> PropertyList {
        switch object {
        case let text as NSString: return .string(String._unconditionallyBridgeFromObjectiveC(text))
        case let number as NSNumber: return try self.number(number)
        case let date as NSDate: return try self.date(date as Date)
        case let array as NSArray: return .array(try list(Array._unconditionallyBridgeFromObjectiveC(array)))
        case let dictionary as NSDictionary:
            return wrapped(try plainDictionary(Dictionary._unconditionallyBridgeFromObjectiveC(dictionary)))
        default: break
        }
        if values == .plain, errors < WireLimits.errors, let error = object as? any Error { return self.error(error) }
        guard values == .all else { throw .unsupportedValue(type: "\(type(of: object))") }
        switch object {
        case is NSNull: return tagged(.null)
        case let url as NSURL: return self.url(url)
        case let text as NSAttributedString: return try attributedString(text)
        case let item as NSExtensionItem: return try self.item(item)
        case let provider as NSItemProvider: return try self.provider(provider)
        case let bytes as SealedBytes: return try sealed(bytes)
        case let returned as NamedFile: return self.url(returned.url)
        case let image as ItemImage: return data(image.data)
        case let error as any Error: return self.error(error)
        default: throw .unsupportedValue(type: "\(type(of: object))")
        }
    }

    private func date(_ date: Date) throws(ItemCodingError) -> PropertyList {
        guard !date.timeIntervalSinceReferenceDate.isNaN else { throw .unsupportedNumber("of a date, not-a-number,") }
        return .date(date.timeIntervalSinceReferenceDate)
    }

    private mutating func list(_ array: [Any]) throws(ItemCodingError) -> [PropertyList] {
        var list: [PropertyList] = []
        list.reserveCapacity(array.count)
        for element in array { list.append(try value(element)) }
        return list
    }

    /// Encodes a dictionary where only a dictionary is possible: the reserved key has no meaning there.
    mutating func plainDictionary(_ dictionary: [AnyHashable: Any]) throws(ItemCodingError) -> PropertyListDictionary {
        var entries: [(String, PropertyList)] = []
        entries.reserveCapacity(dictionary.count)
        for (key, value) in dictionary {
            guard let key = key.base as? String else { throw .nonStringKey("\(key.base)") }
            entries.append((key, try self.value(value)))
        }
        return PropertyListDictionary(entries)
    }

    private func wrapped(_ dictionary: PropertyListDictionary) -> PropertyList {
        guard values != .raw, dictionary[WireKey.kind] != nil else { return .dictionary(dictionary) }
        return tagged(.dictionary, [(WireKey.value, .dictionary(dictionary))])
    }

    func tagged(_ kind: WireKind, _ entries: [(String, PropertyList)] = []) -> PropertyList {
        .dictionary(PropertyListDictionary([(WireKey.kind, .string(kind.rawValue))] + entries))
    }

    private func number(_ number: NSNumber) throws(ItemCodingError) -> PropertyList {
        guard !(number is NSDecimalNumber) else { throw .unsupportedNumber("\(number)") }
        // Foundation has one object for each truth value; its type letter is that of small integers, too.
        if number === NSNumber(value: true) || number === NSNumber(value: false) { return .boolean(number.boolValue) }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"): return .real(number.doubleValue)
        default:
            guard number.uint64Value <= UInt64(Int64.max) || number.compare(NSNumber(value: 0)) == .orderedAscending
            else {
                throw .unsupportedNumber("\(number)")
            }
            return .integer(number.int64Value)
        }
    }

    private mutating func data(_ data: Data) -> PropertyList {
        if data.count > largestInlineData, data.count <= WireLimits.sharedData, hasRoom,
            let bytes = SealedBytes(copying: data)
        {
            return passed(bytes)
        }
        return .data([UInt8](data))
    }

    /// Encodes sealed data; it is sent as its descriptor, while there is room.
    private mutating func sealed(_ bytes: SealedBytes) throws(ItemCodingError) -> PropertyList {
        bytes.count > largestInlineData && hasRoom ? passed(bytes) : .data([UInt8](try bytes.data()))
    }

    private var hasRoom: Bool { descriptors.count - files.count < mostData }

    private mutating func passed(_ bytes: SealedBytes) -> PropertyList {
        descriptors.append(bytes.descriptor)
        return tagged(.data, [(WireKey.descriptor, .integer(Int64(descriptors.count - 1)))])
    }

    private func url(_ url: URL) -> PropertyList { self.url(url.relativeString, base: url.baseURL) }

    /// Encodes a URL unchanged: on Linux it loses its base when it is turned into an object, and back.
    private func url(_ url: NSURL) -> PropertyList { self.url(url.relativeString, base: url.baseURL) }

    private func url(_ relative: String, base: URL?) -> PropertyList {
        tagged(
            .url,
            [(WireKey.string, .string(relative))] + (base.map { [(WireKey.base, .string($0.absoluteString))] } ?? []))
    }

    private mutating func item(_ item: NSExtensionItem) throws(ItemCodingError) -> PropertyList {
        tagged(.item, [(WireKey.userInfo, .dictionary(try plainDictionary(item.userInfo ?? [:])))])
    }

    private mutating func provider(_ provider: NSItemProvider) throws(ItemCodingError) -> PropertyList {
        let types = provider.representations.filter(\.isVisibleToOthers).map(\.typeIdentifier)
        guard types.count <= WireLimits.types else {
            throw .tooMany("types of an item provider", limit: WireLimits.types)
        }
        let name = provider.suggestedName.map { [(WireKey.name, PropertyList.string($0))] } ?? []
        switch providers {
        case .refuse: throw .providerNotAllowed
        case .number(let table):
            let number = Int64(table.register(provider))
            let inPlace = provider.representations.filter {
                $0.isVisibleToOthers && $0.fileOptions.contains(.openInPlace)
            }
            let places = PropertyList.array(inPlace.map { .string($0.typeIdentifier) })
            return tagged(
                .provider,
                [(WireKey.number, .integer(number)), (WireKey.types, .array(types.map { .string($0) }))]
                    + (inPlace.isEmpty ? [] : [(WireKey.inPlace, places)]) + name)
        case .include(let loaded, let owner):
            if let number = provider.number(at: owner) {
                return tagged(.ownProvider, [(WireKey.number, .integer(Int64(number)))])
            }
            var representations: [PropertyList] = []
            for representation in loaded[ObjectIdentifier(provider)] ?? types.map(LoadedRepresentation.init(notSent:)) {
                representations.append(.dictionary(self.representation(representation)))
            }
            return tagged(.loadedProvider, [(WireKey.representations, .array(representations))] + name)
        }
    }

    /// Encodes a representation. A value that cannot travel arrives as its error, and the others are not affected.
    private mutating func representation(_ loaded: LoadedRepresentation) -> PropertyListDictionary {
        let before = (count: descriptors.count, depth: depth)
        do {
            let value = try loaded.result.get().value
            do {
                var entries: PropertyListDictionary = [
                    WireKey.type: .string(loaded.typeIdentifier), WireKey.value: try plain(value),
                ]
                if let file = object(value, NamedFile.self)?.passed, let place = placement[file] {
                    switch place {
                    case .passed(let descriptor): entries[WireKey.file] = .integer(index(of: descriptor))
                    case .shared(let descriptor, let range):
                        entries[WireKey.bytes] = [
                            WireKey.descriptor: .integer(index(of: descriptor)),
                            WireKey.offset: .integer(Int64(range.lowerBound)),
                            WireKey.length: .integer(Int64(range.count)),
                        ]
                    }
                }
                return entries
            } catch {
                throw NSItemProvider.error(.unexpectedValueClassError, "\(error).", underlying: error)
            }
        } catch {
            descriptors.removeLast(descriptors.count - before.count)
            depth = before.depth
            return [WireKey.type: .string(loaded.typeIdentifier), WireKey.error: self.error(error)]
        }
    }

    /// Returns the index of a descriptor, one for each, however often it is named.
    private mutating func index(of descriptor: SharedDescriptor) -> Int64 {
        let name = ObjectIdentifier(descriptor)
        if let known = files[name] { return known }
        descriptors.append(descriptor)
        files[name] = Int64(descriptors.count - 1)
        return Int64(descriptors.count - 1)
    }

    /// Encodes a loaded value, in which no provider is allowed.
    private mutating func plain(_ value: Any?) throws(ItemCodingError) -> PropertyList {
        var encoder = self
        encoder = ValueEncoder(providers: .refuse, largestInlineData: largestInlineData)
        (encoder.descriptors, encoder.files, encoder.mostData) = (descriptors, files, mostData)
        encoder.depth = depth
        encoder.count = count
        let encoded = try encoder.value(value)
        descriptors = encoder.descriptors
        count = encoder.count
        return encoded
    }

    // MARK: Errors

    /// Encodes an error as far as it can travel, and omits the rest (spec 1.3).
    mutating func error(_ error: any Error) -> PropertyList {
        let error = error as NSError
        var entries: [(String, PropertyList)] = [
            (WireKey.domain, .string(error.domain)), (WireKey.code, .integer(Int64(error.code))),
            (WireKey.description, .string(error.localizedDescription)),
        ]
        errors += 1
        // An error below this one, and a value in it, must still be within the reader's bound.
        if depth + 2 < WireLimits.depth {
            depth += 1
            if errors < WireLimits.errors, let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error {
                entries.append((WireKey.underlying, self.error(underlying)))
            }
            if let pairs = error.userInfo[NSExtensionItemsAndErrorsKey] as? [AnyHashable: Any] {
                entries.append((WireKey.itemsAndErrors, .array(itemsAndErrors(pairs))))
            }
            depth -= 1
        }
        var userInfo: [(String, PropertyList)] = []
        for (key, value) in error.userInfo where key != NSUnderlyingErrorKey && key != NSExtensionItemsAndErrorsKey {
            var plain = ValueEncoder(providers: .refuse, values: .plain)
            plain.depth = depth + 1
            (plain.count, plain.errors) = (count, errors)
            if let encoded = try? plain.value(value) { userInfo.append((key, encoded)) }
            // The counts include an omitted value: examining it took time.
            (count, errors) = (plain.count, plain.errors)
        }
        if !userInfo.isEmpty { entries.append((WireKey.userInfo, .dictionary(PropertyListDictionary(userInfo)))) }
        return tagged(.error, entries)
    }

    private mutating func itemsAndErrors(_ pairs: [AnyHashable: Any]) -> [PropertyList] {
        var list: [PropertyList] = []
        for (key, value) in pairs {
            guard let item = key.base as? NSExtensionItem, let error = value as? any Error else { continue }
            var encoder = self
            let encoded = try? encoder.value(item)
            (count, errors) = (encoder.count, encoder.errors)
            guard let encoded else { continue }
            self = encoder
            list.append([WireKey.item: encoded, WireKey.error: self.error(error)])
        }
        return list
    }
}
