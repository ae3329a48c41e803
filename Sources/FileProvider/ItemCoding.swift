// ItemCoding: items between the author's objects and the messages of the host.

import ExtensionPointKit
import Foundation
import PointMessages
import PropertyListCoding
import UniformTypeIdentifiers

extension FileItem {
    /// Reads all properties of an author's item.
    init(_ item: any NSFileProviderItemProtocol) {
        self.init(
            identifier: item.itemIdentifier.rawValue, parent: item.parentItemIdentifier.rawValue, name: item.filename,
            type: item.contentType.identifier, capabilities: item.capabilities.rawValue,
            size: item.documentSize?.intValue, created: item.creationDate?.timeIntervalSince1970,
            modified: item.contentModificationDate?.timeIntervalSince1970)
        childCount = item.childItemCount?.intValue
        lastUsed = item.lastUsedDate?.timeIntervalSince1970
        let version = item.itemVersion
        if !version.contentVersion.isEmpty { contentVersion = [UInt8](version.contentVersion) }
        if !version.metadataVersion.isEmpty { metadataVersion = [UInt8](version.metadataVersion) }
        linkTarget = item.symlinkTargetPath
        let attributes = item.extendedAttributes
        if !attributes.isEmpty { extendedAttributes = attributes.mapValues { [UInt8]($0) } }
        if !item.fileSystemFlags.isEmpty { flags = item.fileSystemFlags.rawValue }
        tags = item.tagData.map { [UInt8]($0) }
        favoriteRank = item.favoriteRank?.intValue
        let named: [(String, Bool)] = [
            ("isTrashed", item.isTrashed), ("isUploaded", item.isUploaded), ("isUploading", item.isUploading),
            ("isDownloaded", item.isDownloaded), ("isDownloading", item.isDownloading),
            ("isMostRecentVersionDownloaded", item.isMostRecentVersionDownloaded), ("isShared", item.isShared),
            ("isSharedByCurrentUser", item.isSharedByCurrentUser),
        ]
        let held = named.filter(\.1).map(\.0)
        if !held.isEmpty { states = held }
        if let values = item.userInfo {
            var entries = PropertyListDictionary()
            for (key, value) in values {
                guard let key = key as? String, let value = Self.plist(value) else { continue }
                entries[key] = value
            }
            userInfo = PointValue(.dictionary(entries))
        }
    }

    /// Returns a value of `userInfo` that a rule can read; nil for others.
    private static func plist(_ value: Any) -> PropertyList? {
        switch value {
        case let value as Bool: .boolean(value)
        case let value as Int: .integer(Int64(value))
        case let value as Double: .real(value)
        case let value as String: .string(value)
        case let value as NSNumber: .real(value.doubleValue)
        case let value as Data: .data([UInt8](value))
        default: nil
        }
    }
}

/// An item of the host's, which an author's method gets.
final class HostItem: NSObject, NSFileProviderItemProtocol, Sendable {
    private let item: FileItem

    init(_ item: FileItem) { self.item = item }

    var itemIdentifier: NSFileProviderItemIdentifier { NSFileProviderItemIdentifier(item.identifier) }
    var parentItemIdentifier: NSFileProviderItemIdentifier { NSFileProviderItemIdentifier(item.parent) }
    var filename: String { item.name }
    var contentType: UTType { item.type.flatMap { UTType($0) } ?? .item }
    var typeIdentifier: String { item.type ?? "public.item" }
    var capabilities: NSFileProviderItemCapabilities { NSFileProviderItemCapabilities(rawValue: item.capabilities) }
    var documentSize: NSNumber? { item.size.map { NSNumber(value: $0) } }
    var childItemCount: NSNumber? { item.childCount.map { NSNumber(value: $0) } }
    var creationDate: Date? { item.created.map { Date(timeIntervalSince1970: $0) } }
    var contentModificationDate: Date? { item.modified.map { Date(timeIntervalSince1970: $0) } }
    var lastUsedDate: Date? { item.lastUsed.map { Date(timeIntervalSince1970: $0) } }
    var tagData: Data? { item.tags.map { Data($0) } }
    var favoriteRank: NSNumber? { item.favoriteRank.map { NSNumber(value: $0) } }
    var itemVersion: NSFileProviderItemVersion { NSFileProviderItemVersion(item.contentVersion, item.metadataVersion) }
    var symlinkTargetPath: String? { item.linkTarget }
    var extendedAttributes: [String: Data] { (item.extendedAttributes ?? [:]).mapValues { Data($0) } }
    var fileSystemFlags: NSFileProviderFileSystemFlags { NSFileProviderFileSystemFlags(rawValue: item.flags ?? 0) }
}

extension NSFileProviderItemVersion {
    /// Makes the version that a message has.
    convenience init(_ content: [UInt8]?, _ metadata: [UInt8]?) {
        self.init(contentVersion: Data(content ?? []), metadataVersion: Data(metadata ?? []))
    }
}
