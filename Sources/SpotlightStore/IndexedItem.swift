// IndexedItem: an item of an index, and the changes of an index.

public import PropertyListCoding

/// An app with its extensions, which have one set of items.
///
/// Both the identifier and the bundle count. So no other bundle gets the items by taking an identifier.
public struct AppFamily: Sendable, Hashable, CustomStringConvertible {
    /// The identifier of the app, or of an extension without one.
    public var identifier: String
    /// The folder of that bundle; empty if it is not known.
    public var owner: String

    /// Makes a family; each value is described at its property.
    public init(_ identifier: String, owner: String) { (self.identifier, self.owner) = (identifier, owner) }

    public var description: String { owner.isEmpty ? identifier : "\(identifier) of \(owner)" }
}

/// An item as an app gives it to its index.
public struct IndexedItem: Sendable, Hashable {
    /// The identifier, which is unique among the items of the app family.
    public var identifier: String
    /// The domain, a path of names with dots between them.
    public var domain: String?
    /// The time from which the item is not found any more, in seconds since 2001; nil: that of the item that it changes,
    /// else a month from now.
    public var expires: Double?
    /// The attributes by name: texts, numbers, dates, data, and arrays of them.
    public var attributes: PropertyListDictionary
    /// The names of further attributes that free words search.
    public var searchableNames: [String]
    /// The bytes of a thumbnail.
    public var thumbnail: [UInt8]?
    /// Whether the item changes the stored one: attributes that it lacks are kept.
    public var isUpdate: Bool

    /// Makes an item; each value is described at its property.
    public init(
        identifier: String, domain: String? = nil, expires: Double? = nil, attributes: PropertyListDictionary = [:],
        searchableNames: [String] = [], thumbnail: [UInt8]? = nil, isUpdate: Bool = false
    ) {
        (self.identifier, self.domain, self.expires, self.attributes) = (identifier, domain, expires, attributes)
        (self.searchableNames, self.thumbnail, self.isUpdate) = (searchableNames, thumbnail, isUpdate)
    }

    /// The time until an item expires whose app gives none: 30 days.
    public static let month: Double = 30 * 24 * 3600

    /// The attributes that free words search.
    public static let searchedNames: Set<String> = [
        "title", "displayName", "keywords", "contentDescription", "textContent", "authorNames",
    ]
}

/// A change of the items of one app family.
public enum IndexChange: Sendable, Hashable {
    /// Adds items, or replaces those with the same identifiers.
    case put([IndexedItem])
    /// Deletes items.
    case delete(identifiers: [String])
    /// Deletes the items of domains, and of the domains below them.
    case deleteDomains([String])
    /// Deletes all items.
    case deleteAll

    /// The names of the change in a list, and its number of items or names.
    public var summary: (kind: String, count: Int) {
        switch self {
        case .put(let items): ("index", items.count)
        case .delete(let identifiers): ("delete", identifiers.count)
        case .deleteDomains(let domains): ("deleteDomains", domains.count)
        case .deleteAll: ("deleteAll", 1)
        }
    }
}

/// The effect of changes.
public struct IndexEffect: Sendable, Hashable {
    public var added = 0
    public var replaced = 0
    public var deleted = 0

    public init(added: Int = 0, replaced: Int = 0, deleted: Int = 0) {
        (self.added, self.replaced, self.deleted) = (added, replaced, deleted)
    }

    /// Adds the numbers of another effect.
    public static func += (effect: inout IndexEffect, other: IndexEffect) {
        effect.added += other.added
        effect.replaced += other.replaced
        effect.deleted += other.deleted
    }
}

/// An item that was found.
public struct FoundItem: Sendable, Hashable {
    /// The number of the item in the store. Later changes have higher numbers.
    public var number: Int
    /// The app family.
    public var family: AppFamily
    public var identifier: String
    public var domain: String?
    /// The time from which it is not found any more, in seconds since 2001.
    public var expires: Double
    public var attributes: PropertyListDictionary
    public var searchableNames: [String]

    /// The attributes as queries see them: with the identifier and the domain.
    var queried: PropertyListDictionary {
        var all = attributes
        all["uniqueIdentifier"] = .string(identifier)
        if let domain { all["domainIdentifier"] = .string(domain) }
        return all
    }
}

/// A reason why a change or a search is refused.
public enum SpotlightStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An item or a name that is too long, or that no index can have.
    case invalidItem(String)
    /// A client state that is too long, or a batch that is not open.
    case invalidClientState(String)
    /// A bound of the family or of the store.
    case quotaExceeded(String)
    /// Another host uses the file.
    case inUse(String)
    /// The bound of a query's work.
    case tooMuchWork(String)
    /// The file failed.
    case storage(String)

    public var description: String {
        switch self {
        case .invalidItem(let why), .invalidClientState(let why), .quotaExceeded(let why), .inUse(let why),
            .tooMuchWork(let why), .storage(let why):
            why
        }
    }
}
