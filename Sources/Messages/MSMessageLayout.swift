// MSMessageLayout: the looks of a message in the transcript.

import ExtensionPointKit
public import Foundation
import PointMessages
public import UIKit

/// The base class of layouts.
open class MSMessageLayout: NSObject, NSCopying {
    /// Makes a layout.
    public override init() {}

    /// Returns a copy.
    ///
    /// - Parameter zone: has no meaning.
    open func copy(with zone: NSZone? = nil) -> Any { MSMessageLayout() }
}

/// A layout of texts around an image or a media file.
open class MSMessageTemplateLayout: MSMessageLayout {
    open var caption: String?
    open var subcaption: String?
    open var trailingCaption: String?
    open var trailingSubcaption: String?
    /// The image. It comes before `mediaFileURL` (documented).
    open var image: UIImage?
    /// The URL of a media file.
    open var mediaFileURL: URL?
    open var imageTitle: String?
    open var imageSubtitle: String?

    /// Makes an empty layout.
    public override init() {}

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = MSMessageTemplateLayout()
        (copy.caption, copy.subcaption) = (caption, subcaption)
        (copy.trailingCaption, copy.trailingSubcaption) = (trailingCaption, trailingSubcaption)
        (copy.image, copy.mediaFileURL) = (image, mediaFileURL)
        (copy.imageTitle, copy.imageSubtitle) = (imageTitle, imageSubtitle)
        return copy
    }
}

/// A layout that the extension draws itself, in the transcript.
open class MSMessageLiveLayout: MSMessageLayout {
    /// The layout for devices without the extension.
    open var alternateLayout: MSMessageTemplateLayout { alternate }
    private let alternate: MSMessageTemplateLayout

    /// Makes a live layout.
    ///
    /// - Parameter alternateLayout: the layout for devices without the extension.
    public init(alternateLayout: MSMessageTemplateLayout) { alternate = alternateLayout }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let alternate = alternateLayout.copy() as? MSMessageTemplateLayout
        return MSMessageLiveLayout(alternateLayout: alternate ?? alternateLayout)
    }
}

extension MSMessageLayout {
    /// Returns the layout in the form that travels.
    ///
    /// - Throws: an error of `MSMessagesErrorDomain` if the media file cannot be used.
    func travelling() throws -> PayloadLayout {
        if let live = self as? MSMessageLiveLayout {
            var layout = try live.alternateLayout.travelling()
            layout.isLive = true
            return layout
        }
        var layout = PayloadLayout()
        guard let template = self as? MSMessageTemplateLayout else { return layout }
        (layout.caption, layout.subcaption) = (template.caption, template.subcaption)
        (layout.trailingCaption, layout.trailingSubcaption) = (template.trailingCaption, template.trailingSubcaption)
        (layout.imageTitle, layout.imageSubtitle) = (template.imageTitle, template.imageSubtitle)
        if let data = template.image?.data, !data.isEmpty {
            layout.media = try MediaFile.file(of: data)
        } else if let url = template.mediaFileURL {
            layout.media = try MediaFile.open(url)
            layout.mediaName = url.lastPathComponent
        }
        return layout
    }

    /// Makes the layout of a message that comes from the host.
    ///
    /// - Parameter place: makes a file of the host's one of the extension's.
    static func made(_ layout: PayloadLayout, place: (PointFile, String) throws -> URL) -> MSMessageLayout {
        let template = MSMessageTemplateLayout()
        (template.caption, template.subcaption) = (layout.caption, layout.subcaption)
        (template.trailingCaption, template.trailingSubcaption) = (layout.trailingCaption, layout.trailingSubcaption)
        (template.imageTitle, template.imageSubtitle) = (layout.imageTitle, layout.imageSubtitle)
        if let media = layout.media, let url = try? place(media, layout.mediaName ?? "image") {
            if layout.mediaName == nil {
                template.image = UIImage(contentsOfFile: url.path)
            } else {
                template.mediaFileURL = url
            }
        }
        return layout.isLive ? MSMessageLiveLayout(alternateLayout: template) : template
    }
}

/// A file of the extension's that goes to the host.
enum MediaFile {
    /// Makes a file of data, which only its descriptor holds.
    static func file(of data: Data) throws -> PointFile {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: place) }
        try data.write(to: place)
        return try PointFile(readingAt: place.path)
    }

    /// Opens a file.
    ///
    /// - Throws: an error of `MSMessagesErrorDomain`.
    static func open(_ url: URL) throws -> PointFile {
        guard url.isFileURL else {
            throw MSMessageErrorCode.improperFileURL.error("\(url.absoluteString) is not the URL of a file")
        }
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw MSMessageErrorCode.fileNotFound.error("there is no file \(url.path)")
        }
        do {
            return try PointFile(readingAt: url.path)
        } catch {
            throw MSMessageErrorCode.fileUnreadable.error("\(url.path) cannot be read: \(error)")
        }
    }
}
