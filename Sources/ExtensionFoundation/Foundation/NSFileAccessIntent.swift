// NSFileAccessIntent: reads and writes of files that a coordinator performs one after the other.

public import Foundation

/// A wish to read or write a file. Safe to use from any thread.
open class NSFileAccessIntent: NSObject, @unchecked Sendable {  // its properties are constant
    /// The file to use in the accessor: the given one, because no process moves it here.
    public let url: URL

    private init(_ url: URL) { self.url = url }

    /// Returns the intent to read a file.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - options: no effect.
    open class func readingIntent(
        with url: URL, options: NSFileCoordinator.ReadingOptions = []
    ) -> NSFileAccessIntent { NSFileAccessIntent(url) }

    /// Returns the intent to write a file.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - options: no effect.
    open class func writingIntent(
        with url: URL, options: NSFileCoordinator.WritingOptions = []
    ) -> NSFileAccessIntent { NSFileAccessIntent(url) }
}

extension NSFileCoordinator {
    /// Calls the accessor on a queue. It waits for nobody: no other process coordinates its files here.
    ///
    /// - Parameters:
    ///   - intents: the reads and writes. The accessor uses their URLs.
    ///   - queue: the queue of the accessor.
    ///   - accessor: called once, with nil: nothing can refuse.
    public func coordinate(
        with intents: [NSFileAccessIntent], queue: OperationQueue, byAccessor accessor: @escaping ((any Error)?) -> Void
    ) {
        nonisolated(unsafe) let accessor = accessor  // handed over to the queue, as on Apple's systems
        queue.addOperation { accessor(nil) }
    }
}
