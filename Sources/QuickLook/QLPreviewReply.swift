// QLPreviewReply: a preview that is data, a file or a drawing.

public import Foundation
public import UIKit
public import UniformTypeIdentifiers

/// A preview without a view.
open class QLPreviewReply: NSObject, @unchecked Sendable {  // its data is made once, after the author's last change
    enum Content {
        case data(UTType, CGSize, (QLPreviewReply) throws -> Data)
        case file(URL)
        case drawing(CGSize, isBitmap: Bool, (CGContext, QLPreviewReply) throws -> Void)
    }

    let content: Content
    /// The title; empty: the name of the file.
    open var title = ""
    /// The encoding of a text.
    open var stringEncoding: String.Encoding {
        get { encoding ?? .utf8 }
        set { encoding = newValue }
    }
    private(set) var encoding: String.Encoding?
    /// Further data, to which an HTML content refers as `cid:NAME`.
    open var attachments: [String: QLPreviewReplyAttachment] = [:]

    /// Makes a preview of data: text, HTML, an image or a PDF file.
    ///
    /// - Parameters:
    ///   - contentType: the type of the data.
    ///   - contentSize: the size in points that the content wants.
    ///   - dataCreation: makes the data, and may set the other properties.
    public init(
        dataOfContentType contentType: UTType, contentSize: CGSize,
        createDataUsing dataCreation: @escaping (QLPreviewReply) throws -> Data
    ) { content = .data(contentType, contentSize, dataCreation) }

    /// Makes a preview of data, as `init(dataOfContentType:contentSize:createDataUsing:)`.
    public convenience init(
        dataOfContentType contentType: UTType, contentSize: CGSize,
        dataCreationBlock: @escaping (QLPreviewReply) throws -> Data
    ) {
        self.init(dataOfContentType: contentType, contentSize: contentSize, createDataUsing: dataCreationBlock)
    }

    /// Makes a preview of a file.
    public init(fileURL: URL) { content = .file(fileURL) }

    /// Makes a preview of a drawing.
    ///
    /// - Parameters:
    ///   - contextSize: the size in points.
    ///   - isBitmap: whether the drawing is of pixels. Ours: it always is.
    ///   - drawing: draws into the context, whose origin is the lower left corner.
    public init(
        contextSize: CGSize, isBitmap: Bool, drawUsing drawing: @escaping (CGContext, QLPreviewReply) throws -> Void
    ) { content = .drawing(contextSize, isBitmap: isBitmap, drawing) }

    /// Makes a preview of a drawing, as `init(contextSize:isBitmap:drawUsing:)`.
    public convenience init(
        contextSize: CGSize, isBitmap: Bool, drawingBlock: @escaping (CGContext, QLPreviewReply) throws -> Void
    ) { self.init(contextSize: contextSize, isBitmap: isBitmap, drawUsing: drawingBlock) }
}

/// Further data of a preview. Safe to use from any thread.
open class QLPreviewReplyAttachment: NSObject, @unchecked Sendable {  // all its values are constant
    public let data: Data
    public let contentType: UTType

    /// Makes an attachment of data of a type.
    public init(data: Data, contentType: UTType) { (self.data, self.contentType) = (data, contentType) }
}
