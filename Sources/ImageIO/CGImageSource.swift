// CGImageSource: the image in a file or in memory.

public import CoreFoundationNames
public import Foundation
internal import ImageCodecs
public import UIKit

/// The bytes of an image file. Safe to use from any thread.
///
/// JPEG and PNG files have one image, which the system's libraries decode. Other files have none. No metadata is read
/// but the size and the orientation.
public final class CGImageSource: Sendable {
    let file: Data
    let header: ImageHeader?

    init(_ file: Data) {
        self.file = file
        header = try? file.withUnsafeBytes { bytes in
            Result { () throws(ImageCodecError) in try ImageHeader(of: bytes) }
        }.get()
    }

    /// The type identifier; nil for bytes that are no JPEG or PNG file.
    var type: CFString? { header.map { $0.format == .jpeg ? "public.jpeg" : "public.png" } }

    /// Decodes the image; nil, with the reason on standard error, if that fails.
    func decode(longestSide: Int?, isUpright: Bool) -> CGImage? {
        guard let header else { return nil }
        let made = file.withUnsafeBytes { bytes in
            Result { () throws(ImageCodecError) in
                let pixels = try ImageCodec.decode(bytes, longestSide: longestSide)
                return isUpright ? try pixels.upright(from: header.orientation) : pixels
            }
        }
        return ImageIOReport.value(made).map { CGImage($0, isOpaque: header.format == .jpeg) }
    }
}

enum ImageIOReport {
    /// Returns the value, or nil after the reason was written to standard error.
    static func value<Value>(_ result: Result<Value, ImageCodecError>) -> Value? {
        do { return try result.get() } catch {
            FileHandle.standardError.write(Data("ImageIO: \(error)\n".utf8))
            return nil
        }
    }
}

extension CFDictionary {
    /// The value of an option; nil for another type.
    func option<Value>(_ key: CFString, as type: Value.Type) -> Value? { object(forKey: key) as? Value }

    func isSet(_ key: CFString) -> Bool {
        option(key, as: Bool.self) ?? option(key, as: NSNumber.self)?.boolValue ?? false
    }

    func number(_ key: CFString) -> Double? {
        ImageOption.number(object(forKey: key))
    }
}

/// The values of options and of filters.
package enum ImageOption {
    /// Returns the number of a value; nil for another type.
    package static func number(_ value: Any?) -> Double? {
        switch value {
        case let value as Double: value
        case let value as CGFloat: Double(value)
        case let value as Float: Double(value)
        case let value as Int: Double(value)
        case let value as NSNumber: value.doubleValue
        default: nil
        }
    }
}

/// Makes a source of bytes. A source of other bytes than an image has no image.
///
/// - Parameters:
///   - data: the bytes of a file.
///   - options: no effect.
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? {
    CGImageSource(data)
}

/// Makes a source of a file, which is read at once. Nil if it cannot be read.
///
/// - Parameters:
///   - url: the file.
///   - options: no effect.
public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? {
    guard let url = url.absoluteURL, url.isFileURL, let data = try? Data(contentsOf: url) else { return nil }
    return CGImageSource(data)
}

/// Makes a source of a provider's bytes. Nil if it has none.
///
/// - Parameters:
///   - provider: the bytes of a file.
///   - options: no effect.
public func CGImageSourceCreateWithDataProvider(_ provider: CGDataProvider, _ options: CFDictionary?) -> CGImageSource?
{
    provider.data.map { CGImageSource($0) }
}

/// Returns the number of images: 1 for a JPEG or PNG file, else 0.
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { source.header == nil ? 0 : 1 }

/// Returns the type of the file; nil for bytes that are no JPEG or PNG file.
public func CGImageSourceGetType(_ source: CGImageSource) -> CFString? { source.type }

/// Returns whether the file is an image. Its pixels may still be damaged.
public func CGImageSourceGetStatus(_ source: CGImageSource) -> CGImageSourceStatus {
    source.header == nil ? .statusUnknownType : .statusComplete
}

/// Returns the properties of the file: its size in bytes.
///
/// - Parameters:
///   - source: the file.
///   - options: no effect.
public func CGImageSourceCopyProperties(_ source: CGImageSource, _ options: CFDictionary?) -> CFDictionary? {
    guard source.header != nil else { return nil }
    return [kCGImagePropertyFileSize: source.file.count] as CFDictionary
}

/// Returns the properties of the image: width, height, orientation and colour model. Nil if there is no such image.
///
/// - Parameters:
///   - source: the file.
///   - index: 0.
///   - options: no effect.
public func CGImageSourceCopyPropertiesAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? {
    guard index == 0, let header = source.header else { return nil }
    var facts: [String: Any] = [
        kCGImagePropertyPixelWidth: header.width, kCGImagePropertyPixelHeight: header.height,
        kCGImagePropertyColorModel: kCGImagePropertyColorModelRGB,
    ]
    if header.orientation != 1 {
        facts[kCGImagePropertyOrientation] = Int(header.orientation)
        facts[kCGImagePropertyTIFFDictionary] = [kCGImagePropertyTIFFOrientation: Int(header.orientation)]
    }
    return facts as CFDictionary
}

/// Decodes the image as it is stored, without its orientation. Nil if there is no such image, or it is damaged.
///
/// - Parameters:
///   - source: the file.
///   - index: 0.
///   - options: no effect.
public func CGImageSourceCreateImageAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
    index == 0 ? source.decode(longestSide: nil, isUpright: false) : nil
}

/// Makes a small image. The full size of a JPEG file is never in memory.
///
/// Nil if there is no such image, or it is damaged. Nil also without one of the options
/// `kCGImageSourceCreateThumbnailFromImage…`: thumbnails within files are not read.
///
/// - Parameters:
///   - source: the file.
///   - index: 0.
///   - options: the longest side in pixels, and whether the orientation is applied.
public func CGImageSourceCreateThumbnailAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
    guard index == 0, let options,
        options.isSet(kCGImageSourceCreateThumbnailFromImageAlways)
            || options.isSet(kCGImageSourceCreateThumbnailFromImageIfAbsent)
    else { return nil }
    let side = options.number(kCGImageSourceThumbnailMaxPixelSize).flatMap { Int(exactly: $0.rounded()) }
    return source.decode(
        longestSide: side.map { max(1, $0) }, isUpright: options.isSet(kCGImageSourceCreateThumbnailWithTransform))
}
