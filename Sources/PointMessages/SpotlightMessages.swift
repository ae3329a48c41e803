// SpotlightMessages: the calls of Spotlight extensions, and those of the service that keeps the index.

public import ExtensionPointKit

// MARK: - Of the extension point, and of the service to an app

/// Asks for all items again. A part tells that the author's code has changed the index meanwhile.
public struct ReindexAllItems: PointMessage {
    public static let name = "index.reindexAllSearchableItems"
    public init() {}
}

/// Asks for some items again. A part tells that the author's code has changed the index meanwhile.
public struct ReindexItems: PointMessage {
    public static let name = "index.reindexSearchableItems"
    public var identifiers: [String]
    public init(_ identifiers: [String]) { self.identifiers = identifiers }
}

/// Tells that changes of the index wait.
public struct IndexThrottled: PointMessage {
    public static let name = "index.searchableIndexDidThrottle"
    public init() {}
}

/// Tells that changes of the index go on.
public struct IndexUnthrottled: PointMessage {
    public static let name = "index.searchableIndexDidFinishThrottle"
    public init() {}
}

/// Asks for the data of an item, in a type.
public struct IndexedData: PointMessage {
    public static let name = "index.data"

    public struct Reply: Codable, Sendable {
        public var data: [UInt8]
        public init(_ data: [UInt8]) { self.data = data }
    }

    public var identifier: String
    /// The uniform type identifier of the data.
    public var type: String

    /// Makes the call; each value is described at its property.
    public init(_ identifier: String, type: String) { (self.identifier, self.type) = (identifier, type) }
}

/// Asks for the file of an item, in a type.
public struct IndexedFile: PointMessage {
    public static let name = "index.file"

    public struct Reply: Codable, Sendable {
        public var name: String
        public var file: PointFile

        /// Makes the reply; each value is described at its property.
        public init(name: String, file: PointFile) { (self.name, self.file) = (name, file) }
    }

    public var identifier: String
    /// The uniform type identifier of the file.
    public var type: String
    /// Whether the file itself is wanted, and no copy.
    public var inPlace: Bool

    /// Makes the call; each value is described at its property.
    public init(_ identifier: String, type: String, inPlace: Bool) {
        (self.identifier, self.type, self.inPlace) = (identifier, type, inPlace)
    }
}

/// Ends the session. Its request completes without items.
public struct IndexEnd: PointMessage {
    public static let name = "index.end"
    public init() {}
}

// MARK: - Of import extensions

/// Asks for the attributes of a file.
public struct ImportFile: PointMessage {
    public static let name = "import.updateAttributes"

    public struct Reply: Codable, Sendable {
        /// The attributes, as those of an item.
        public var item: SpotlightItem
        public init(_ item: SpotlightItem) { self.item = item }
    }

    /// The name of the file.
    public var fileName: String
    /// The uniform type identifier of the file.
    public var type: String
    public var file: PointFile

    /// Makes the call; each value is described at its property.
    public init(fileName: String, type: String, file: PointFile) {
        (self.fileName, self.type, self.file) = (fileName, type, file)
    }
}

/// Ends the session. Its request completes without items.
public struct EndImport: PointMessage {
    public static let name = "import.end"
    public init() {}
}

// MARK: - Of the service

/// The service of the index.
public enum SpotlightService {
    /// The name under which a host provides it.
    public static let name = "org.exthost.spotlight"
    /// The domain of the index's errors.
    public static let errorDomain = "CSIndexErrorDomain"
    /// The domain of the errors of queries.
    public static let queryErrorDomain = "CSSearchQueryErrorDomain"
}

/// An item of the index.
public struct SpotlightItem: Codable, Sendable, Hashable {
    public var identifier: String
    public var domain: String?
    /// The time from which it is not found any more, in seconds since 2001; absent: a month from now.
    public var expires: Double?
    /// The attributes, a dictionary by their names.
    public var attributes: PointValue
    /// The names of further attributes that free words search.
    public var searchable: [String]?
    public var thumbnail: [UInt8]?
    /// Whether attributes that it lacks are kept.
    public var isUpdate: Bool

    /// Makes an item; each value is described at its property.
    public init(
        identifier: String, domain: String? = nil, expires: Double? = nil, attributes: PointValue,
        searchable: [String]? = nil, thumbnail: [UInt8]? = nil, isUpdate: Bool = false
    ) {
        (self.identifier, self.domain, self.expires, self.attributes) = (identifier, domain, expires, attributes)
        (self.searchable, self.thumbnail, self.isUpdate) = (searchable, thumbnail, isUpdate)
    }
}

/// Adds items, or replaces those with the same identifiers.
public struct PutItems: PointMessage {
    public static let name = "spotlight.put"
    public var items: [SpotlightItem]
    /// The batch to which the change belongs; absent: the change is made at once.
    public var batch: Int?

    /// Makes the call; each value is described at its property.
    public init(_ items: [SpotlightItem], batch: Int? = nil) { (self.items, self.batch) = (items, batch) }
}

/// Deletes items: by identifiers, by domains with those below them, or all.
public struct DeleteItems: PointMessage {
    public static let name = "spotlight.delete"
    public var identifiers: [String]
    public var domains: [String]
    public var all: Bool
    /// The batch to which the change belongs; absent: the change is made at once.
    public var batch: Int?

    /// Makes the call; each value is described at its property.
    public init(identifiers: [String] = [], domains: [String] = [], all: Bool = false, batch: Int? = nil) {
        (self.identifiers, self.domains, self.all, self.batch) = (identifiers, domains, all, batch)
    }
}

/// Opens a batch. It is dropped with the connection.
public struct BeginIndexBatch: PointMessage {
    public static let name = "spotlight.beginBatch"

    public struct Reply: Codable, Sendable {
        /// The number of the batch, which no other batch has, also of another host.
        public var batch: Int
        public init(_ batch: Int) { self.batch = batch }
    }

    public init() {}
}

/// Makes the changes of a batch, and stores the client state of its index with them.
public struct EndIndexBatch: PointMessage {
    public static let name = "spotlight.endBatch"
    public var batch: Int
    /// The name of the index.
    public var index: String
    public var state: [UInt8]

    /// Makes the call; each value is described at its property.
    public init(batch: Int, index: String, state: [UInt8]) {
        (self.batch, self.index, self.state) = (batch, index, state)
    }
}

/// Drops a batch: none of its changes is made.
public struct DropIndexBatch: PointMessage {
    public static let name = "spotlight.dropBatch"
    public var batch: Int
    public init(_ batch: Int) { self.batch = batch }
}

/// Asks for the client state of the last batch that is on the disk.
public struct LastClientState: PointMessage {
    public static let name = "spotlight.lastClientState"

    public struct Reply: Codable, Sendable {
        /// The state; absent if no batch of the index has ended.
        public var state: [UInt8]?
        public init(_ state: [UInt8]?) { self.state = state }
    }

    /// The name of the index.
    public var index: String
    public init(_ index: String) { self.index = index }
}

/// Searches the items of the caller's app. The items come as parts.
public struct QueryItems: PointMessage {
    public static let name = "spotlight.query"

    public struct Part: Codable, Sendable {
        public var items: [SpotlightItem]
        public init(_ items: [SpotlightItem]) { self.items = items }
    }

    public struct Reply: Codable, Sendable {
        public var count: Int
        public init(_ count: Int) { self.count = count }
    }

    public var query: String
    /// Further queries that all items match.
    public var filters: [String]
    /// The names of the attributes that come with the items.
    public var attributes: [String]

    /// Makes the call; each value is described at its property.
    public init(_ query: String, filters: [String] = [], attributes: [String] = []) {
        (self.query, self.filters, self.attributes) = (query, filters, attributes)
    }
}

/// Tells whether the app takes the calls of the index itself, in the place of its extension.
public struct SetIndexDelegate: PointMessage {
    public static let name = "spotlight.setDelegate"
    public var isSet: Bool
    public init(_ isSet: Bool) { self.isSet = isSet }
}
