// CSSearchableItem: an item of an index.

import ExtensionPointKit
public import Foundation
import LinuxDescriptors
import PointMessages
import PropertyListCoding

/// The type of the activity by which an app opens a found item.
public let CSSearchableItemActionType = "com.apple.corespotlightitem"
/// The key of the item's identifier in that activity's `userInfo`.
public let CSSearchableItemActivityIdentifier = "kCSSearchableItemActivityIdentifier"
/// The type of the activity by which an app continues a search. Nothing here makes one.
public let CSQueryContinuationActionType = "com.apple.corespotlightquery"
/// The key of the search's text in that activity's `userInfo`.
public let CSSearchQueryString = "kCSSearchQueryString"

/// An item of an index. Use one object on one thread at a time.
open class CSSearchableItem: NSObject, @unchecked Sendable {  // as Apple's, of one thread
    /// The identifier, which is unique in the app and its extensions.
    open var uniqueIdentifier: String
    /// The domain, names with dots between them. A deletion of `a` deletes `a.b`, too (documented).
    open var domainIdentifier: String?
    /// The attributes.
    open var attributeSet: CSSearchableItemAttributeSet
    /// Whether the stored item keeps the attributes that this one lacks.
    open var isUpdate = false

    private var expiration: Date?

    /// The time from which the item is not found any more: a month from now, unless it is set.
    open var expirationDate: Date! {
        get { expiration ?? Date(timeIntervalSinceNow: 30 * 24 * 3600) }
        set { expiration = newValue }
    }

    /// Makes an item.
    ///
    /// - Parameters:
    ///   - uniqueIdentifier: the identifier; nil: a random one.
    ///   - domainIdentifier: the domain.
    ///   - attributeSet: the attributes.
    public init(
        uniqueIdentifier: String?, domainIdentifier: String?, attributeSet: CSSearchableItemAttributeSet
    ) {
        self.uniqueIdentifier = uniqueIdentifier ?? UUID().uuidString
        self.domainIdentifier = domainIdentifier
        self.attributeSet = attributeSet
    }

    convenience init(_ item: SpotlightItem) {
        self.init(
            uniqueIdentifier: item.identifier, domainIdentifier: item.domain,
            attributeSet: CSSearchableItemAttributeSet(
                item.attributes.plist.dictionary ?? [:], searchable: item.searchable ?? []))
        expiration = item.expires.map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// The item as it travels, without the file of its thumbnail.
    var message: SpotlightItem {
        var attributes = attributeSet.values
        let thumbnail = attributes["thumbnailData"]?.data
        attributes["thumbnailData"] = nil
        let searchable = attributeSet.searchable.sorted()
        return SpotlightItem(
            identifier: uniqueIdentifier, domain: domainIdentifier ?? attributes["domainIdentifier"]?.string,
            expires: expiration?.timeIntervalSinceReferenceDate, attributes: PointValue(.dictionary(attributes)),
            searchable: searchable.isEmpty ? nil : searchable, thumbnail: thumbnail, isUpdate: isUpdate)
    }
}

extension SpotlightItem {
    /// The bytes of a thumbnail.
    private static let largestThumbnail = 10 << 20

    /// Reads the file of the thumbnail, if the item names one and has no data.
    ///
    /// - Throws: `CSIndexError` `invalidItem` for data or a file that is too large, and for no file.
    func withThumbnail() throws(CSIndexError) -> SpotlightItem {
        var item = self
        let url = attributes.plist.dictionary?["thumbnailURL"]?.string.flatMap { URL(string: $0) }
        if thumbnail == nil, let url, url.isFileURL {
            do {
                item.thumbnail = try readFile(url.path, maximumSize: Self.largestThumbnail)
            } catch {
                throw CSIndexError(.invalidItem, "the thumbnail of \(identifier) cannot be read: \(error)")
            }
        }
        guard item.thumbnail?.count ?? 0 <= Self.largestThumbnail else {
            throw CSIndexError(.invalidItem, "the thumbnail of \(identifier) has more than 10 MiB")
        }
        return item
    }

    /// The approximate number of bytes of the item in a call.
    var size: Int { 256 + (thumbnail?.count ?? 0) + Self.size(attributes.plist) }

    private static func size(_ plist: PropertyList) -> Int {
        switch plist {
        case .string(let text): text.utf8.count + 8
        case .data(let bytes): bytes.count + 8
        case .array(let elements): elements.reduce(8) { $0 + size($1) }
        case .dictionary(let entries):
            zip(entries.keys, entries.values).reduce(8) { $0 + $1.0.utf8.count + size($1.1) }
        default: 16
        }
    }
}
