// NSFileProviderReplicatedExtension: a provider whose files the host stores.

public import Foundation

/// The principal class of a replicated provider.
///
/// The host makes one object for a domain. It calls the methods on the queue of the request. Every completion handler is
/// called once, on any thread. The host cancels the returned progress when it does not wait any more.
public protocol NSFileProviderReplicatedExtension: NSFileProviderEnumerating {
    /// Makes the provider of a domain.
    init(domain: NSFileProviderDomain)

    /// Tells that the object is not used any more.
    func invalidate()

    /// Finds an item.
    func item(
        for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress

    /// Makes a file of an item's contents, which the host takes over.
    func fetchContents(
        for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?,
        request: NSFileProviderRequest,
        completionHandler: @escaping @Sendable (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress

    /// Stores a new item. The file at `url` is the author's until the handler is called.
    func createItem(
        basedOn itemTemplate: any NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?,
        options: NSFileProviderCreateItemOptions, request: NSFileProviderRequest,
        completionHandler:
            @escaping @Sendable (
                (any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?
            ) -> Void
    ) -> Progress

    /// Stores changes of an item. The file at `newContents` is the author's until the handler is called.
    func modifyItem(
        _ item: any NSFileProviderItem, baseVersion version: NSFileProviderItemVersion,
        changedFields: NSFileProviderItemFields, contents newContents: URL?,
        options: NSFileProviderModifyItemOptions, request: NSFileProviderRequest,
        completionHandler:
            @escaping @Sendable (
                (any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?
            ) -> Void
    ) -> Progress

    /// Deletes an item.
    func deleteItem(
        identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion,
        options: NSFileProviderDeleteItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> Progress

    /// Tells that the host has asked for all items after an import. Optional.
    func importDidFinish(completionHandler: @escaping @Sendable () -> Void)

    /// Tells that other items than before have their contents on this machine. Optional.
    func materializedItemsDidChange(completionHandler: @escaping @Sendable () -> Void)
}

extension NSFileProviderReplicatedExtension {
    public func importDidFinish(completionHandler: @escaping @Sendable () -> Void) { completionHandler() }
    public func materializedItemsDidChange(completionHandler: @escaping @Sendable () -> Void) { completionHandler() }
}

/// The further methods of a provider that makes thumbnails.
public protocol NSFileProviderThumbnailing: NSObjectProtocol {
    /// Makes thumbnails: calls the first handler once for each item, and then the second once.
    func fetchThumbnails(
        for itemIdentifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler:
            @escaping @Sendable (
                NSFileProviderItemIdentifier, Data?, (any Error)?
            ) -> Void,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> Progress
}
