// UIGraphics: contexts for drawing images: bitmaps, and shells that store the last image.

public import Foundation
import ImageCodecs
import Locks

/// A context.
///
/// Made with rows of pixels, it draws images, paths, strokes and boxes in the place of words into them. Shadows,
/// gradients and other blend modes than `normal`, `copy` and `clear` have no effect. A context of
/// `UIGraphicsBeginImageContext` and of `UIGraphicsImageRenderer` is a shell: it stores its size and the image that was
/// drawn last, and draws nothing.
public final class CGContext: @unchecked Sendable {  // used by the thread that made it, as a context is
    let size: CGSize
    let scale: CGFloat
    fileprivate(set) var drawn: UIImage?
    let bitmap: BitmapContext?

    /// Makes a context with rows of pixels for a drawing in points.
    ///
    /// - Parameters:
    ///   - size: the size in points.
    ///   - scale: the pixels of a point.
    ///   - isFlipped: whether the origin is the upper left corner, as in UIKit.
    /// - Returns: nil for no size, and for too many pixels.
    package init?(drawing size: CGSize, scale: CGFloat, isFlipped: Bool) {
        let (width, height) = ((size.width * scale).rounded(.up), (size.height * scale).rounded(.up))
        guard width >= 1, height >= 1, width <= CGFloat(Int32.max), height <= CGFloat(Int32.max) else { return nil }
        let base = CGAffineTransform(
            a: scale, b: 0, c: 0, d: isFlipped ? -scale : scale, tx: 0, ty: isFlipped ? height : 0)
        let info = CGBitmapInfo(rawValue: CGImageAlphaInfo.premultipliedLast.rawValue)
        guard let bitmap = BitmapContext(nil, Int(width), Int(height), 0, info, base: base) else { return nil }
        (self.size, self.scale, self.bitmap) = (size, scale, bitmap)
    }

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
    public func setFillColor(_ components: UnsafePointer<CGFloat>) {
        setFillColor(red: components[0], green: components[1], blue: components[2], alpha: components[3])
    }
    public func setFillColor(gray: CGFloat, alpha: CGFloat) { setFillColor(CGColor(gray: gray, alpha: alpha)) }
    public func setStrokeColor(_ color: CGColor) { bitmap?.setStrokeColor(color) }
    public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        setStrokeColor(CGColor(red: red, green: green, blue: blue, alpha: alpha))
    }
    public func setStrokeColor(gray: CGFloat, alpha: CGFloat) { setStrokeColor(CGColor(gray: gray, alpha: alpha)) }
    public func setLineWidth(_ width: CGFloat) { bitmap?.line.width = width }
    public func setLineCap(_ cap: CGLineCap) { bitmap?.line.cap = cap }
    public func setLineJoin(_ join: CGLineJoin) { bitmap?.line.join = join }
    public func setMiterLimit(_ limit: CGFloat) { bitmap?.line.miterLimit = limit }
    public func setLineDash(phase: CGFloat, lengths: [CGFloat]) {
        bitmap?.line.phase = phase
        bitmap?.line.dashes = lengths
    }
    public func setAlpha(_ alpha: CGFloat) { bitmap?.setAlpha(alpha) }
    /// Has no effect.
    public func setShadow(offset: CGSize, blur: CGFloat, color: CGColor? = nil) {}
    public func setBlendMode(_ mode: CGBlendMode) { bitmap?.setBlendMode(mode) }
    /// Has no effect: edges of paths are smooth.
    public func setShouldAntialias(_ should: Bool) {}
    public func setAllowsAntialiasing(_ allows: Bool) {}
    public func translateBy(x: CGFloat, y: CGFloat) { concatenate(CGAffineTransform(translationX: x, y: y)) }
    public func scaleBy(x: CGFloat, y: CGFloat) { concatenate(CGAffineTransform(scaleX: x, y: y)) }
    public func rotate(by angle: CGFloat) { concatenate(CGAffineTransform(rotationAngle: angle)) }
    public func concatenate(_ transform: CGAffineTransform) { bitmap?.concatenate(transform) }
    public func move(to point: CGPoint) { bitmap?.build { $0.begin(at: point) } }
    public func addLine(to point: CGPoint) { bitmap?.build { $0.line(to: point) } }
    public func addLines(between points: [CGPoint]) { bitmap?.build { $0.addLines(between: points) } }
    public func addQuadCurve(to end: CGPoint, control: CGPoint) { bitmap?.build { $0.quadCurve(control, to: end) } }
    public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {
        bitmap?.build { $0.curve(control1, control2, to: end) }
    }
    public func addArc(
        center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        bitmap?.build {
            $0.addArc(
                center: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise)
        }
    }
    public func addRect(_ rect: CGRect) { bitmap?.build { $0.addRect(rect) } }
    public func addRects(_ rects: [CGRect]) { bitmap?.build { $0.addRects(rects) } }
    public func addEllipse(in rect: CGRect) { bitmap?.build { $0.addEllipse(in: rect) } }
    public func addPath(_ path: CGPath) { bitmap?.build { $0.addPath(path) } }
    public func beginPath() { bitmap?.beginPath() }
    public func closePath() { bitmap?.build { $0.closeSubpath() } }
    public var currentPointOfPath: CGPoint { bitmap?.currentPoint ?? .zero }
    public var boundingBoxOfPath: CGRect { bitmap?.pathBox ?? .zero }
    /// The box of all places of the context; a clip does not make it smaller (ours).
    public var boundingBoxOfClipPath: CGRect { bitmap?.clipBox ?? CGRect(origin: .zero, size: size) }
    public func fillPath(using rule: CGPathFillRule = .winding) { bitmap?.fillPath(rule) }
    public func strokePath() { bitmap?.strokePath() }
    public func drawPath(using mode: CGPathDrawingMode) { bitmap?.drawPath(mode) }
    public func clip(using rule: CGPathFillRule = .winding) { bitmap?.clip(rule) }
    public func clip(to rect: CGRect) { clip(to: [rect]) }
    public func clip(to rects: [CGRect]) {
        beginPath()
        addRects(rects)
        clip()
    }
    /// Fills a rectangle. A shell draws nothing.
    public func fill(_ rect: CGRect) { bitmap?.fill(rect) }
    public func fill(_ rects: [CGRect]) { for rect in rects { fill(rect) } }
    public func fillEllipse(in rect: CGRect) {
        beginPath()
        addEllipse(in: rect)
        fillPath()
    }
    public func stroke(_ rect: CGRect) { bitmap?.stroke(rect, width: nil) }
    public func stroke(_ rect: CGRect, width: CGFloat) { bitmap?.stroke(rect, width: width) }
    public func strokeEllipse(in rect: CGRect) {
        beginPath()
        addEllipse(in: rect)
        strokePath()
    }
    public func strokeLineSegments(between points: [CGPoint]) {
        beginPath()
        for start in stride(from: 0, to: points.count - 1, by: 2) {
            move(to: points[start])
            addLine(to: points[start + 1])
        }
        strokePath()
    }
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

public enum CGPathDrawingMode: Int32, Sendable { case fill, eoFill, stroke, fillStroke, eoFillStroke }

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

    /// Draws an image upright into a rectangle of the current context. A shell stores it.
    static func draw(_ image: UIImage, in rect: CGRect, _ mode: CGBlendMode = .normal, alpha: CGFloat = 1) {
        guard let context = current else { return }
        guard context.bitmap != nil else { return context.drawn = image }
        guard let pixels = image.uprightImage else { return }
        context.saveGState()
        if mode != .normal { context.setBlendMode(mode) }
        if alpha != 1 { context.setAlpha(alpha) }
        // Core Graphics has the top of an image where y is larger.
        context.translateBy(x: rect.minX, y: rect.maxY)
        context.scaleBy(x: 1, y: -1)
        context.draw(pixels, in: CGRect(origin: .zero, size: rect.size))
        context.restoreGState()
    }
}

/// Makes a context the current one of the thread, until `UIGraphicsPopContext()`.
public func UIGraphicsPushContext(_ context: CGContext) { GraphicsContexts.begin(context) }
public func UIGraphicsPopContext() { GraphicsContexts.end() }

public func UIGraphicsBeginImageContext(_ size: CGSize) { UIGraphicsBeginImageContextWithOptions(size, false, 1) }
public func UIGraphicsBeginImageContextWithOptions(_ size: CGSize, _ opaque: Bool, _ scale: CGFloat) {
    GraphicsContexts.begin(CGContext(size: size, scale: scale))
}
/// Returns an image of the context's size with the bytes of the image that was drawn last (ours: nothing is drawn).
public func UIGraphicsGetImageFromCurrentImageContext() -> UIImage? { GraphicsContexts.current?.image }
public func UIGraphicsEndImageContext() { GraphicsContexts.end() }
public func UIGraphicsGetCurrentContext() -> CGContext? { GraphicsContexts.current }
public func UIRectFill(_ rect: CGRect) { GraphicsContexts.current?.fill(rect) }
public func UIRectFrame(_ rect: CGRect) {
    // The frame lies within the rectangle, a point wide.
    GraphicsContexts.current?.stroke(rect.insetBy(dx: 0.5, dy: 0.5), width: 1)
}
public func UIRectClip(_ rect: CGRect) { GraphicsContexts.current?.clip(to: rect) }

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

extension UIImage {
    /// Returns a format for images like this one: with its scale.
    public var imageRendererFormat: UIGraphicsImageRendererFormat {
        let format = UIGraphicsImageRendererFormat()
        format.scale = scale
        return format
    }
}
