// CSImportExtension: an extension that reads the attributes of files for the system's index.

public import Foundation

/// The principal class of a Spotlight import extension (`com.apple.spotlight.import`).
///
/// `CSSupportedContentTypes` in the attributes of `Info.plist` lists the types of the files. The host asks for one file
/// at a time, on the queue of the request, and stores the attributes in its index.
open class CSImportExtension: NSObject {
    public override init() {}

    /// Sets the attributes of a file. Override it; without an override the call fails with `notImplemented`.
    ///
    /// - Parameters:
    ///   - attributes: the attributes, which have the file's type and name already.
    ///   - contentURL: a copy of the file, which is deleted after the call.
    /// - Throws: the reason why the file cannot be read. The index then keeps what it has of the file.
    open func update(_ attributes: CSSearchableItemAttributeSet, forFileAt contentURL: URL) throws {
        throw NotProvided()
    }
}
