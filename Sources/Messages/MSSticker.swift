// MSSticker: an image that a person puts into a conversation.

import ExtensionPointKit
public import Foundation
import ImageCodecs

/// A sticker: the file of a PNG, GIF or JPEG image, and its description.
open class MSSticker: NSObject {
    /// The most bytes of the file: 500 KB (documented).
    static let largestFile = 500 * 1024
    /// The sides of the image in pixels (ours: Apple recommends 300 to 618).
    static let sides = 100...618
    /// The most characters of the description (documented). Others are cut (ours).
    static let longestDescription = 150

    /// The URL of the file.
    open var imageFileURL: URL { place }
    open var localizedDescription: String { text }
    private let place: URL
    private let text: String
    /// The size of the image.
    let pixels: CGSize

    /// Makes a sticker of a file.
    ///
    /// - Parameters:
    ///   - fileURL: the URL of an image with at most 500 KB, and with sides of 100 to 618 pixels.
    ///   - localizedDescription: a short description.
    /// - Throws: an error of `MSStickersErrorDomain` with a code of `MSMessageErrorCode`.
    public init(contentsOfFileURL fileURL: URL, localizedDescription: String) throws {
        func fault(_ code: MSMessageErrorCode, _ reason: String) -> NSError {
            code.error(reason, domain: MSStickersErrorDomain)
        }
        guard fileURL.isFileURL else { throw fault(.improperFileURL, "\(fileURL) is not the URL of a file") }
        let path = fileURL.path
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
            throw fault(.fileNotFound, "there is no file \(path)")
        }
        // The file is opened once, without waiting for a writer of a pipe.
        guard let file = try? PointFile(readingAt: path),
            let data = withExtendedLifetime(
                file,
                {
                    try? FileHandle(fileDescriptor: file.descriptor.raw, closeOnDealloc: false)
                        .read(upToCount: Self.largestFile + 1)
                })
        else { throw fault(.fileUnreadable, "\(path) cannot be read, or is empty") }
        guard data.count <= Self.largestFile else {
            throw fault(.stickerFileImproperFileSize, "\(path) has more bytes than the 500 KB that are possible")
        }
        guard let sides = data.withUnsafeBytes({ stickerSides(of: $0) }) else {
            throw fault(.stickerFileImproperFileFormat, "\(path) is no PNG, GIF or JPEG image")
        }
        guard Self.sides.contains(sides.width), Self.sides.contains(sides.height) else {
            throw fault(
                .stickerFileImproperFileSize,
                "\(path) has \(sides.width) × \(sides.height) pixels, and 100 to 618 are possible on each side")
        }
        place = fileURL
        pixels = CGSize(width: sides.width, height: sides.height)
        text = String(localizedDescription.prefix(Self.longestDescription))
    }
}
