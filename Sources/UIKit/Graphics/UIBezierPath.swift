// UIBezierPath: a path with the style of its lines, drawn into the current context.

public import Foundation

/// The corners of a rectangle.
public struct UIRectCorner: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var topLeft: UIRectCorner { UIRectCorner(rawValue: 1) }
    public static var topRight: UIRectCorner { UIRectCorner(rawValue: 2) }
    public static var bottomLeft: UIRectCorner { UIRectCorner(rawValue: 4) }
    public static var bottomRight: UIRectCorner { UIRectCorner(rawValue: 8) }
    public static var allCorners: UIRectCorner { UIRectCorner(rawValue: .max) }
}

/// A path with the style of its lines. A context with rows of pixels draws it; another context draws nothing.
open class UIBezierPath: NSObject {
    private let path = CGMutablePath()
    open var lineWidth: CGFloat = 1
    open var lineCapStyle = CGLineCap.butt
    open var lineJoinStyle = CGLineJoin.miter
    open var miterLimit: CGFloat = 10
    open var usesEvenOddFillRule = false
    /// The largest distance of a curve from its lines. It has no effect.
    open var flatness: CGFloat = 0.6
    private var dash: (phase: CGFloat, lengths: [CGFloat]) = (0, [])

    public override init() { super.init() }
    public convenience init(rect: CGRect) {
        self.init()
        path.add(rect)
    }
    public convenience init(ovalIn rect: CGRect) {
        self.init()
        path.addEllipse(in: rect)
    }
    public convenience init(roundedRect rect: CGRect, cornerRadius: CGFloat) {
        self.init(
            roundedRect: rect, byRoundingCorners: .allCorners,
            cornerRadii: CGSize(width: cornerRadius, height: cornerRadius))
    }
    public convenience init(roundedRect rect: CGRect, byRoundingCorners corners: UIRectCorner, cornerRadii: CGSize) {
        self.init()
        let order: [UIRectCorner] = [.topLeft, .topRight, .bottomRight, .bottomLeft]
        path.add(rect, corners: order.map { corners.contains($0) ? cornerRadii : .zero })
    }
    public convenience init(
        arcCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        self.init()
        addArc(withCenter: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise)
    }
    public convenience init(cgPath: CGPath) {
        self.init()
        path.append(cgPath, .identity)
    }

    open var cgPath: CGPath {
        get { path }
        set {
            let copy = newValue.copy()
            path.removeAll()
            if let copy { path.append(copy, .identity) }
        }
    }
    open var isEmpty: Bool { path.isEmpty }
    open var bounds: CGRect { path.boundingBox }
    open var currentPoint: CGPoint { path.currentPoint }

    open func move(to point: CGPoint) { path.move(to: point) }
    open func addLine(to point: CGPoint) { path.addLine(to: point) }
    open func addCurve(to end: CGPoint, controlPoint1: CGPoint, controlPoint2: CGPoint) {
        path.addCurve(to: end, control1: controlPoint1, control2: controlPoint2)
    }
    open func addQuadCurve(to end: CGPoint, controlPoint: CGPoint) { path.addQuadCurve(to: end, control: controlPoint) }
    /// Adds a part of a circle. Clockwise is the direction of growing angles, as y grows downwards.
    open func addArc(
        withCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        path.addArc(center: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: !clockwise)
    }
    open func append(_ other: UIBezierPath) { path.addPath(other.path) }
    open func apply(_ transform: CGAffineTransform) {
        guard let copy = path.copy() else { return }
        path.removeAll()
        path.append(copy, transform)
    }
    open func close() { path.closeSubpath() }
    open func removeAllPoints() { path.removeAll() }
    open func contains(_ point: CGPoint) -> Bool {
        path.contains(point, using: usesEvenOddFillRule ? .evenOdd : .winding)
    }
    /// Returns the same path: the direction of its lines is not changed (ours).
    open func reversing() -> UIBezierPath { self }
    open func setLineDash(_ pattern: UnsafePointer<CGFloat>?, count: Int, phase: CGFloat) {
        dash = (phase, pattern.map { Array(UnsafeBufferPointer(start: $0, count: max(0, count))) } ?? [])
    }

    open func fill() { fill(with: .normal, alpha: 1) }
    open func stroke() { stroke(with: .normal, alpha: 1) }
    open func fill(with mode: CGBlendMode, alpha: CGFloat) {
        draw(mode, alpha) { $0.fillPath(using: usesEvenOddFillRule ? .evenOdd : .winding) }
    }
    open func stroke(with mode: CGBlendMode, alpha: CGFloat) {
        draw(mode, alpha) { context in
            context.setLineWidth(lineWidth)
            context.setLineCap(lineCapStyle)
            context.setLineJoin(lineJoinStyle)
            context.setMiterLimit(miterLimit)
            context.setLineDash(phase: dash.phase, lengths: dash.lengths)
            context.strokePath()
        }
    }
    /// Limits the drawing of the current context to the inside of the path.
    open func addClip() {
        guard let context = GraphicsContexts.current else { return }
        context.beginPath()
        context.addPath(path)
        context.clip(using: usesEvenOddFillRule ? .evenOdd : .winding)
    }

    private func draw(_ mode: CGBlendMode, _ alpha: CGFloat, _ body: (CGContext) -> Void) {
        guard let context = GraphicsContexts.current else { return }
        context.saveGState()
        if mode != .normal || alpha != 1 {
            context.setBlendMode(mode)
            context.setAlpha(alpha)
        }
        context.beginPath()
        context.addPath(path)
        body(context)
        context.restoreGState()
    }
}
