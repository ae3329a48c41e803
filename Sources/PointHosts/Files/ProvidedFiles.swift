// ProvidedFiles: the files of a provider, as a mounted folder and tools use them.

public import Foundation
public import LinuxDescriptors

/// An item of a file provider: a file, a folder or a symbolic link.
public struct ProvidedItem: Sendable, Hashable {
    /// The kind of an item.
    public enum Kind: Sendable, Hashable {
        /// A file.
        case file
        /// A folder.
        case folder
        /// A symbolic link, with the text that it leads to.
        case symbolicLink(String)
    }

    /// The identifier, which the provider chose.
    public var identifier: String
    /// The identifier of the folder.
    public var parent: String
    /// The name in the folder: one path component.
    public var name: String
    /// The kind.
    public var kind: Kind
    /// Whether the provider lets it be read, written and so on.
    public var capabilities: ItemCapabilities
    /// The number of bytes of a file. Absent if the provider does not know it.
    public var size: Int?
    /// The time of creation, if the provider told it.
    public var created: Date?
    /// The time of the last change of the contents, if the provider told it.
    public var modified: Date?
    /// Whether a file may be executed.
    public var isExecutable: Bool
    /// Whether a file's contents are on this machine.
    public var isDownloaded: Bool
    /// The extended attributes, by their names.
    public var extendedAttributes: [String: Data]
    /// The version of the contents, which changes with them. Absent if the provider tells none.
    public var contentVersion: Data?

    /// Makes an item; each value is described at its property.
    public init(
        identifier: String, parent: String, name: String, kind: Kind, capabilities: ItemCapabilities = .all,
        size: Int? = nil, created: Date? = nil, modified: Date? = nil, isExecutable: Bool = false,
        isDownloaded: Bool = false, extendedAttributes: [String: Data] = [:], contentVersion: Data? = nil
    ) {
        (self.identifier, self.parent, self.name, self.kind) = (identifier, parent, name, kind)
        (self.capabilities, self.size, self.created, self.modified) = (capabilities, size, created, modified)
        (self.isExecutable, self.isDownloaded) = (isExecutable, isDownloaded)
        (self.extendedAttributes, self.contentVersion) = (extendedAttributes, contentVersion)
    }
}

/// The actions that a provider allows on an item, with the numbers of `NSFileProviderItemCapabilities`.
public struct ItemCapabilities: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt

    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The contents may be read, or a folder's items listed.
    public static let reading = ItemCapabilities(rawValue: 1)
    /// The contents may be written, or items added to a folder.
    public static let writing = ItemCapabilities(rawValue: 2)
    /// The item may be moved to another folder.
    public static let reparenting = ItemCapabilities(rawValue: 4)
    /// The item may be given another name.
    public static let renaming = ItemCapabilities(rawValue: 8)
    /// The item may be moved to the trash.
    public static let trashing = ItemCapabilities(rawValue: 16)
    /// The item may be deleted.
    public static let deleting = ItemCapabilities(rawValue: 32)
    /// The local contents may be removed.
    public static let evicting = ItemCapabilities(rawValue: 64)
    /// All capabilities.
    public static let all = ItemCapabilities(rawValue: 127)
}

/// A new item.
public struct NewItem: Sendable, Hashable {
    /// The folder.
    public var parent: String
    /// The name.
    public var name: String
    /// The kind. A new file is empty.
    public var kind: ProvidedItem.Kind
    /// Whether a file may be executed.
    public var isExecutable: Bool

    /// Makes a description; each value is described at its property.
    public init(parent: String, name: String, kind: ProvidedItem.Kind, isExecutable: Bool = false) {
        (self.parent, self.name, self.kind, self.isExecutable) = (parent, name, kind, isExecutable)
    }
}

/// A change of an item. Absent values stay as they are.
public struct ItemChange: Sendable, Hashable {
    /// The new name.
    public var name: String?
    /// The new folder.
    public var parent: String?
    /// The new time of the last change of the contents.
    public var modified: Date?
    /// Whether a file may be executed.
    public var isExecutable: Bool?
    /// All extended attributes.
    public var extendedAttributes: [String: Data]?

    /// Makes a change; each value is described at its property.
    public init(
        name: String? = nil, parent: String? = nil, modified: Date? = nil, isExecutable: Bool? = nil,
        extendedAttributes: [String: Data]? = nil
    ) {
        (self.name, self.parent, self.modified) = (name, parent, modified)
        (self.isExecutable, self.extendedAttributes) = (isExecutable, extendedAttributes)
    }
}

/// A change that the provider has told of.
public enum ProvidedChange: Sendable, Hashable {
    /// The item is new, or differs from what it was.
    case updated(ProvidedItem)
    /// The item with this identifier is gone. Its folder and name are those by which it was last known, if it was.
    case deleted(identifier: String, parent: String?, name: String?)
    /// A change of anything.
    case unknown
}

/// An open file of a provider, which keeps its contents on this machine until it is closed.
///
/// Safe to use from any thread.
public protocol FileLease: AnyObject, Sendable {
    /// The identifier of the file.
    var identifier: String { get }
    /// The contents. Open for reading, and for writing if the lease was asked for it.
    var descriptor: SharedDescriptor { get }
    /// Notes that the contents have been changed through the descriptor. The provider is told once 2 s have passed
    /// without another note, or at `flush()` or `close()`.
    func noteChange()
    /// Tells the provider of changes now, and waits for its answer.
    func flush() async throws(FileFailure)
    /// Tells the provider of changes, and gives the file back. A second call does nothing.
    func close() async throws(FileFailure)
}

/// The files of a provider. Every call ends within its time limit.
///
/// Safe to use from any thread.
public protocol ProvidedFiles: AnyObject, Sendable {
    /// The identifier of the top folder.
    var root: String { get }
    /// Returns an item.
    func item(_ identifier: String) async throws(FileFailure) -> ProvidedItem
    /// Returns the item of a name in a folder.
    func item(named name: String, in folder: String) async throws(FileFailure) -> ProvidedItem
    /// Returns the items of a folder.
    func items(in folder: String) async throws(FileFailure) -> [ProvidedItem]
    /// Opens a file. Its contents are fetched if they are not here.
    func open(_ identifier: String, forWriting: Bool) async throws(FileFailure) -> any FileLease
    /// Makes an item.
    func create(_ item: NewItem) async throws(FileFailure) -> ProvidedItem
    /// Changes an item. If the change gives it a name that another item of the folder has, `replacing` is that item.
    func change(_ identifier: String, _ change: ItemChange, replacing: String?) async throws(FileFailure)
        -> ProvidedItem
    /// Deletes an item. A folder must be empty.
    func delete(_ identifier: String) async throws(FileFailure)
    /// The changes that the provider tells of from now on. The stream ends with the files.
    func changes() -> AsyncStream<ProvidedChange>
}

/// A failure of a provider, with the number of the system's error that fits.
public struct FileFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause of a failure. The numbers of the provider's own errors are those of `NSFileProviderError`.
    public enum Code: Sendable, Hashable {
        /// The server wants a password.
        case notAuthenticated
        /// Another item has the name.
        case filenameCollision
        /// The server has no space for the item.
        case insufficientQuota
        /// The server does not answer.
        case serverUnreachable
        /// The item is not there.
        case noSuchItem
        /// The folder has items.
        case directoryNotEmpty
        /// The host refuses the action: the item lacks the capability.
        case notPermitted
        /// The extension did not answer within the time limit.
        case timedOut
        /// The call was cancelled.
        case cancelled
        /// The extension's process ended, and did so again when the call was repeated.
        case providerEnded
        /// The item is a folder.
        case isFolder
        /// The item is no folder.
        case isNoFolder
        /// The name or another argument is not acceptable.
        case invalidArgument
        /// The provider does not do this.
        case notSupported
        /// The provider answered with something that is no valid answer, or with another error.
        case failed
        /// The disk of this machine is full.
        case noSpace
    }

    /// The cause.
    public var code: Code
    /// The reason in words.
    public var reason: String

    /// Makes a failure.
    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    public var description: String { reason }

    /// The number of the system's error, such as `ENOENT`.
    public var systemCode: Int32 {
        switch code {
        case .notAuthenticated, .notPermitted: EACCES
        case .filenameCollision: EEXIST
        case .insufficientQuota: EDQUOT
        case .serverUnreachable: EHOSTUNREACH
        case .noSuchItem: ENOENT
        case .directoryNotEmpty: ENOTEMPTY
        case .timedOut: ETIMEDOUT
        case .cancelled: EINTR
        case .providerEnded, .failed: EIO
        case .isFolder: EISDIR
        case .isNoFolder: ENOTDIR
        case .invalidArgument: EINVAL
        case .notSupported: EOPNOTSUPP
        case .noSpace: ENOSPC
        }
    }
}
