// NSFileProviderEnumerating: the items of a container, page by page, and their changes.

public import Foundation

/// A place in the items of a container, in a form that only the provider knows.
public struct NSFileProviderPage: RawRepresentable, Hashable, Sendable {
    /// The bytes, of which there are at most 500.
    public let rawValue: Data
    /// Makes a page of its bytes.
    public init(rawValue: Data) { self.rawValue = rawValue }
    /// Makes a page of its bytes.
    public init(_ rawValue: Data) { self.rawValue = rawValue }

    /// The bytes of the first page, sorted by name.
    public static let initialPageSortedByName = Data("NSFileProviderInitialPageSortedByName".utf8)
    /// The bytes of the first page, the newest item first.
    public static let initialPageSortedByDate = Data("NSFileProviderInitialPageSortedByDate".utf8)
}

/// The first pages as pages: Apple's sources write both `as Data` and `as NSFileProviderPage`.
public protocol _InitialPages {}

extension NSFileProviderPage: _InitialPages {}

extension _InitialPages where Self == NSFileProviderPage {
    /// The first page, sorted by name.
    public static var initialPageSortedByName: NSFileProviderPage {
        NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data)
    }

    /// The first page, the newest item first.
    public static var initialPageSortedByDate: NSFileProviderPage {
        NSFileProviderPage(NSFileProviderPage.initialPageSortedByDate as Data)
    }
}

/// A state of a container, in a form that only the provider knows.
public struct NSFileProviderSyncAnchor: RawRepresentable, Hashable, Sendable {
    /// The bytes, of which there are at most 500.
    public let rawValue: Data
    /// Makes an anchor of its bytes.
    public init(rawValue: Data) { self.rawValue = rawValue }
    /// Makes an anchor of its bytes.
    public init(_ rawValue: Data) { self.rawValue = rawValue }
}

/// The receiver of a page's items. Its methods may be called on any thread.
///
/// `didEnumerate` is called any number of times, and then one of the other two once.
public protocol NSFileProviderEnumerationObserver: NSObjectProtocol, Sendable {
    /// Takes items of the page.
    func didEnumerate(_ updatedItems: [any NSFileProviderItemProtocol])
    /// Ends the page. Nil: there is no further page.
    func finishEnumerating(upTo nextPage: NSFileProviderPage?)
    /// Ends the page with an error.
    func finishEnumeratingWithError(_ error: any Error)
    /// The number of items that the host likes in a page.
    var suggestedPageSize: Int { get }
}

/// The receiver of changes. Its methods may be called on any thread.
///
/// The first two are called any number of times, and then one of the others once.
public protocol NSFileProviderChangeObserver: NSObjectProtocol, Sendable {
    /// Takes items that are new or have changed.
    func didUpdate(_ updatedItems: [any NSFileProviderItemProtocol])
    /// Takes the identifiers of items that are gone.
    func didDeleteItems(withIdentifiers deletedItemIdentifiers: [NSFileProviderItemIdentifier])
    /// Ends the changes at an anchor.
    func finishEnumeratingChanges(upTo anchor: NSFileProviderSyncAnchor, moreComing: Bool)
    /// Ends the changes with an error.
    func finishEnumeratingWithError(_ error: any Error)
    /// The number of changes that the host likes at once.
    var suggestedBatchSize: Int { get }
}

/// The items of a container.
public protocol NSFileProviderEnumerator: NSObjectProtocol {
    /// Tells that the host does not enumerate any more.
    func invalidate()
    /// Gives a page of items to the observer, now or later.
    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage)
    /// Gives the changes since an anchor to the observer, now or later. Optional.
    func enumerateChanges(for observer: any NSFileProviderChangeObserver, from anchor: NSFileProviderSyncAnchor)
    /// Calls the handler with the anchor of the present state. Optional.
    func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void)
}

extension NSFileProviderEnumerator {
    public func enumerateChanges(
        for observer: any NSFileProviderChangeObserver, from anchor: NSFileProviderSyncAnchor
    ) {
        observer.finishEnumeratingWithError(NSFileProviderError(.syncAnchorExpired))
    }

    public func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void) {
        completionHandler(nil)
    }
}

/// The maker of enumerators of a replicated provider.
public protocol NSFileProviderEnumerating: NSObjectProtocol {
    /// Returns the enumerator of a container.
    ///
    /// - Throws: such as `NSFileProviderError.noSuchItem`.
    func enumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest
    ) throws -> any NSFileProviderEnumerator
}

/// The circumstances of a call of a replicated provider.
public final class NSFileProviderRequest: NSObject, Sendable {
    /// Whether the system makes the call for itself. Always true: no program is named.
    public var isSystemRequest: Bool { true }
    /// Whether the call comes from a browser of files. Always false.
    public var isFileViewerRequest: Bool { false }
    /// The program that made the call. Always nil.
    public var requestingExecutable: URL? { nil }
}
