// QLPreviewingController: the methods of the principal class of a preview extension.

public import Foundation
import PointFrameworkKit

/// The methods of a preview extension (`com.apple.quicklook.preview`), each in two forms.
///
/// A `UIViewController` writes `preparePreviewOfFile` or `preparePreviewOfSearchableItem`, and shows its view after the
/// answer. A `QLPreviewProvider` writes `providePreview`. Methods of a view controller run on the main queue. A method
/// that only a subclass of the adopting class writes is not called.
@preconcurrency public protocol QLPreviewingController: NSObjectProtocol {
    /// Loads a file, before the view appears.
    ///
    /// - Parameters:
    ///   - url: a copy of the file, which lasts as long as the request.
    ///   - handler: called once, on any thread, with the reason why there is no preview, or nil.
    @MainActor func preparePreviewOfFile(at url: URL, completionHandler handler: @escaping ((any Error)?) -> Void)

    /// The form of `preparePreviewOfFile(at:completionHandler:)` that Swift imports as `async`.
    @MainActor func preparePreviewOfFile(at url: URL) async throws

    /// Loads an item of the index, before the view appears.
    ///
    /// - Parameters:
    ///   - identifier: the identifier of the item.
    ///   - queryString: the text of the search that found it.
    ///   - handler: called once, on any thread, with the reason why there is no preview, or nil.
    @MainActor func preparePreviewOfSearchableItem(
        identifier: String, queryString: String?, completionHandler handler: @escaping ((any Error)?) -> Void)

    /// The form of `preparePreviewOfSearchableItem(identifier:queryString:completionHandler:)` that Swift imports as
    /// `async`.
    @MainActor func preparePreviewOfSearchableItem(identifier: String, queryString: String?) async throws

    /// Makes a preview of data.
    ///
    /// - Parameters:
    ///   - request: the file, a copy of which lasts as long as the request.
    ///   - handler: called once, on any thread.
    func providePreview(
        for request: QLFilePreviewRequest, completionHandler handler: @escaping (QLPreviewReply?, (any Error)?) -> Void)

    /// The form of `providePreview(for:completionHandler:)` that Swift imports as `async`.
    func providePreview(for request: QLFilePreviewRequest) async throws -> QLPreviewReply
}

extension QLPreviewingController {
    public func preparePreviewOfFile(at url: URL, completionHandler handler: @escaping ((any Error)?) -> Void) {
        PointSession.notWritten("preparePreviewOfFile(at:completionHandler:)")
    }
    public func preparePreviewOfFile(at url: URL) async throws {
        PointSession.notWritten("preparePreviewOfFile(at:)")
    }
    public func preparePreviewOfSearchableItem(
        identifier: String, queryString: String?, completionHandler handler: @escaping ((any Error)?) -> Void
    ) {
        PointSession.notWritten("preparePreviewOfSearchableItem(identifier:queryString:completionHandler:)")
    }
    public func preparePreviewOfSearchableItem(identifier: String, queryString: String?) async throws {
        PointSession.notWritten("preparePreviewOfSearchableItem(identifier:queryString:)")
    }
    public func providePreview(
        for request: QLFilePreviewRequest, completionHandler handler: @escaping (QLPreviewReply?, (any Error)?) -> Void
    ) {
        PointSession.notWritten("providePreview(for:completionHandler:)")
    }
    public func providePreview(for request: QLFilePreviewRequest) async throws -> QLPreviewReply {
        PointSession.notWritten("providePreview(for:)")
        throw CocoaError(.featureUnsupported)
    }
}

/// The principal class of a preview extension without a view. A subclass adopts `QLPreviewingController`.
open class QLPreviewProvider: NSObject {
    public override init() {}
}

/// A wish for the preview of a file. Safe to use from any thread.
open class QLFilePreviewRequest: NSObject, @unchecked Sendable {  // its value is constant
    /// A copy of the file.
    public let fileURL: URL
    init(_ fileURL: URL) { self.fileURL = fileURL }
}
