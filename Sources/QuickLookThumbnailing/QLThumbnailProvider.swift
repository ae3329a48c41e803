// QLThumbnailProvider: the principal class of a thumbnail extension, and its questions and answers.

public import Foundation
import PointFrameworkKit
public import UIKit

/// The principal class of a thumbnail extension (`com.apple.quicklook.thumbnail`). A subclass writes one of the two
/// methods.
///
/// Methods run on threads of their own, also several at once (documented).
open class QLThumbnailProvider: NSObject {
    public override init() {}

    /// Makes the thumbnail of a file.
    ///
    /// - Parameters:
    ///   - request: the file, a copy of which lasts until the end of the answer, and the sizes.
    ///   - handler: called once, on any thread, with a reply, with an error, or with neither: there is no thumbnail.
    open func provideThumbnail(
        for request: QLFileThumbnailRequest, _ handler: @escaping (QLThumbnailReply?, (any Error)?) -> Void
    ) {
        PointSession.notWritten("provideThumbnail(for:_:) of QLThumbnailProvider")
    }

    /// The form of `provideThumbnail(for:_:)` that Swift imports as `async`.
    open func thumbnail(for request: QLFileThumbnailRequest) async throws -> QLThumbnailReply {
        PointSession.notWritten("thumbnail(for:) of QLThumbnailProvider")
        throw CocoaError(.featureUnsupported)
    }
}

/// A wish for the thumbnail of a file. Safe to use from any thread.
open class QLFileThumbnailRequest: NSObject, @unchecked Sendable {  // all its values are constant
    /// The largest size in points.
    public let maximumSize: CGSize
    /// The least size in points.
    public let minimumSize: CGSize
    /// The pixels of a point.
    public let scale: CGFloat
    /// A copy of the file.
    public let fileURL: URL

    init(_ fileURL: URL, maximum: CGSize, minimum: CGSize, scale: CGFloat) {
        (self.fileURL, maximumSize, minimumSize, self.scale) = (fileURL, maximum, minimum, scale)
    }
}

/// A thumbnail: a drawing, or the file of an image.
open class QLThumbnailReply: NSObject, @unchecked Sendable {  // its drawing runs once, after the author's last change
    enum Content {
        case drawing(CGSize, isFlipped: Bool, (CGContext) -> Bool)
        case file(URL)
    }

    let content: Content
    /// A short text that the host shows on the thumbnail.
    open var extensionBadge = ""

    /// Makes a thumbnail of a drawing.
    ///
    /// - Parameters:
    ///   - contextSize: the size in points, at most `maximumSize`.
    ///   - drawing: draws into the context, whose origin is the lower left corner, and returns whether it has.
    public init(contextSize: CGSize, drawing: @escaping (CGContext) -> Bool) {
        content = .drawing(contextSize, isFlipped: false, drawing)
    }

    /// Makes a thumbnail of a drawing in the current context of UIKit.
    ///
    /// - Parameters:
    ///   - contextSize: the size in points, at most `maximumSize`.
    ///   - drawing: draws into the current context, whose origin is the upper left corner, and returns whether it has.
    public init(contextSize: CGSize, currentContextDrawing drawing: @escaping () -> Bool) {
        content = .drawing(contextSize, isFlipped: true) { _ in drawing() }
    }

    /// Makes a thumbnail of a JPEG or PNG file.
    public init(imageFileURL fileURL: URL) { content = .file(fileURL) }
}
