// PHContentEditingInput: the asset that an extension edits.

public import Foundation
import ImageCodecs
import Locks
package import PointMessages
public import UIKit

/// An asset for an edit, with its file. Safe to use from any thread.
///
/// If the extension can continue the earlier edit, the file is the original, and `adjustmentData` describes that edit.
/// Otherwise the file is the current rendering (documented).
open class PHContentEditingInput: NSObject, @unchecked Sendable {  // all state is behind the Mutex, or constant
    /// The longest side of `displaySizeImage`, in pixels (ours).
    private static let displaySide = 1024

    public let mediaType: PHAssetMediaType
    public let mediaSubtypes: PHAssetMediaSubtype
    public let creationDate: Date?
    public let location: CLLocation?
    /// The uniform type identifier of the file.
    public let uniformTypeIdentifier: String?
    /// The earlier edit; nil if there is none, or `canHandle(_:)` has returned false.
    public let adjustmentData: PHAdjustmentData?
    /// A copy of the photo's file, which exists until the session ends; nil for a video.
    public let fullSizeImageURL: URL?
    /// The EXIF orientation of the photo's file, from 1 to 8.
    public let fullSizeImageOrientation: Int32
    /// An `AVURLAsset` with the video's file, and nothing else; nil for a photo.
    public let audiovisualAsset: AVAsset?
    /// Nil: live photos are not simulated.
    public var livePhoto: PHLivePhoto? { nil }

    /// Returns a path at which an output may write a file, in a folder that is deleted at the end of the session.
    package let place: @Sendable (_ name: String) throws -> URL
    private let display = Mutex<UIImage?>(nil)

    /// - Parameters:
    ///   - message: the asset.
    ///   - file: the copy of its file.
    ///   - place: returns a path for a rendering.
    package init(_ message: PhotoInput, file: URL, place: @escaping @Sendable (_ name: String) throws -> URL) {
        let isVideo = message.media == .video
        mediaType = isVideo ? .video : .image
        mediaSubtypes = PHAssetMediaSubtype(rawValue: UInt(bitPattern: message.subtypes))
        creationDate = message.created.map { Date(timeIntervalSince1970: $0) }
        location = message.place.map { CLLocation(latitude: $0.latitude, longitude: $0.longitude) }
        uniformTypeIdentifier = message.type
        adjustmentData = message.adjustment.map { PHAdjustmentData($0) }
        fullSizeImageURL = isVideo ? nil : file
        fullSizeImageOrientation = Int32(exactly: message.orientation) ?? 1
        audiovisualAsset = isVideo ? AVURLAsset(url: file) : nil
        self.place = place
    }

    /// The photo, upright, with at most 1,024 pixels on its longest side (ours); nil for a video. The first use decodes
    /// the file. Of a file that cannot be decoded it has the bytes.
    public var displaySizeImage: UIImage? {
        guard let url = fullSizeImageURL else { return nil }
        return display.withLock { image in
            if image == nil { image = Self.image(url) ?? UIImage(contentsOfFile: url.path) }
            return image
        }
    }

    private static func image(_ url: URL) -> UIImage? {
        guard let data = try? Data(contentsOf: url) else { return nil }
        let image = data.withUnsafeBytes { bytes -> CGImage? in
            guard let header = try? ImageHeader(of: bytes),
                let pixels = try? ImageCodec.decode(bytes, longestSide: displaySide),
                let upright = try? pixels.upright(from: header.orientation)
            else { return nil }
            return CGImage(upright, isOpaque: header.format == .jpeg)
        }
        return image.map { UIImage(cgImage: $0) }
    }
}
