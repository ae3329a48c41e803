// NSFileCoordinator: file coordination that calls each accessor at once.

public import Foundation
import Locks

/// A coordinator of reads and writes of files, for sources written for Apple's systems.
///
/// No other process coordinates its files here. Each accessor is therefore called at once, on the caller's thread, with
/// the given URL. Presenters are never asked.
open class NSFileCoordinator: NSObject, @unchecked Sendable {  // the only variable has a lock
    private let purpose = Mutex(UUID().uuidString)
    /// The options of a read. They are carried only.
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Has no effect.
        public static let withoutChanges = ReadingOptions(rawValue: 1)
        /// Has no effect.
        public static let resolvesSymbolicLink = ReadingOptions(rawValue: 1 << 1)
        /// Has no effect.
        public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 1 << 2)
        /// Has no effect.
        public static let forUploading = ReadingOptions(rawValue: 1 << 3)
    }

    /// The purpose of a write. The value has no effect here.
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Has no effect.
        public static let forDeleting = WritingOptions(rawValue: 1)
        /// Has no effect.
        public static let forMoving = WritingOptions(rawValue: 1 << 1)
        /// Has no effect.
        public static let forMerging = WritingOptions(rawValue: 1 << 2)
        /// Has no effect.
        public static let forReplacing = WritingOptions(rawValue: 1 << 3)
        /// Has no effect.
        public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 1 << 4)
    }

    /// The name of the part of the program that reads and writes. It is carried only.
    open var purposeIdentifier: String {
        get { purpose.withLock { $0 } }
        set { purpose.withLock { $0 = newValue } }
    }

    /// Makes a coordinator. The presenter is not asked.
    public init(filePresenter: (any NSFilePresenter)?) {}
    public convenience override init() { self.init(filePresenter: nil) }

    /// Does nothing: no process would notify a presenter.
    open class func addFilePresenter(_ presenter: any NSFilePresenter) {}
    /// Does nothing.
    open class func removeFilePresenter(_ presenter: any NSFilePresenter) {}

    /// Calls the accessor with the URL. `error` is never set: nothing can refuse.
    open func coordinate(
        readingItemAt url: URL, options: ReadingOptions = [], error: NSErrorPointer, byAccessor reader: (URL) -> Void
    ) {
        reader(url)
    }

    /// Calls the accessor with the URL.
    open func coordinate(
        writingItemAt url: URL, options: WritingOptions = [], error: NSErrorPointer, byAccessor writer: (URL) -> Void
    ) {
        writer(url)
    }

    /// Calls the accessor with both URLs.
    open func coordinate(
        readingItemAt source: URL, options: ReadingOptions = [], writingItemAt target: URL,
        options other: WritingOptions = [],
        error: NSErrorPointer, byAccessor accessor: (URL, URL) -> Void
    ) {
        accessor(source, target)
    }

    /// Calls the accessor with both URLs.
    open func coordinate(
        writingItemAt first: URL, options: WritingOptions = [], writingItemAt second: URL,
        options other: WritingOptions = [],
        error: NSErrorPointer, byAccessor writer: (URL, URL) -> Void
    ) {
        writer(first, second)
    }

    /// Does nothing.
    open func item(at old: URL, didMoveTo new: URL) {}
    /// Does nothing: no accessor waits.
    open func cancel() {}
}

/// An object that shows a file to its user. It is never asked here.
public protocol NSFilePresenter: NSObjectProtocol {
    /// The file that the presenter shows.
    var presentedItemURL: URL? { get }
    /// The queue on which the presenter would be asked.
    var presentedItemOperationQueue: OperationQueue { get }
}

/// A pointer to a place for an error, or none.
public typealias NSErrorPointer = AutoreleasingUnsafeMutablePointer<NSError?>?

/// A pointer to a place for an error: Objective-C's functions that cannot throw take one.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

/// Calls `body`: objects are not released later here than in Swift.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
