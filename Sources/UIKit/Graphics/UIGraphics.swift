// UIGraphics: contexts for drawing images, which store the last image.

public import Foundation
import Locks

/// A context. A shell: it stores its size and the image that was drawn last, and draws nothing.
public final class CGContext: @unchecked Sendable {  // used by the thread that made it, as a context is
    let size: CGSize
    let scale: CGFloat
    fileprivate(set) var drawn: UIImage?

    init(size: CGSize, scale: CGFloat) {
        self.size = size
        self.scale = scale > 0 ? scale : 2
    }

    var image: UIImage { UIImage(drawn: drawn, size: size, scale: scale) }

    public var interpolationQuality = CGInterpolationQuality.default

    public func saveGState() {}
    public func restoreGState() {}
    public func setFillColor(_ color: CGColor) {}
    public func setStrokeColor(_ color: CGColor) {}
    public func setLineWidth(_ width: CGFloat) {}
    public func setAlpha(_ alpha: CGFloat) {}
    public func setShadow(offset: CGSize, blur: CGFloat, color: CGColor? = nil) {}
    public func setBlendMode(_ mode: CGBlendMode) {}
    public func translateBy(x: CGFloat, y: CGFloat) {}
    public func scaleBy(x: CGFloat, y: CGFloat) {}
    public func rotate(by angle: CGFloat) {}
    public func concatenate(_ transform: CGAffineTransform) {}
    public func move(to point: CGPoint) {}
    public func addLine(to point: CGPoint) {}
    public func addRect(_ rect: CGRect) {}
    public func addEllipse(in rect: CGRect) {}
    public func addPath(_ path: CGPath) {}
    public func beginPath() {}
    public func closePath() {}
    public func fillPath() {}
    public func strokePath() {}
    public func clip() {}
    public func clip(to rect: CGRect) {}
    public func fill(_ rect: CGRect) {}
    public func fillEllipse(in rect: CGRect) {}
    public func stroke(_ rect: CGRect) {}
    public func clear(_ rect: CGRect) {}
    public func draw(_ image: CGImage, in rect: CGRect) { drawn = UIImage(cgImage: image) }
    public func makeImage() -> CGImage? { drawn?.cgImage }
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
