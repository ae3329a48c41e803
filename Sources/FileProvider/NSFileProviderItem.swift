// NSFileProviderItem: an item as its provider describes it. The numbers of the option sets are Apple's (header).

public import Foundation
public import UniformTypeIdentifiers

/// An item of a provider.
public typealias NSFileProviderItem = NSFileProviderItemProtocol

/// A file, a folder or a symbolic link, as its provider describes it.
///
/// Only the first three properties need a value of the author's. The host reads all of them on the thread on which it
/// got the item.
public protocol NSFileProviderItemProtocol: _FileProviderItemDefaults {
    /// The identifier, which never changes.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
    /// The identifier of the folder.
    var parentItemIdentifier: NSFileProviderItemIdentifier { get }
    /// The name: one path component.
    var filename: String { get }
    /// The type. A folder has `UTType.folder`, and a symbolic link `UTType.symbolicLink`.
    @_disfavoredOverload var contentType: UTType { get }
    /// The identifier of the type, in sources that are older than `contentType`.
    var typeIdentifier: String { get }
    /// The actions that are allowed. The default is reading.
    var capabilities: NSFileProviderItemCapabilities { get }
    /// The number of bytes of a file.
    var documentSize: NSNumber? { get }
    /// The number of items of a folder.
    var childItemCount: NSNumber? { get }
    /// The time of creation.
    var creationDate: Date? { get }
    /// The time of the last change of the contents.
    var contentModificationDate: Date? { get }
    /// The time of the last use.
    var lastUsedDate: Date? { get }
    /// The tags, in a form that only the system knows.
    var tagData: Data? { get }
    /// The rank among favourites.
    var favoriteRank: NSNumber? { get }
    /// Whether the item is in the trash.
    var isTrashed: Bool { get }
    /// Whether the server has the item.
    var isUploaded: Bool { get }
    /// Whether the item is being uploaded.
    var isUploading: Bool { get }
    /// Whether the item's contents are on this machine.
    var isDownloaded: Bool { get }
    /// Whether the item is being downloaded.
    var isDownloading: Bool { get }
    /// Whether the contents on this machine are the newest.
    var isMostRecentVersionDownloaded: Bool { get }
    /// Whether others have the item, too.
    var isShared: Bool { get }
    /// Whether this user has given it to them.
    var isSharedByCurrentUser: Bool { get }
    /// The version, in sources that are older than `itemVersion`.
    var versionIdentifier: Data? { get }
    /// The version, which a replicated provider must tell.
    var itemVersion: NSFileProviderItemVersion { get }
    /// The path that a symbolic link leads to.
    var symlinkTargetPath: String? { get }
    /// The extended attributes.
    var extendedAttributes: [String: Data] { get }
    /// The permissions.
    var fileSystemFlags: NSFileProviderFileSystemFlags { get }
    /// Values for the rules of actions.
    var userInfo: [AnyHashable: Any]? { get }
}

/// The protocol with the default type of an item. A protocol has no two properties of one name, but its base may.
public protocol _FileProviderItemDefaults: NSObjectProtocol {}

extension _FileProviderItemDefaults {
    @_disfavoredOverload public var contentType: UTType {
        (self as? any NSFileProviderItem).flatMap { UTType($0.typeIdentifier) } ?? .item
    }
}

extension NSFileProviderItemProtocol {
    /// The type of an item of which only the protocol is known: optional, as an optional requirement of Objective-C.
    public var contentType: UTType? {
        let type: UTType = contentType
        return type
    }
    public var typeIdentifier: String { "public.item" }
    public var capabilities: NSFileProviderItemCapabilities { .allowsReading }
    public var documentSize: NSNumber? { nil }
    public var childItemCount: NSNumber? { nil }
    public var creationDate: Date? { nil }
    public var contentModificationDate: Date? { nil }
    public var lastUsedDate: Date? { nil }
    public var tagData: Data? { nil }
    public var favoriteRank: NSNumber? { nil }
    public var isTrashed: Bool { false }
    public var isUploaded: Bool { false }
    public var isUploading: Bool { false }
    public var isDownloaded: Bool { false }
    public var isDownloading: Bool { false }
    public var isMostRecentVersionDownloaded: Bool { false }
    public var isShared: Bool { false }
    public var isSharedByCurrentUser: Bool { false }
    public var versionIdentifier: Data? { nil }
    public var itemVersion: NSFileProviderItemVersion {
        NSFileProviderItemVersion(contentVersion: versionIdentifier ?? Data(), metadataVersion: Data())
    }
    public var symlinkTargetPath: String? { nil }
    public var extendedAttributes: [String: Data] { [:] }
    public var fileSystemFlags: NSFileProviderFileSystemFlags { [] }
    public var userInfo: [AnyHashable: Any]? { nil }
}

/// A version of an item, in a form that only its provider knows.
public final class NSFileProviderItemVersion: NSObject, Sendable {
    /// The version of the contents, of at most 128 bytes.
    public let contentVersion: Data
    /// The version of all else, of at most 128 bytes.
    public let metadataVersion: Data

    /// Makes a version.
    public init(contentVersion: Data, metadataVersion: Data) {
        (self.contentVersion, self.metadataVersion) = (contentVersion, metadataVersion)
    }

    /// The version of an item before it is stored for the first time.
    public static var beforeFirstSyncComponent: Data { Data("NSFileProviderItemVersionBeforeFirstSync".utf8) }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFileProviderItemVersion else { return false }
        return contentVersion == other.contentVersion && metadataVersion == other.metadataVersion
    }

    public override var hash: Int { contentVersion.hashValue ^ metadataVersion.hashValue }
}

/// The actions that a provider allows on an item.
public struct NSFileProviderItemCapabilities: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let allowsReading = NSFileProviderItemCapabilities(rawValue: 1 << 0)
    public static let allowsWriting = NSFileProviderItemCapabilities(rawValue: 1 << 1)
    public static let allowsReparenting = NSFileProviderItemCapabilities(rawValue: 1 << 2)
    public static let allowsRenaming = NSFileProviderItemCapabilities(rawValue: 1 << 3)
    public static let allowsTrashing = NSFileProviderItemCapabilities(rawValue: 1 << 4)
    public static let allowsDeleting = NSFileProviderItemCapabilities(rawValue: 1 << 5)
    public static let allowsEvicting = NSFileProviderItemCapabilities(rawValue: 1 << 6)
    public static let allowsExcludingFromSync = NSFileProviderItemCapabilities(rawValue: 1 << 7)
    /// The writing of a folder.
    public static let allowsAddingSubItems = allowsWriting
    /// The reading of a folder.
    public static let allowsContentEnumerating = allowsReading
    /// All up to the deletion, as the header has it.
    public static let allowsAll = NSFileProviderItemCapabilities(rawValue: 0x3f)
}

/// The parts of an item.
public struct NSFileProviderItemFields: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let contents = NSFileProviderItemFields(rawValue: 1 << 0)
    public static let filename = NSFileProviderItemFields(rawValue: 1 << 1)
    public static let parentItemIdentifier = NSFileProviderItemFields(rawValue: 1 << 2)
    public static let lastUsedDate = NSFileProviderItemFields(rawValue: 1 << 3)
    public static let tagData = NSFileProviderItemFields(rawValue: 1 << 4)
    public static let favoriteRank = NSFileProviderItemFields(rawValue: 1 << 5)
    public static let creationDate = NSFileProviderItemFields(rawValue: 1 << 6)
    public static let contentModificationDate = NSFileProviderItemFields(rawValue: 1 << 7)
    public static let fileSystemFlags = NSFileProviderItemFields(rawValue: 1 << 8)
    public static let extendedAttributes = NSFileProviderItemFields(rawValue: 1 << 9)
    public static let typeAndCreator = NSFileProviderItemFields(rawValue: 1 << 10)
}

/// The permissions of an item.
public struct NSFileProviderFileSystemFlags: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let userExecutable = NSFileProviderFileSystemFlags(rawValue: 1 << 0)
    public static let userReadable = NSFileProviderFileSystemFlags(rawValue: 1 << 1)
    public static let userWritable = NSFileProviderFileSystemFlags(rawValue: 1 << 2)
    public static let hidden = NSFileProviderFileSystemFlags(rawValue: 1 << 3)
    public static let pathExtensionHidden = NSFileProviderFileSystemFlags(rawValue: 1 << 4)
}

/// The options of `createItem`.
public struct NSFileProviderCreateItemOptions: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The provider may have the item already: an earlier call may have stored it.
    public static let mayAlreadyExist = NSFileProviderCreateItemOptions(rawValue: 1 << 0)
    /// The item was deleted by the provider while it was changed here.
    public static let deletionConflicted = NSFileProviderCreateItemOptions(rawValue: 1 << 1)
}

/// The options of `modifyItem`.
public struct NSFileProviderModifyItemOptions: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The provider may have the change already: an earlier call may have stored it.
    public static let mayAlreadyExist = NSFileProviderModifyItemOptions(rawValue: 1 << 0)
    public static let failOnConflict = NSFileProviderModifyItemOptions(rawValue: 1 << 1)
}

/// The options of `deleteItem`.
public struct NSFileProviderDeleteItemOptions: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A folder goes with its items.
    public static let recursive = NSFileProviderDeleteItemOptions(rawValue: 1 << 0)
}
