// CIImage: the recipe of a picture, which a context computes point by point.

public import CoreVideo
public import Foundation
internal import ImageCodecs
@_exported public import ImageIO
public import UIKit

/// A point's colour: red, green, blue and alpha from 0 to 1, where the first three are multiplied by alpha.
typealias PointColor = SIMD4<Float>

/// A fact that an image gets of its maker.
public struct CIImageOption: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Whether the orientation of a file or of a `UIImage` is applied.
    public static let applyOrientationProperty = CIImageOption(rawValue: "kCIImageApplyOrientationProperty")
    /// The option is ignored: all colours are sRGB.
    public static let colorSpace = CIImageOption(rawValue: "kCIImageColorSpace")
}

/// The lines on standard error.
enum CoreImageReport {
    static func write(_ words: String) { FileHandle.standardError.write(Data("CoreImage: \(words)\n".utf8)) }
}

/// The recipe of a picture: a context computes its points when it renders. Safe to use from any thread.
///
/// The processor computes, in sRGB (ours: Apple's blends in linear light, by the graphics processor). Points between
/// pixels have the colour of the nearest pixel.
open class CIImage: NSObject, @unchecked Sendable {  // constant
    /// The rectangle with a picture; the origin is at the bottom left. That of a colour has no end.
    public let extent: CGRect
    /// The file; nil for an image that was not made of one.
    public let url: URL?
    let sample: @Sendable (_ x: Double, _ y: Double) -> PointColor

    init(_ extent: CGRect, url: URL? = nil, _ sample: @escaping @Sendable (Double, Double) -> PointColor) {
        (self.extent, self.url, self.sample) = (extent, url, sample)
    }

    /// Makes an image without end of one colour.
    ///
    /// - Parameter color: the colour.
    public convenience init(color: CIColor) {
        let value = color.premultiplied
        self.init(.infinite) { _, _ in value }
    }

    /// Makes an image of pixels.
    ///
    /// - Parameters:
    ///   - image: the pixels.
    ///   - options: no effect: pixels have no orientation.
    public convenience init(cgImage image: CGImage, options: [CIImageOption: Any]? = nil) {
        self.init(image, orientation: 1, url: nil)
    }

    /// Makes an image of the pixels of a frame, which are copied.
    ///
    /// - Parameters:
    ///   - pixelBuffer: the frame.
    ///   - options: no effect: pixels have no orientation.
    public convenience init(cvPixelBuffer pixelBuffer: CVPixelBuffer, options: [CIImageOption: Any]? = nil) {
        self.init(
            pixelBuffer.rgba, CVPixelBufferGetWidth(pixelBuffer), CVPixelBufferGetHeight(pixelBuffer), orientation: 1)
    }
    /// Makes an image of the pixels of a frame, as `init(cvPixelBuffer:options:)`.
    public convenience init(cvImageBuffer imageBuffer: CVImageBuffer, options: [CIImageOption: Any]? = nil) {
        self.init(cvPixelBuffer: imageBuffer, options: options)
    }

    /// Makes an image of the pixels of another one.
    ///
    /// - Parameters:
    ///   - image: the other one.
    ///   - options: `applyOrientationProperty`; without it the orientation is not applied.
    /// - Returns: nil for an image without pixels.
    public convenience init?(image: UIImage, options: [CIImageOption: Any]? = nil) {
        guard let pixels = image.cgImage else { return nil }
        self.init(pixels, orientation: Self.orientation(image, options), url: nil)
    }

    /// Makes an image of the bytes of a file.
    ///
    /// - Parameters:
    ///   - data: a JPEG or PNG file.
    ///   - options: `applyOrientationProperty`; without it the orientation is not applied.
    /// - Returns: nil for other files.
    public convenience init?(data: Data, options: [CIImageOption: Any]? = nil) {
        guard let image = UIImage(data: data), let pixels = image.cgImage else { return nil }
        self.init(pixels, orientation: Self.orientation(image, options), url: nil)
    }

    /// Makes an image of a file. Reads it.
    ///
    /// - Parameters:
    ///   - url: a JPEG or PNG file.
    ///   - options: `applyOrientationProperty`; without it the orientation is not applied.
    /// - Returns: nil for other files.
    public convenience init?(contentsOf url: URL, options: [CIImageOption: Any]? = nil) {
        guard let data = try? Data(contentsOf: url), let image = UIImage(data: data), let pixels = image.cgImage else {
            return nil
        }
        self.init(pixels, orientation: Self.orientation(image, options), url: url)
    }

    /// Returns an image without a picture.
    open class func empty() -> CIImage { CIImage(.zero) { _, _ in .zero } }

    /// The space of the colours: sRGB.
    open var colorSpace: CGColorSpace? { CGColorSpaceCreateDeviceRGB() }
    /// The facts of the file: none is read.
    open var properties: [String: Any] { [:] }

    private class func orientation(_ image: UIImage, _ options: [CIImageOption: Any]?) -> Int {
        guard options?[.applyOrientationProperty] as? Bool == true else { return 1 }
        return switch image.imageOrientation {
        case .up: 1
        case .upMirrored: 2
        case .down: 3
        case .downMirrored: 4
        case .leftMirrored: 5
        case .right: 6
        case .rightMirrored: 7
        case .left: 8
        }
    }

    private convenience init(_ image: CGImage, orientation: Int, url: URL?) {
        let bytes: [UInt8] = (try? image.withPixels { $0.bytes }) ?? []
        self.init(bytes, image.width, image.height, orientation: orientation, url: url)
    }

    private convenience init(_ bytes: [UInt8], _ width: Int, _ height: Int, orientation: Int, url: URL? = nil) {
        let (right, top) = (Double(width), Double(height))
        let isThere: Bool = bytes.count == width * height * 4
        if !isThere { CoreImageReport.write("the pixels of an image cannot be read, so it is transparent") }
        let flat = CIImage(CGRect(x: 0, y: 0, width: width, height: height), url: url) { x, y in
            // Numbers that are no integers of the processor fail here, too.
            guard isThere, x >= 0, x < right, y >= 0, y < top else { return .zero }
            let place: Int = ((height - 1 - Int(y)) * width + Int(x)) * 4
            let alpha: Float = Float(bytes[place + 3]) / 255
            let scale: Float = alpha / 255
            return PointColor(
                Float(bytes[place]) * scale, Float(bytes[place + 1]) * scale, Float(bytes[place + 2]) * scale, alpha)
        }
        let turned = flat.oriented(forExifOrientation: Int32(orientation))
        self.init(turned.extent, url: url, turned.sample)
    }

    // MARK: Recipes

    /// Returns the part within a rectangle.
    ///
    /// - Parameter rect: the rectangle.
    open func cropped(to rect: CGRect) -> CIImage {
        let part: CGRect = extent.isInfinite ? rect : extent.intersection(rect)
        let sample = sample
        guard !part.isNull else { return .empty() }
        let (left, right, bottom, top) = (
            Double(part.minX), Double(part.maxX), Double(part.minY), Double(part.maxY)
        )
        return CIImage(part, url: url) { x, y in
            x >= left && x < right && y >= bottom && y < top ? sample(x, y) : .zero
        }
    }

    /// Returns the image moved, scaled or turned.
    ///
    /// - Parameter matrix: the transform of points.
    open func transformed(by matrix: CGAffineTransform) -> CIImage {
        let back = matrix.inverted()
        let sample = sample
        let (a, b, c, d) = (Double(back.a), Double(back.b), Double(back.c), Double(back.d))
        let (tx, ty) = (Double(back.tx), Double(back.ty))
        return CIImage(extent.isInfinite ? extent : extent.applying(matrix), url: url) { x, y in
            sample(a * x + c * y + tx, b * x + d * y + ty)
        }
    }

    /// Returns the image turned upright, with its origin at zero.
    ///
    /// - Parameter orientation: EXIF's number from 1 to 8; others change nothing.
    open func oriented(forExifOrientation orientation: Int32) -> CIImage {
        guard (2...8).contains(orientation), !extent.isInfinite else { return self }
        let sample = sample
        let (left, top) = (Double(extent.minX), Double(extent.maxY))
        let (width, height) = (Double(extent.width), Double(extent.height))
        let isTurned: Bool = orientation >= 5
        let newHeight: Double = isTurned ? width : height
        let rect = CGRect(x: 0, y: 0, width: isTurned ? height : width, height: newHeight)
        return CIImage(rect, url: url) { x, up in
            // From the top left corner, as EXIF counts.
            let y: Double = newHeight - up
            let (column, row): (Double, Double) =
                switch orientation {
                case 2: (width - x, y)
                case 3: (width - x, height - y)
                case 4: (x, height - y)
                case 5: (y, x)
                case 6: (y, height - x)
                case 7: (width - y, height - x)
                default: (width - y, x)
                }
            return sample(left + column, top - row)
        }
    }

    /// Returns the image turned upright, with its origin at zero.
    ///
    /// - Parameter orientation: the orientation of the image.
    open func oriented(_ orientation: CGImagePropertyOrientation) -> CIImage {
        oriented(forExifOrientation: Int32(orientation.rawValue))
    }

    /// Returns the image in front of another one.
    ///
    /// - Parameter dest: the image behind.
    open func composited(over dest: CIImage) -> CIImage {
        combined(with: dest) { front, behind in front + behind * (1 - front.w) }
    }

    /// Returns the image after a filter: `CIFilter(name:parameters:)` with this image as its input.
    ///
    /// - Parameters:
    ///   - filterName: the name. An unknown filter changes nothing, and one line on standard error reports it.
    ///   - params: the other values. If one is missing without which the filter has no picture, nothing changes, and
    ///     one line on standard error reports that.
    open func applyingFilter(_ filterName: String, parameters params: [String: Any]) -> CIImage {
        guard let filter = CIFilter(name: filterName, parameters: params) else { return self }
        filter.storedValues[kCIInputImageKey] = self
        if let made = filter.outputImage { return made }
        CoreImageReport.write("\(filterName) lacks a value, so the image stays as it is")
        return self
    }

    /// Returns the image after a filter with its usual values.
    ///
    /// - Parameter filterName: the name.
    open func applyingFilter(_ filterName: String) -> CIImage { applyingFilter(filterName, parameters: [:]) }

    func mapped(_ change: @escaping @Sendable (PointColor) -> PointColor) -> CIImage {
        let sample = sample
        return CIImage(extent, url: url) { x, y in change(sample(x, y)) }
    }

    func combined(
        with other: CIImage, _ change: @escaping @Sendable (PointColor, PointColor) -> PointColor
    ) -> CIImage {
        let (first, second) = (sample, other.sample)
        let whole: CGRect = extent.isInfinite || other.extent.isInfinite ? .infinite : extent.union(other.extent)
        return CIImage(whole) { x, y in change(first(x, y), second(x, y)) }
    }
}
