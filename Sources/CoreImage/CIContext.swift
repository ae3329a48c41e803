// CIContext: the computation of images, by the processor.

public import Foundation
internal import ImageCodecs
public import Metal
public import UIKit

/// An option of a context. None has an effect.
public struct CIContextOption: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let useSoftwareRenderer = CIContextOption(rawValue: "software_renderer")
    public static let workingColorSpace = CIContextOption(rawValue: "working_color_space")
    public static let outputColorSpace = CIContextOption(rawValue: "output_color_space")
    public static let cacheIntermediates = CIContextOption(rawValue: "kCIContextCacheIntermediates")
}

/// An option of a written file. The key `kCGImageDestinationLossyCompressionQuality` has an effect.
public struct CIImageRepresentationOption: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The order of bytes in computed pixels. It has no effect: pixels are RGBA of 8 bits.
public struct CIFormat: Hashable, Sendable {
    private let number: Int32
    public static let RGBA8 = CIFormat(number: 24)
    public static let BGRA8 = CIFormat(number: 25)
    public static let ARGB8 = CIFormat(number: 23)
    private init(number: Int32) { self.number = number }
}

/// A renderer of images. It computes on the thread of its caller. Safe to use from any thread.
open class CIContext: NSObject, @unchecked Sendable {  // has no state
    /// Makes a context.
    ///
    /// - Parameter options: no effect.
    public init(options: [CIContextOption: Any]? = nil) { super.init() }
    public convenience override init() { self.init(options: nil) }

    /// Makes a context for a graphics processor, of which there is none.
    ///
    /// - Parameters:
    ///   - mtlDevice: the processor.
    ///   - options: no effect.
    public convenience init(mtlDevice: any MTLDevice, options: [CIContextOption: Any]? = nil) {
        self.init(options: options)
    }

    /// Computes the pixels of a part of an image.
    ///
    /// - Parameters:
    ///   - image: the image.
    ///   - fromRect: the part, in the image's units. Its whole pixels count.
    /// - Returns: nil for a part without pixels, with more than 67,108,864, or with an origin beyond 10¹⁵.
    open func createCGImage(_ image: CIImage, from fromRect: CGRect) -> CGImage? {
        guard !fromRect.isInfinite, !fromRect.isNull, fromRect.width < 1e6, fromRect.height < 1e6 else { return nil }
        let rect: CGRect = fromRect.integral
        // Beyond that, a number has no whole pixels. The comparisons refuse NaN, too.
        let far: CGFloat = 1e15
        guard abs(rect.minX) < far, abs(rect.minY) < far, rect.width <= 1e6, rect.height <= 1e6 else { return nil }
        let (width, height) = (Int(rect.width), Int(rect.height))
        guard width > 0, height > 0, width * height <= ImageCodec.mostPixels else { return nil }
        var bytes = [UInt8](repeating: 0, count: width * height * 4)
        let (left, top) = (Double(rect.minX) + 0.5, Double(rect.maxY) - 0.5)
        let sample = image.sample
        bytes.withUnsafeMutableBufferPointer { bytes in
            var place = 0
            for row in 0..<height {
                let y: Double = top - Double(row)
                for column in 0..<width {
                    let made: PointColor = sample(left + Double(column), y)
                    let color: PointColor = made.replacing(with: PointColor.zero, where: made .!= made)
                        .clamped(lowerBound: .zero, upperBound: .one)
                    let scaled = SIMD4<UInt8>(truncatingIfNeeded: SIMD4<Int32>(color * 255 + 0.5))
                    bytes[place] = scaled.x
                    bytes[place + 1] = scaled.y
                    bytes[place + 2] = scaled.z
                    bytes[place + 3] = scaled.w
                    place += 4
                }
            }
        }
        guard let provider = CGDataProvider(data: Data(bytes)) else { return nil }
        return CGImage(
            width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: width * 4,
            space: CGColorSpaceCreateDeviceRGB(),
            bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.premultipliedLast.rawValue), provider: provider,
            decode: nil, shouldInterpolate: true, intent: .defaultIntent)
    }

    /// Computes the pixels of a part of an image.
    ///
    /// - Parameters:
    ///   - image: the image.
    ///   - fromRect: the part, in the image's units.
    ///   - format: no effect.
    ///   - colorSpace: no effect.
    open func createCGImage(
        _ image: CIImage, from fromRect: CGRect, format: CIFormat, colorSpace: CGColorSpace?
    ) -> CGImage? { createCGImage(image, from: fromRect) }

    /// Returns a JPEG file of an image; nil if it has no pixels, or without the library.
    ///
    /// - Parameters:
    ///   - image: the image.
    ///   - colorSpace: no effect.
    ///   - options: the quality from 0 to 1; 0.9 without it (ours).
    open func jpegRepresentation(
        of image: CIImage, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
    ) -> Data? {
        let key = CIImageRepresentationOption(rawValue: kCGImageDestinationLossyCompressionQuality as String)
        let quality: Double = ImageOption.number(options[key]) ?? 0.9
        return createCGImage(image, from: image.extent).flatMap {
            UIImage(cgImage: $0).jpegData(compressionQuality: CGFloat(quality))
        }
    }

    /// Writes a JPEG file of an image.
    ///
    /// - Parameters:
    ///   - image: the image.
    ///   - url: the file.
    ///   - colorSpace: no effect.
    ///   - options: the quality from 0 to 1; 0.9 without it (ours).
    /// - Throws: `CocoaError.fileWriteUnknown` if there are no pixels, and the errors of the file.
    open func writeJPEGRepresentation(
        of image: CIImage, to url: URL, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
    ) throws {
        guard let data = jpegRepresentation(of: image, colorSpace: colorSpace, options: options) else {
            throw CocoaError(.fileWriteUnknown)
        }
        try data.write(to: url)
    }

    /// Returns a PNG file of an image; nil if it has no pixels, or without the library.
    ///
    /// - Parameters:
    ///   - image: the image.
    ///   - format: no effect.
    ///   - colorSpace: no effect.
    ///   - options: no effect.
    open func pngRepresentation(
        of image: CIImage, format: CIFormat, colorSpace: CGColorSpace,
        options: [CIImageRepresentationOption: Any] = [:]
    ) -> Data? { createCGImage(image, from: image.extent).flatMap { UIImage(cgImage: $0).pngData() } }

    /// Does nothing: no texture exists here.
    ///
    /// - Parameters:
    ///   - image: the image.
    ///   - texture: the pixels of a graphics processor.
    ///   - commandBuffer: its commands.
    ///   - bounds: the part of the image.
    ///   - colorSpace: the space.
    open func render(
        _ image: CIImage, to texture: any MTLTexture, commandBuffer: (any MTLCommandBuffer)?, bounds: CGRect,
        colorSpace: CGColorSpace
    ) {}
}

extension UIImage {
    /// Makes an image of the pixels of a recipe, which are computed at once (ours).
    ///
    /// - Parameter ciImage: the recipe. Without pixels, also because it has no end, the image is empty.
    public convenience init(ciImage: CIImage) {
        if let pixels = CIContext().createCGImage(ciImage, from: ciImage.extent) {
            self.init(cgImage: pixels)
        } else {
            self.init()
        }
    }
}
