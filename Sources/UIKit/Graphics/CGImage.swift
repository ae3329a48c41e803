// CGImage: the pixels of an image, as rows that go in and out.

public import Foundation
package import ImageCodecs

/// Bytes for an image, and of one. Ours: they are in memory, wherever they come from.
public final class CGDataProvider: Sendable {
    /// The bytes: all rows of an image.
    public let data: Data?
    private let source: CGImage?

    /// Makes a provider of bytes.
    public init?(data: Data) { (self.data, source) = (data, nil) }

    /// Makes a provider of a file. Nil if the file cannot be read.
    public init?(url: URL) {
        guard let data = try? Data(contentsOf: url) else { return nil }
        (self.data, source) = (data, nil)
    }

    /// The image stays with its provider: the bytes may be changed only while they have another owner, who makes them
    /// a copy.
    fileprivate init(_ image: CGImage) { (data, source) = (image.rows, image) }
}

/// The meaning and place of alpha in a pixel.
public enum CGImageAlphaInfo: UInt32, Sendable {
    case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

/// The order of bytes in a pixel.
public enum CGImageByteOrderInfo: UInt32, Sendable {
    case orderMask = 0x7000, orderDefault = 0, order16Little = 0x1000, order32Little = 0x2000, order16Big = 0x3000
    case order32Big = 0x4000
}

/// The form of a pixel: alpha and the order of bytes.
public struct CGBitmapInfo: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static var alphaInfoMask: CGBitmapInfo { CGBitmapInfo(rawValue: 0x1F) }
    public static var floatComponents: CGBitmapInfo { CGBitmapInfo(rawValue: 0x100) }
    public static var byteOrderMask: CGBitmapInfo { CGBitmapInfo(rawValue: 0x7000) }
    public static var byteOrder16Little: CGBitmapInfo { CGBitmapInfo(rawValue: 0x1000) }
    public static var byteOrder32Little: CGBitmapInfo { CGBitmapInfo(rawValue: 0x2000) }
    public static var byteOrder16Big: CGBitmapInfo { CGBitmapInfo(rawValue: 0x3000) }
    public static var byteOrder32Big: CGBitmapInfo { CGBitmapInfo(rawValue: 0x4000) }

    var alpha: CGImageAlphaInfo? { CGImageAlphaInfo(rawValue: rawValue & 0x1F) }

    /// The layout of four bytes of 8 bits each; nil for every other form.
    var layout: PixelLayout? {
        guard [0, 0x2000, 0x4000].contains(rawValue & 0x7100), let alpha else { return nil }
        let isReversed = contains(.byteOrder32Little)
        return switch alpha {
        case .last: PixelLayout(isAlphaFirst: false, isReversed: isReversed, alpha: .straight)
        case .first: PixelLayout(isAlphaFirst: true, isReversed: isReversed, alpha: .straight)
        case .premultipliedLast: PixelLayout(isAlphaFirst: false, isReversed: isReversed, alpha: .premultiplied)
        case .premultipliedFirst: PixelLayout(isAlphaFirst: true, isReversed: isReversed, alpha: .premultiplied)
        case .noneSkipLast: PixelLayout(isAlphaFirst: false, isReversed: isReversed, alpha: .unused)
        case .noneSkipFirst: PixelLayout(isAlphaFirst: true, isReversed: isReversed, alpha: .unused)
        case .none, .alphaOnly: nil
        }
    }
}

/// The mapping of colours that a device lacks. It has no effect.
public enum CGColorRenderingIntent: Int32, Sendable {
    case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation
}

/// An image of pixels, 8 bits a channel and 32 a pixel, in memory. Safe to use from any thread.
public final class CGImage: Sendable {
    /// The rows, the top row first.
    let rows: Data
    let form: PixelRows
    public let bitmapInfo: CGBitmapInfo

    public var width: Int { form.width }
    public var height: Int { form.height }
    public var bitsPerComponent: Int { 8 }
    public var bitsPerPixel: Int { 32 }
    public var bytesPerRow: Int { form.bytesPerRow }
    public var alphaInfo: CGImageAlphaInfo { bitmapInfo.alpha ?? .last }
    public var colorSpace: CGColorSpace? { CGColorSpace() }
    public var renderingIntent: CGColorRenderingIntent { .defaultIntent }
    /// Whether a smaller image is interpolated when it is drawn: always true here.
    public var shouldInterpolate: Bool { true }
    public var isMask: Bool { false }
    /// The rows without a copy of them; whoever changes them gets a copy.
    public var dataProvider: CGDataProvider? { CGDataProvider(self) }

    /// Makes an image of rows, which are not copied.
    ///
    /// - Parameters:
    ///   - width: the width in pixels.
    ///   - height: the height in pixels.
    ///   - bitsPerComponent: 8.
    ///   - bitsPerPixel: 32.
    ///   - bytesPerRow: the distance of two rows in bytes.
    ///   - space: any space; the components are taken as sRGB.
    ///   - bitmapInfo: alpha first or last, of each kind, in the order `default`, `32Big` or `32Little`.
    ///   - provider: the rows, the top row first.
    ///   - decode: nil; a map of components is not applied.
    ///   - shouldInterpolate: has no effect.
    ///   - intent: has no effect.
    /// - Returns: nil for another form than these, for too few bytes, and for more than 67,108,864 pixels (ours).
    public convenience init?(
        width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
        bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
        intent: CGColorRenderingIntent
    ) {
        guard bitsPerComponent == 8, bitsPerPixel == 32, decode == nil, let layout = bitmapInfo.layout,
            let form = PixelRows(width: width, height: height, bytesPerRow: bytesPerRow, layout: layout),
            let rows = provider.data, rows.count >= form.count
        else { return nil }
        self.init(rows, form, bitmapInfo)
    }

    init(_ rows: Data, _ form: PixelRows, _ bitmapInfo: CGBitmapInfo) {
        (self.rows, self.form, self.bitmapInfo) = (rows, form, bitmapInfo)
    }

    /// Takes decoded pixels without copying them.
    ///
    /// - Parameters:
    ///   - pixels: the pixels, which nobody else has.
    ///   - isOpaque: whether the format of the file has no alpha.
    package convenience init(_ pixels: Pixels, isOpaque: Bool) {
        let layout = PixelLayout(isAlphaFirst: false, isReversed: false, alpha: isOpaque ? .unused : .straight)
        let form = PixelRows(
            width: pixels.width, height: pixels.height, bytesPerRow: pixels.width * 4, layout: layout)
        let memory = pixels.memory
        let rows = Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: memory.bytes.baseAddress!), count: form!.count,
            deallocator: .custom { _, _ in withExtendedLifetime(memory) {} })
        let alpha: CGImageAlphaInfo = isOpaque ? .noneSkipLast : .last
        self.init(rows, form!, CGBitmapInfo(rawValue: alpha.rawValue))
    }

    /// Returns a copy of the part within a rectangle, in pixels from the top left corner; nil if there is none.
    public func cropping(to rect: CGRect) -> CGImage? {
        let part = rect.integral.intersection(CGRect(x: 0, y: 0, width: width, height: height))
        guard !part.isNull, part.width >= 1, part.height >= 1,
            let form = PixelRows(
                width: Int(part.width), height: Int(part.height), bytesPerRow: Int(part.width) * 4,
                layout: form.layout)
        else { return nil }
        var cropped = Data(capacity: form.count)
        for row in 0..<form.height {
            let start = rows.startIndex + (Int(part.minY) + row) * bytesPerRow + Int(part.minX) * 4
            cropped.append(rows[start..<start + form.bytesPerRow])
        }
        return CGImage(cropped, form, bitmapInfo)
    }

    /// Returns the image turned upright from an EXIF orientation; nil without memory.
    func upright(from orientation: UInt8) -> CGImage? {
        let turned = try? withPixels { (pixels) throws(ImageCodecError) in try pixels.upright(from: orientation) }
        return turned.map { CGImage($0, isOpaque: false) }
    }

    /// Lends the pixels, copied only if their layout is another one.
    package func withPixels<Value>(
        _ body: (Pixels) throws(ImageCodecError) -> Value
    ) throws(ImageCodecError) -> Value {
        try rows.withUnsafeBytes { bytes in
            Result { () throws(ImageCodecError) in
                try Pixels.with(bytes, form, body)
            }
        }.get()
    }
}
