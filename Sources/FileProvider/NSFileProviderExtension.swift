// NSFileProviderExtension: a provider that keeps its files in the document storage.

public import Foundation
import PointFrameworkKit

/// The principal class of a provider whose files are in the document storage, where other processes open them.
///
/// The author overrides what he has. The host calls the methods on the queue of the request.
open class NSFileProviderExtension: NSObject, NSExtensionRequestHandling {
    /// The domain for which the host made the object; nil for the one of a provider without others.
    public internal(set) var domain: NSFileProviderDomain?

    public override init() { super.init() }

    /// Does nothing: the host calls the other methods.
    open func beginRequest(with context: NSExtensionContext) {}

    /// The identifier of the provider: of the extension's bundle.
    open var providerIdentifier: String { Bundle.main.bundleIdentifier ?? "" }

    /// The folder of the files: `File Provider Storage` in the container of `NSExtensionFileProviderDocumentGroup`. That
    /// of a domain is below it.
    open var documentStorageURL: URL {
        guard let path = domain?.pathRelativeToDocumentStorage else { return DocumentStorage.url }
        return DocumentStorage.url.appendingPathComponent(path, isDirectory: true)
    }

    // MARK: Items and their places

    /// Returns an item.
    ///
    /// - Throws: such as `NSFileProviderError.noSuchItem`.
    open func item(for identifier: NSFileProviderItemIdentifier) throws -> any NSFileProviderItem {
        throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: identifier)
    }

    /// Returns the place of an item. The default: the identifier is the path below `documentStorageURL`.
    open func urlForItem(withPersistentIdentifier identifier: NSFileProviderItemIdentifier) -> URL? {
        identifier == .rootContainer
            ? documentStorageURL : documentStorageURL.appendingPathComponent(identifier.rawValue)
    }

    /// Returns the item of a place. The default: the identifier is the path below `documentStorageURL`.
    open func persistentIdentifierForItem(at url: URL) -> NSFileProviderItemIdentifier? {
        guard let path = DocumentStorage.path(of: url), let folder = DocumentStorage.path(of: documentStorageURL)
        else { return nil }
        if path == folder { return .rootContainer }
        if folder.isEmpty { return NSFileProviderItemIdentifier(path) }
        guard path.hasPrefix(folder + "/") else { return nil }
        return NSFileProviderItemIdentifier(String(path.dropFirst(folder.count + 1)))
    }

    /// Makes a placeholder beside the place of an item without a file.
    open func providePlaceholder(at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        PointSession.notWritten()
        completionHandler(NSFileProviderError(.noSuchItem))
    }

    /// Makes the file of an item, which another process wants to read.
    open func startProvidingItem(at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        PointSession.notWritten()
        completionHandler(NSFileProviderError(.noSuchItem))
    }

    /// Tells that nobody uses the file any more. It may be replaced by a placeholder.
    open func stopProvidingItem(at url: URL) {}

    /// Tells that another process has changed the file.
    open func itemChanged(at url: URL) {}

    // MARK: Containers

    /// Returns the enumerator of a container.
    ///
    /// - Throws: such as `NSFileProviderError.noSuchItem`.
    open func enumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier
    ) throws -> any NSFileProviderEnumerator {
        throw CocoaError(.featureUnsupported)
    }

    // MARK: Actions

    /// A handler of an action: the item after it, or an error.
    public typealias ItemHandler = @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void

    private func refuse(_ completionHandler: ItemHandler) {
        PointSession.notWritten()
        completionHandler(nil, CocoaError(.featureUnsupported))
    }

    /// Imports a copy of a document. The file is the author's until the handler is called.
    open func importDocument(
        at fileURL: URL, toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        refuse(completionHandler)
    }

    /// Makes a folder.
    open func createDirectory(
        withName directoryName: String, inParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        refuse(completionHandler)
    }

    /// Gives an item another name.
    open func renameItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier, toName itemName: String,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        refuse(completionHandler)
    }

    /// Moves an item to another folder, with a new name if there is one.
    open func reparentItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        toParentItemWithIdentifier parentItemIdentifier: NSFileProviderItemIdentifier, newName: String?,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        refuse(completionHandler)
    }

    /// Moves an item to the trash.
    open func trashItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        refuse(completionHandler)
    }

    /// Moves an item out of the trash: to the folder, or where it was.
    open func untrashItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier?,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        refuse(completionHandler)
    }

    /// Deletes an item.
    open func deleteItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        PointSession.notWritten()
        completionHandler(CocoaError(.featureUnsupported))
    }

    /// Stores the time of the last use.
    open func setLastUsedDate(
        _ lastUsedDate: Date?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        refuse(completionHandler)
    }

    /// Stores the tags.
    open func setTagData(
        _ tagData: Data?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        refuse(completionHandler)
    }

    /// Stores the rank among favourites.
    open func setFavoriteRank(
        _ favoriteRank: NSNumber?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        refuse(completionHandler)
    }

    /// Makes thumbnails: calls the first handler once for each item, and then the second once.
    open func fetchThumbnails(
        for itemIdentifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler:
            @escaping @Sendable (
                NSFileProviderItemIdentifier, Data?, (any Error)?
            ) -> Void,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> Progress {
        completionHandler(CocoaError(.featureUnsupported))
        return Progress(totalUnitCount: 0)
    }

    // MARK: Placeholders

    /// Returns the place of a file's placeholder: `.NAME.icloud` beside it.
    open class func placeholderURL(for url: URL) -> URL {
        url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).icloud")
    }

    /// Writes a placeholder: a property list with the name, the size and the type.
    open class func writePlaceholder(
        at placeholderURL: URL, withMetadata metadata: [URLResourceKey: Any]
    ) throws {
        try Placeholder.write(
            at: placeholderURL, name: metadata[.nameKey] as? String,
            size: (metadata[.fileSizeKey] as? NSNumber)?.intValue ?? metadata[.fileSizeKey] as? Int,
            type: metadata[.typeIdentifierKey] as? String)
    }
}

/// A file that stands for another, which is not on this machine.
enum Placeholder {
    static func write(at url: URL, name: String?, size: Int?, type: String?) throws {
        var values: [String: Any] = [:]
        values["NSURLNameKey"] = name ?? String(url.lastPathComponent.dropFirst().dropLast(".icloud".count))
        values["NSURLFileSizeKey"] = size
        values["NSURLTypeIdentifierKey"] = type
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let data = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
        try data.write(to: url, options: .atomic)
    }
}
