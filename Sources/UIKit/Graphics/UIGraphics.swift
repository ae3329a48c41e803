// UIGraphics: contexts for drawing images: bitmaps, and shells that store the last image.

public import Foundation
import ImageCodecs
import Locks

/// A context.
///
/// Made with rows of pixels, it draws images, rectangles and transforms into them; paths, strokes, shadows and other
/// blend modes than `normal` and `copy` have no effect. A context of `UIGraphics…` is a shell: it stores its size and
/// the image that was drawn last, and draws nothing.
public final class CGContext: @unchecked Sendable {  // used by the thread that made it, as a context is
    let size: CGSize
    let scale: CGFloat
    fileprivate(set) var drawn: UIImage?
    private let bitmap: BitmapContext?

    init(size: CGSize, scale: CGFloat) {
        self.size = size
        self.scale = scale > 0 ? scale : 2
        bitmap = nil
    }

    /// Makes a context of rows of pixels, the top row first. Its origin is the lower left corner.
    ///
    /// - Parameters:
    ///   - data: the memory for the rows; it must last as long as the context. Nil: the context has its own, cleared.
    ///   - width: the width in pixels.
    ///   - height: the height in pixels.
    ///   - bitsPerComponent: 8.
    ///   - bytesPerRow: the distance of two rows in bytes; 0 for the least.
    ///   - space: any space; the components are taken as sRGB.
    ///   - bitmapInfo: a `CGImageAlphaInfo` that is premultiplied or skips alpha, in the order `default`, `32Big` or
    ///     `32Little`.
    /// - Returns: nil for another form than these, and for more than 67,108,864 pixels (ours).
    public init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
        space: CGColorSpace, bitmapInfo: UInt32
    ) {
        guard bitsPerComponent == 8,
            let bitmap = BitmapContext(data, width, height, bytesPerRow, CGBitmapInfo(rawValue: bitmapInfo))
        else { return nil }
        (size, scale) = (CGSize(width: width, height: height), 1)
        self.bitmap = bitmap
    }

    var image: UIImage { UIImage(drawn: drawn, size: size, scale: scale) }

    public var interpolationQuality = CGInterpolationQuality.default

    /// The rows of pixels; nil for a shell.
    public var data: UnsafeMutableRawPointer? { bitmap?.data }
    /// The width in pixels; 0 for a shell.
    public var width: Int { bitmap?.form.width ?? 0 }
    public var height: Int { bitmap?.form.height ?? 0 }
    public var bytesPerRow: Int { bitmap?.form.bytesPerRow ?? 0 }
    public var bitsPerComponent: Int { bitmap == nil ? 0 : 8 }
    public var bitsPerPixel: Int { bitmap == nil ? 0 : 32 }
    public var bitmapInfo: CGBitmapInfo { bitmap?.bitmapInfo ?? [] }
    public var alphaInfo: CGImageAlphaInfo { bitmapInfo.alpha ?? .none }
    public var colorSpace: CGColorSpace? { bitmap.map { _ in CGColorSpace() } }
    /// The transform from the author's places to pixels.
    public var ctm: CGAffineTransform { bitmap?.transform ?? .identity }

    public func saveGState() { bitmap?.save() }
    public func restoreGState() { bitmap?.restore() }
    public func setFillColor(_ color: CGColor) { bitmap?.setColor(color) }
    public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        setFillColor(CGColor(red: red, green: green, blue: blue, alpha: alpha))
    }
    public func setStrokeColor(_ color: CGColor) {}
    public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
    public func setLineWidth(_ width: CGFloat) {}
    public func setAlpha(_ alpha: CGFloat) { bitmap?.setAlpha(alpha) }
    public func setShadow(offset: CGSize, blur: CGFloat, color: CGColor? = nil) {}
    public func setBlendMode(_ mode: CGBlendMode) { bitmap?.setBlendMode(mode) }
    public func translateBy(x: CGFloat, y: CGFloat) { concatenate(CGAffineTransform(translationX: x, y: y)) }
    public func scaleBy(x: CGFloat, y: CGFloat) { concatenate(CGAffineTransform(scaleX: x, y: y)) }
    public func rotate(by angle: CGFloat) { concatenate(CGAffineTransform(rotationAngle: angle)) }
    public func concatenate(_ transform: CGAffineTransform) { bitmap?.concatenate(transform) }
    public func move(to point: CGPoint) {}
    public func addLine(to point: CGPoint) {}
    public func addQuadCurve(to end: CGPoint, control: CGPoint) {}
    public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {}
    public func addRect(_ rect: CGRect) {}
    public func addEllipse(in rect: CGRect) {}
    public func addPath(_ path: CGPath) {}
    public func beginPath() {}
    public func closePath() {}
    public func fillPath() {}
    public func strokePath() {}
    public func clip() {}
    public func clip(to rect: CGRect) {}
    /// Fills a rectangle. A shell draws nothing.
    public func fill(_ rect: CGRect) { bitmap?.fill(rect) }
    public func fillEllipse(in rect: CGRect) {}
    public func stroke(_ rect: CGRect) {}
    /// Makes a rectangle transparent. A shell draws nothing.
    public func clear(_ rect: CGRect) { bitmap?.clear(rect) }
    /// Draws an image into a rectangle, scaled. A shell stores the image.
    public func draw(_ image: CGImage, in rect: CGRect) {
        if let bitmap { bitmap.draw(image, in: rect) } else { drawn = UIImage(cgImage: image) }
    }
    /// Returns the image as it is now; later drawing does not change it. A shell returns the image drawn last.
    public func makeImage() -> CGImage? {
        if let bitmap { bitmap.makeImage() } else { drawn?.cgImage }
    }
}

public enum CGInterpolationQuality: Int32, Sendable { case `default`, none, low, high, medium }

/// The contexts of a thread, with the current one last.
enum GraphicsContexts {
    private static let key = "org.exthost.contexts"

    private static var all: [CGContext] {
        get { Thread.current.threadDictionary[key] as? [CGContext] ?? [] }
        set { Thread.current.threadDictionary[key] = newValue }
    }

    static var current: CGContext? { all.last }
    static func begin(_ context: CGContext) { all.append(context) }
    static func end() { _ = all.popLast() }
    static func draw(_ image: UIImage) { current?.drawn = image }
}

public func UIGraphicsBeginImageContext(_ size: CGSize) { UIGraphicsBeginImageContextWithOptions(size, false, 1) }
public func UIGraphicsBeginImageContextWithOptions(_ size: CGSize, _ opaque: Bool, _ scale: CGFloat) {
    GraphicsContexts.begin(CGContext(size: size, scale: scale))
}
/// Returns an image of the context's size with the bytes of the image that was drawn last (ours: nothing is drawn).
public func UIGraphicsGetImageFromCurrentImageContext() -> UIImage? { GraphicsContexts.current?.image }
public func UIGraphicsEndImageContext() { GraphicsContexts.end() }
public func UIGraphicsGetCurrentContext() -> CGContext? { GraphicsContexts.current }
public func UIRectFill(_ rect: CGRect) {}

public class UIGraphicsImageRendererFormat: NSObject {
    public var scale: CGFloat = 2
    public var opaque = false
    public static func `default`() -> UIGraphicsImageRendererFormat { UIGraphicsImageRendererFormat() }
    public static func preferred() -> UIGraphicsImageRendererFormat { UIGraphicsImageRendererFormat() }
}

public final class UIGraphicsImageRendererContext: NSObject {
    public let cgContext: CGContext
    init(_ context: CGContext) { cgContext = context }
    public var currentImage: UIImage { cgContext.image }
    public func fill(_ rect: CGRect) {}
    public func stroke(_ rect: CGRect) {}
}

/// A maker of images of the context's size, with the bytes of the image that was drawn last (ours).
public class UIGraphicsImageRenderer: NSObject {
    private let size: CGSize
    public let format: UIGraphicsImageRendererFormat

    public init(size: CGSize, format: UIGraphicsImageRendererFormat = .default()) {
        self.size = size
        self.format = format
    }
    public convenience init(bounds: CGRect) { self.init(size: bounds.size) }

    public func image(actions: (UIGraphicsImageRendererContext) -> Void) -> UIImage {
        let context = CGContext(size: size, scale: format.scale)
        GraphicsContexts.begin(context)
        defer { GraphicsContexts.end() }
        actions(UIGraphicsImageRendererContext(context))
        return context.image
    }
    public func jpegData(withCompressionQuality quality: CGFloat, actions: (UIGraphicsImageRendererContext) -> Void)
        -> Data
    {
        image(actions: actions).data
    }
    public func pngData(actions: (UIGraphicsImageRendererContext) -> Void) -> Data { image(actions: actions).data }
}
