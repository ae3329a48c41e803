// CSSearchableIndexDelegate: the questions of the index to an app or its extension.

public import Foundation
import PointFrameworkKit

/// An object that makes items again when the index asks for them.
///
/// The principal object of an index extension is one. The delegate of a running app is asked in its place.
public protocol CSSearchableIndexDelegate: NSObjectProtocol {
    /// Indexes all items again.
    ///
    /// The handler is called once all items are given to the index, from any thread.
    func searchableIndex(
        _ searchableIndex: CSSearchableIndex,
        reindexAllSearchableItemsWithAcknowledgementHandler acknowledgementHandler: @escaping @Sendable () -> Void)

    /// Indexes items again, and deletes those that there are no more.
    ///
    /// The handler is called once all of them are given to the index, from any thread.
    func searchableIndex(
        _ searchableIndex: CSSearchableIndex, reindexSearchableItemsWithIdentifiers identifiers: [String],
        acknowledgementHandler: @escaping @Sendable () -> Void)

    /// The index makes no changes for now: they wait. Optional.
    func searchableIndexDidThrottle(_ searchableIndex: CSSearchableIndex)

    /// The index makes changes again. Optional.
    func searchableIndexDidFinishThrottle(_ searchableIndex: CSSearchableIndex)

    /// Returns the data of an item in a type. Optional.
    func data(for searchableIndex: CSSearchableIndex, itemIdentifier: String, typeIdentifier: String) throws -> Data

    /// Returns the file of an item in a type. Optional.
    ///
    /// With `inPlace` the file itself is wanted, and no copy.
    func fileURL(
        for searchableIndex: CSSearchableIndex, itemIdentifier: String, typeIdentifier: String, inPlace: Bool
    ) throws -> URL
}

extension CSSearchableIndexDelegate {
    public func searchableIndexDidThrottle(_ searchableIndex: CSSearchableIndex) { PointSession.notWritten() }
    public func searchableIndexDidFinishThrottle(_ searchableIndex: CSSearchableIndex) { PointSession.notWritten() }

    public func data(
        for searchableIndex: CSSearchableIndex, itemIdentifier: String, typeIdentifier: String
    ) throws -> Data {
        PointSession.notWritten()
        throw NotProvided()
    }

    public func fileURL(
        for searchableIndex: CSSearchableIndex, itemIdentifier: String, typeIdentifier: String, inPlace: Bool
    ) throws -> URL {
        PointSession.notWritten()
        throw NotProvided()
    }
}

/// The mark of a method that the author has not written.
struct NotProvided: Error {}

/// The principal class of a Spotlight index extension, which is the delegate of its index.
///
/// The author overrides the two methods that index items again. They run on the queue of the request.
open class CSIndexExtensionRequestHandler: NSObject, NSExtensionRequestHandling, CSSearchableIndexDelegate {
    public required override init() {}

    /// Does nothing: the index asks by the methods of its delegate.
    open func beginRequest(with context: NSExtensionContext) {}

    open func searchableIndex(
        _ searchableIndex: CSSearchableIndex,
        reindexAllSearchableItemsWithAcknowledgementHandler acknowledgementHandler: @escaping @Sendable () -> Void
    ) {
        acknowledgementHandler()
    }

    open func searchableIndex(
        _ searchableIndex: CSSearchableIndex, reindexSearchableItemsWithIdentifiers identifiers: [String],
        acknowledgementHandler: @escaping @Sendable () -> Void
    ) {
        acknowledgementHandler()
    }

    open func searchableIndexDidThrottle(_ searchableIndex: CSSearchableIndex) {}
    open func searchableIndexDidFinishThrottle(_ searchableIndex: CSSearchableIndex) {}

    open func data(
        for searchableIndex: CSSearchableIndex, itemIdentifier: String, typeIdentifier: String
    ) throws -> Data {
        throw NotProvided()
    }

    open func fileURL(
        for searchableIndex: CSSearchableIndex, itemIdentifier: String, typeIdentifier: String, inPlace: Bool
    ) throws -> URL {
        throw NotProvided()
    }
}
