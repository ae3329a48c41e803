// FileProviderMessages: the calls of a file provider, and those of the service by which its app and it reach the host.

public import ExtensionPointKit

/// An item, as a provider describes it.
public struct FileItem: Codable, Sendable, Hashable {
    public var identifier: String
    public var parent: String
    public var name: String
    /// The uniform type identifier. Absent: the host derives it from the name.
    public var type: String?
    /// The bits of `NSFileProviderItemCapabilities`.
    public var capabilities: UInt
    /// The number of bytes of a file.
    public var size: Int?
    /// The number of items of a folder.
    public var childCount: Int?
    /// Seconds since 1970, as the two below.
    public var created: Double?
    public var modified: Double?
    public var lastUsed: Double?
    /// The version of the contents, and that of all else.
    public var contentVersion: [UInt8]?
    public var metadataVersion: [UInt8]?
    /// The path that a symbolic link leads to.
    public var linkTarget: String?
    public var extendedAttributes: [String: [UInt8]]?
    /// The bits of `NSFileProviderFileSystemFlags`.
    public var flags: UInt?
    public var tags: [UInt8]?
    public var favoriteRank: Int?
    /// The states that are true, by their names: `isTrashed`, `isUploaded` and so on.
    public var states: [String]?
    /// Values for the rules of actions.
    public var userInfo: PointValue?

    /// Makes an item; each value is described at its property.
    public init(
        identifier: String, parent: String, name: String, type: String? = nil, capabilities: UInt = 1,
        size: Int? = nil, created: Double? = nil, modified: Double? = nil
    ) {
        (self.identifier, self.parent, self.name, self.type) = (identifier, parent, name, type)
        (self.capabilities, self.size, self.created, self.modified) = (capabilities, size, created, modified)
    }
}

/// The domain for which a provider is asked.
public struct FileDomain: Codable, Sendable, Hashable {
    /// The identifier; empty: the one domain of a provider that has no others.
    public var identifier: String
    public var displayName: String
    /// The folder below the document storage; absent: the identifier.
    public var path: String?

    /// Makes a domain; each value is described at its property.
    public init(identifier: String, displayName: String, path: String? = nil) {
        (self.identifier, self.displayName, self.path) = (identifier, displayName, path)
    }
}

// MARK: - Of the extension point: what it is

/// Asks what the provider does.
public struct OpenFiles: PointMessage {
    public static let name = "files.open"

    public struct Reply: Codable, Sendable {
        /// Whether the provider is of the replicated form: the host stores the files.
        public var isReplicated: Bool

        /// Makes the reply; each value is described at its property.
        public init(isReplicated: Bool) { self.isReplicated = isReplicated }
    }

    public init() {}
}

/// Ends the session. Its request completes without items.
public struct EndFiles: PointMessage {
    public static let name = "files.invalidate"
    public init() {}
}

// MARK: - Of the extension point: items

/// Asks for an item.
public struct ItemForIdentifier: PointMessage {
    public static let name = "files.item"

    public struct Reply: Codable, Sendable {
        public var item: FileItem
        public init(_ item: FileItem) { self.item = item }
    }

    public var identifier: String
    public init(_ identifier: String) { self.identifier = identifier }
}

/// Asks for a page of the items of a container. The items come as parts.
public struct EnumerateItems: PointMessage {
    public static let name = "files.enumerateItems"

    public struct Part: Codable, Sendable {
        public var items: [FileItem]
        public init(_ items: [FileItem]) { self.items = items }
    }

    public struct Reply: Codable, Sendable {
        /// The next page; absent: this was the last.
        public var next: [UInt8]?
        public init(next: [UInt8]?) { self.next = next }
    }

    public var container: String
    public var page: [UInt8]

    /// Makes the call; each value is described at its property.
    public init(_ container: String, page: [UInt8]) { (self.container, self.page) = (container, page) }
}

/// Asks for the changes in a container since an anchor. They come as parts.
public struct EnumerateChanges: PointMessage {
    public static let name = "files.enumerateChanges"

    public struct Part: Codable, Sendable {
        public var updated: [FileItem]
        public var deleted: [String]

        /// Makes a part; each value is described at its property.
        public init(updated: [FileItem] = [], deleted: [String] = []) {
            (self.updated, self.deleted) = (updated, deleted)
        }
    }

    public struct Reply: Codable, Sendable {
        public var anchor: [UInt8]
        /// Whether more changes follow the anchor.
        public var more: Bool

        /// Makes the reply; each value is described at its property.
        public init(anchor: [UInt8], more: Bool) { (self.anchor, self.more) = (anchor, more) }
    }

    public var container: String
    public var anchor: [UInt8]

    /// Makes the call; each value is described at its property.
    public init(_ container: String, anchor: [UInt8]) { (self.container, self.anchor) = (container, anchor) }
}

/// Asks for the anchor of a container's present state.
public struct CurrentSyncAnchor: PointMessage {
    public static let name = "files.currentSyncAnchor"

    public struct Reply: Codable, Sendable {
        /// The anchor; absent: the container has none, and is enumerated anew.
        public var anchor: [UInt8]?
        public init(_ anchor: [UInt8]?) { self.anchor = anchor }
    }

    public var container: String
    public init(_ container: String) { self.container = container }
}

/// Asks for thumbnails. Each comes as a part, in any order.
public struct FetchThumbnails: PointMessage {
    public static let name = "files.fetchThumbnails"

    public struct Part: Codable, Sendable {
        public var identifier: String
        /// The image; absent: the item has none, or it failed for the reason.
        public var data: [UInt8]?
        public var failure: String?

        /// Makes a part; each value is described at its property.
        public init(_ identifier: String, data: [UInt8]?, failure: String?) {
            (self.identifier, self.data, self.failure) = (identifier, data, failure)
        }
    }

    public var identifiers: [String]
    /// Points.
    public var width, height: Double

    /// Makes the call; each value is described at its property.
    public init(_ identifiers: [String], width: Double, height: Double) {
        (self.identifiers, self.width, self.height) = (identifiers, width, height)
    }
}

// MARK: - Of the extension point: a provider with a document storage

/// Asks for the place of an item, as a path below the document storage.
public struct URLForItem: PointMessage {
    public static let name = "files.urlForItem"

    public struct Reply: Codable, Sendable {
        /// The path; absent: there is no such item.
        public var path: String?
        public init(_ path: String?) { self.path = path }
    }

    public var identifier: String
    public init(_ identifier: String) { self.identifier = identifier }
}

/// Asks for the item of a path below the document storage.
public struct IdentifierForURL: PointMessage {
    public static let name = "files.persistentIdentifierForItem"

    public struct Reply: Codable, Sendable {
        /// The identifier; absent: there is no such item.
        public var identifier: String?
        public init(_ identifier: String?) { self.identifier = identifier }
    }

    public var path: String
    public init(_ path: String) { self.path = path }
}

/// Asks for a placeholder beside the place of an item's file.
public struct ProvidePlaceholder: PointMessage {
    public static let name = "files.providePlaceholder"
    public var path: String
    public init(_ path: String) { self.path = path }
}

/// Asks for an item's file at its place.
public struct StartProvidingItem: PointMessage {
    public static let name = "files.startProvidingItem"
    public var path: String
    public init(_ path: String) { self.path = path }
}

/// Tells that another process has changed an item's file.
public struct ItemChanged: PointMessage {
    public static let name = "files.itemChanged"
    public var path: String
    public init(_ path: String) { self.path = path }
}

/// Tells that nobody uses an item's file any more.
public struct StopProvidingItem: PointMessage {
    public static let name = "files.stopProvidingItem"
    public var path: String
    public init(_ path: String) { self.path = path }
}

/// Performs a person's action on an item.
public struct PerformFileAction: PointMessage {
    public static let name = "files.perform"

    /// The actions. Both sides refuse an unrecognized one.
    public enum Action: String, OpenEnumeration, Hashable {
        case importDocument, createDirectory, rename, reparent, trash, untrash, delete
        case setLastUsedDate, setTagData, setFavoriteRank, unrecognized
    }

    public struct Reply: Codable, Sendable {
        /// The item after the action; absent after `delete`.
        public var item: FileItem?
        public init(_ item: FileItem?) { self.item = item }
    }

    public var action: Action
    /// The item; of `importDocument` and `createDirectory` its future folder.
    public var identifier: String
    public var name: String?
    public var parent: String?
    public var date: Double?
    public var tags: [UInt8]?
    public var rank: Int?
    /// The document to import, of which the author gets a copy.
    public var file: PointFile?

    /// Makes the call; each value is described at its property.
    public init(
        _ action: Action, _ identifier: String, name: String? = nil, parent: String? = nil, date: Double? = nil,
        tags: [UInt8]? = nil, rank: Int? = nil, file: PointFile? = nil
    ) {
        (self.action, self.identifier, self.name, self.parent) = (action, identifier, name, parent)
        (self.date, self.tags, self.rank, self.file) = (date, tags, rank, file)
    }
}

// MARK: - Of the extension point: a replicated provider

/// Asks for the contents of a file.
public struct FetchContents: PointMessage {
    public static let name = "files.fetchContents"

    public struct Reply: Codable, Sendable {
        public var item: FileItem
        public var file: PointFile

        /// Makes the reply; each value is described at its property.
        public init(_ item: FileItem, file: PointFile) { (self.item, self.file) = (item, file) }
    }

    public var identifier: String
    /// The version that is wanted; absent: the newest. Both versions, or none.
    public var contentVersion: [UInt8]?
    public var metadataVersion: [UInt8]?

    /// Makes the call; each value is described at its property.
    public init(_ identifier: String, contentVersion: [UInt8]? = nil, metadataVersion: [UInt8]? = nil) {
        self.identifier = identifier
        (self.contentVersion, self.metadataVersion) = (contentVersion, metadataVersion)
    }
}

/// The answer to a change of an item.
public struct ChangedFileItem: Codable, Sendable {
    /// The item as the provider has it; absent: it is to be deleted here.
    public var item: FileItem?
    /// The bits of `NSFileProviderItemFields` that are still to be stored.
    public var remaining: UInt
    /// Whether the contents are to be fetched, because the provider has others.
    public var shouldFetch: Bool

    /// Makes the answer; each value is described at its property.
    public init(_ item: FileItem?, remaining: UInt, shouldFetch: Bool) {
        (self.item, self.remaining, self.shouldFetch) = (item, remaining, shouldFetch)
    }
}

/// Stores a new item.
public struct CreateItem: PointMessage {
    public static let name = "files.createItem"
    public typealias Reply = ChangedFileItem

    /// The item, with an identifier of the host's.
    public var template: FileItem
    /// The bits of `NSFileProviderItemFields` that have a value.
    public var fields: UInt
    /// The bits of `NSFileProviderCreateItemOptions`.
    public var options: UInt
    public var file: PointFile?

    /// Makes the call; each value is described at its property.
    public init(_ template: FileItem, fields: UInt, options: UInt, file: PointFile?) {
        (self.template, self.fields, self.options, self.file) = (template, fields, options, file)
    }
}

/// Stores changes of an item.
public struct ModifyItem: PointMessage {
    public static let name = "files.modifyItem"
    public typealias Reply = ChangedFileItem

    /// The item with its new values.
    public var item: FileItem
    /// The version on which the changes are based.
    public var baseContentVersion: [UInt8]?
    public var baseMetadataVersion: [UInt8]?
    /// The bits of `NSFileProviderItemFields` that have changed.
    public var fields: UInt
    /// The bits of `NSFileProviderModifyItemOptions`.
    public var options: UInt
    public var file: PointFile?

    /// Makes the call; each value is described at its property.
    public init(
        _ item: FileItem, baseContentVersion: [UInt8]? = nil, baseMetadataVersion: [UInt8]? = nil, fields: UInt,
        options: UInt = 0, file: PointFile? = nil
    ) {
        (self.item, self.fields, self.options, self.file) = (item, fields, options, file)
        (self.baseContentVersion, self.baseMetadataVersion) = (baseContentVersion, baseMetadataVersion)
    }
}

/// Deletes an item.
public struct DeleteItem: PointMessage {
    public static let name = "files.deleteItem"

    public var identifier: String
    public var baseContentVersion: [UInt8]?
    public var baseMetadataVersion: [UInt8]?
    /// The bits of `NSFileProviderDeleteItemOptions`.
    public var options: UInt

    /// Makes the call; each value is described at its property.
    public init(
        _ identifier: String, baseContentVersion: [UInt8]? = nil, baseMetadataVersion: [UInt8]? = nil,
        options: UInt = 0
    ) {
        (self.identifier, self.options) = (identifier, options)
        (self.baseContentVersion, self.baseMetadataVersion) = (baseContentVersion, baseMetadataVersion)
    }
}

/// Tells that the host has asked for all items after an import.
public struct ImportDidFinish: PointMessage {
    public static let name = "files.importDidFinish"
    public init() {}
}

/// Tells that other items than before have their contents on this machine.
public struct MaterializedItemsDidChange: PointMessage {
    public static let name = "files.materializedItemsDidChange"
    public init() {}
}

// MARK: - Of the service

/// The service by which apps and their providers reach the host's files.
public enum FileService {
    /// The name under which a host provides it.
    public static let name = "org.exthost.files"
    /// The domain of a provider's errors.
    public static let errorDomain = "NSFileProviderErrorDomain"
}

/// Adds a domain of the app, or changes it.
public struct AddFileDomain: PointMessage {
    public static let name = "files.addDomain"
    public var domain: FileDomain
    public init(_ domain: FileDomain) { self.domain = domain }
}

/// Removes a domain of the app, with the files that the host has stored for it.
public struct RemoveFileDomain: PointMessage {
    public static let name = "files.removeDomain"
    public var identifier: String
    public init(_ identifier: String) { self.identifier = identifier }
}

/// Asks for the domains of the app.
public struct FileDomains: PointMessage {
    public static let name = "files.domains"

    public struct Reply: Codable, Sendable {
        public var domains: [FileDomain]
        public init(_ domains: [FileDomain]) { self.domains = domains }
    }

    public init() {}
}

/// Tells that the items of a container have changed.
public struct SignalEnumerator: PointMessage {
    public static let name = "files.signalEnumerator"
    /// The domain; empty: the one of a provider that has no others.
    public var domain: String
    public var container: String

    /// Makes the call; each value is described at its property.
    public init(domain: String, container: String) { (self.domain, self.container) = (domain, container) }
}

/// Tells that the reason of an error is over.
public struct SignalErrorResolved: PointMessage {
    public static let name = "files.signalErrorResolved"
    public var domain: String
    /// The number of the error.
    public var code: Int

    /// Makes the call; each value is described at its property.
    public init(domain: String, code: Int) { (self.domain, self.code) = (domain, code) }
}

/// Ties a background transfer to an item, which the host shows as downloading or uploading meanwhile.
public struct RegisterTransfer: PointMessage {
    public static let name = "files.registerTransfer"
    public var domain: String
    public var identifier: String
    public var transfer: BackgroundTransfer

    /// Makes the call; each value is described at its property.
    public init(domain: String, identifier: String, transfer: BackgroundTransfer) {
        (self.domain, self.identifier, self.transfer) = (domain, identifier, transfer)
    }
}

/// Removes the contents of an item from this machine.
public struct EvictItem: PointMessage {
    public static let name = "files.evictItem"
    public var domain: String
    public var identifier: String

    /// Makes the call; each value is described at its property.
    public init(domain: String, identifier: String) { (self.domain, self.identifier) = (domain, identifier) }
}

/// Removes the contents of a file from this machine, for a tool of the user.
public struct EvictFile: PointMessage {
    public static let name = "files.evictFile"
    /// The extension's identifier.
    public var provider: String
    /// The domain; absent: the one of a provider that has no others.
    public var domain: String?
    public var path: String

    /// Makes the call; each value is described at its property.
    public init(_ provider: String, domain: String?, path: String) {
        (self.provider, self.domain, self.path) = (provider, domain, path)
    }
}
