// QuickLookMessages: the calls of thumbnail and preview extensions.

public import ExtensionPointKit

// MARK: - Thumbnails

/// Asks for the thumbnail of a file. Sizes are in points.
public struct ProvideThumbnail: PointMessage {
    public static let name = "thumbnail.provide"

    public struct Reply: Codable, Sendable {
        /// The file of the image; absent: there is no thumbnail.
        public var image: PointFile?
        /// Whether the framework has made the file, of a drawing.
        public var isDrawn: Bool
        /// A short text on the thumbnail; empty: none.
        public var badge: String

        /// Makes the reply; each value is described at its property.
        public init(image: PointFile?, isDrawn: Bool, badge: String) {
            (self.image, self.isDrawn, self.badge) = (image, isDrawn, badge)
        }
    }

    public var fileName: String
    public var file: PointFile
    /// The largest size.
    public var width: Double
    public var height: Double
    /// The least size.
    public var leastWidth: Double
    public var leastHeight: Double
    /// The pixels of a point.
    public var scale: Double

    /// Makes the call; each value is described at its property.
    public init(
        fileName: String, file: PointFile, width: Double, height: Double, leastWidth: Double = 0,
        leastHeight: Double = 0, scale: Double = 1
    ) {
        (self.fileName, self.file, self.width, self.height) = (fileName, file, width, height)
        (self.leastWidth, self.leastHeight, self.scale) = (leastWidth, leastHeight, scale)
    }
}

/// Ends the session. Its request completes without items.
public struct EndThumbnails: PointMessage {
    public static let name = "thumbnail.end"
    public init() {}
}

// MARK: - Previews

/// A preview that is data, and no view.
public struct PreviewContent: Codable, Sendable {
    /// A further piece of data, to which the content refers by its name.
    public struct Attachment: Codable, Sendable {
        public var name: String
        /// The uniform type identifier.
        public var type: String
        public var data: PointFile

        /// Makes an attachment; each value is described at its property.
        public init(name: String, type: String, data: PointFile) {
            (self.name, self.type, self.data) = (name, type, data)
        }
    }

    /// The uniform type identifier of the data.
    public var type: String
    public var data: PointFile
    /// The title; empty: the name of the file.
    public var title: String
    /// The encoding of a text, by its number in Foundation; absent: none was set.
    public var encoding: Int?
    /// The size in points; absent: none was set.
    public var width: Double?
    public var height: Double?
    public var attachments: [Attachment]

    /// Makes a preview; each value is described at its property.
    public init(
        type: String, data: PointFile, title: String = "", encoding: Int? = nil, width: Double? = nil,
        height: Double? = nil, attachments: [Attachment] = []
    ) {
        (self.type, self.data, self.title, self.encoding) = (type, data, title, encoding)
        (self.width, self.height, self.attachments) = (width, height, attachments)
    }
}

/// The reply to the preparation of a preview.
public struct PreparedPreview: Codable, Sendable {
    /// The data of the preview; absent: the extension shows its view.
    public var content: PreviewContent?

    /// Makes the reply.
    public init(_ content: PreviewContent? = nil) { self.content = content }
}

/// Asks for the preview of a file.
public struct PreparePreview: PointMessage {
    public static let name = "preview.prepareFile"
    public typealias Reply = PreparedPreview

    public var fileName: String
    public var file: PointFile

    /// Makes the call; each value is described at its property.
    public init(fileName: String, file: PointFile) { (self.fileName, self.file) = (fileName, file) }
}

/// Asks for the preview of an item of the index.
public struct PrepareItemPreview: PointMessage {
    public static let name = "preview.prepareSearchableItem"
    public typealias Reply = PreparedPreview

    public var identifier: String
    /// The text of the search that found the item; absent: none.
    public var query: String?

    /// Makes the call; each value is described at its property.
    public init(_ identifier: String, query: String? = nil) { (self.identifier, self.query) = (identifier, query) }
}

/// Ends the session: the view goes, and the request completes without items.
public struct EndPreview: PointMessage {
    public static let name = "preview.end"
    public init() {}
}
