// ImageContent: the bytes or the pixels of an image, shared by its variants.

import Foundation
import ImageCodecs
import Locks

/// The content of an image: a file, which is decoded once and when it is needed, or pixels.
final class ImageContent: Sendable {
    /// The bytes of the file; empty for pixels.
    let file: Data
    /// The size in pixels; zero if it is unknown.
    let size: CGSize
    /// The EXIF orientation that the file has.
    let orientation: UInt8
    /// The format of a file that can be decoded unless it is damaged.
    let format: ImageFormat?
    /// The pixels that were given.
    private let given: CGImage?
    /// The EXIF orientation from which the pixels are to be turned.
    private let turn: UInt8
    private enum Decoding { case notYet, done(CGImage?) }
    private let decoding: Mutex<Decoding>

    private init(
        file: Data = Data(), given: CGImage? = nil, _ size: CGSize, orientation: UInt8 = 1, format: ImageFormat? = nil,
        turn: UInt8 = 1
    ) {
        (self.file, self.given, self.size, self.orientation) = (file, given, size, orientation)
        (self.format, self.turn) = (format, turn)
        decoding = Mutex(.notYet)
    }

    convenience init(_ file: Data) {
        if let header = file.withUnsafeBytes({ try? ImageHeader(of: $0) }) {
            self.init(
                file: file, CGSize(width: header.width, height: header.height), orientation: header.orientation,
                format: header.format)
        } else {
            self.init(file: file, Self.gifSize(file) ?? .zero)
        }
    }

    convenience init(_ image: CGImage) { self.init(given: image, CGSize(width: image.width, height: image.height)) }

    /// Returns the content whose pixels are turned upright, when they are needed.
    func upright(from orientation: UInt8) -> ImageContent {
        guard orientation != 1 else { return self }
        return ImageContent(
            file: file, given: given,
            orientation >= 5 ? CGSize(width: size.height, height: size.width) : size, format: format, turn: orientation)
    }

    /// The pixels; nil if there are none. The first use takes as long as decoding.
    var image: CGImage? {
        decoding.withLock { decoding in
            if case .done(let image) = decoding { return image }
            let image = decode()
            decoding = .done(image)
            return image
        }
    }

    private func decode() -> CGImage? {
        var image = given
        if image == nil, let format {
            image = Self.reported(format) { () throws(ImageCodecError) in
                let pixels = try file.withUnsafeBytes { bytes in
                    Result { () throws(ImageCodecError) in try ImageCodec.decode(bytes) }
                }.get()
                return CGImage(pixels, isOpaque: format == .jpeg)
            }
        }
        guard let image, turn != 1 else { return image }
        return try? image.withPixels { (pixels) throws(ImageCodecError) in
            CGImage(try pixels.upright(from: turn), isOpaque: image.alphaInfo == .noneSkipLast)
        }
    }

    private static let reportedLibraries = Mutex(Set<ImageLibrary>())

    /// Returns the value, or nil after the reason was written to standard error: a missing library once in a process.
    static func reported<Value>(_ format: ImageFormat, _ body: () throws(ImageCodecError) -> Value) -> Value? {
        do throws(ImageCodecError) { return try body() } catch {
            var line = "UIImage: \(error)"
            if case .libraryMissing(let library, _) = error {
                guard reportedLibraries.withLock({ $0.insert(library).inserted }) else { return nil }
                line = "UIImage: helperMissing: \(error). \(format.name) images stay bytes, without pixels"
            }
            FileHandle.standardError.write(Data((line + "\n").utf8))
            return nil
        }
    }

    /// Reads the size of a GIF file (GIF89a, 18), which nothing here decodes.
    private static func gifSize(_ file: Data) -> CGSize? {
        guard file.count >= 10, file.starts(with: [0x47, 0x49, 0x46, 0x38]) else { return nil }
        let numbers = file.dropFirst(6).prefix(4).map(CGFloat.init)
        return CGSize(width: numbers[0] + numbers[1] * 256, height: numbers[2] + numbers[3] * 256)
    }
}

extension UIImage.Orientation {
    private static let byEXIF: [UIImage.Orientation] = [
        .up, .upMirrored, .down, .downMirrored, .leftMirrored, .right, .rightMirrored, .left,
    ]

    /// Makes the orientation of an EXIF value, 1 to 8.
    package init(exif: UInt8) { self = (1...8).contains(exif) ? Self.byEXIF[Int(exif) - 1] : .up }

    /// The EXIF value, 1 to 8.
    package var exif: UInt8 { UInt8(Self.byEXIF.firstIndex(of: self)! + 1) }
}
