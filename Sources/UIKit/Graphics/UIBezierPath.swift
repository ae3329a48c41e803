// UIBezierPath, CGPath: lines and curves, stored as their points.

public import Foundation

/// A path. A shell: its points are stored, and nothing is drawn.
public class CGPath {
    fileprivate(set) var points: [CGPoint] = []

    public var isEmpty: Bool { points.isEmpty }
    public var currentPoint: CGPoint { points.last ?? .zero }
    /// The box around all points, including the control points of curves.
    public var boundingBox: CGRect {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return .zero }
        return CGRect(x: left, y: top, width: right - left, height: bottom - top)
    }
    public var boundingBoxOfPath: CGRect { boundingBox }

    fileprivate init() {}
    public convenience init(rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
        self.init()
        add(rect)
    }
    public convenience init(
        roundedRect rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat,
        transform: UnsafePointer<CGAffineTransform>?
    ) { self.init(rect: rect, transform: nil) }
    public convenience init(ellipseIn rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
        self.init(rect: rect, transform: nil)
    }

    /// Whether the point lies in the box around all points (ours).
    public func contains(_ point: CGPoint) -> Bool { boundingBox.contains(point) }
    public func mutableCopy() -> CGMutablePath? {
        let copy = CGMutablePath()
        copy.points = points
        return copy
    }

    fileprivate func add(_ rect: CGRect) {
        points += [rect.origin, CGPoint(x: rect.maxX, y: rect.minY), CGPoint(x: rect.maxX, y: rect.maxY)]
        points.append(CGPoint(x: rect.minX, y: rect.maxY))
    }
}

/// A path that can be extended.
public final class CGMutablePath: CGPath {
    public override init() { super.init() }
    public func move(to point: CGPoint) { points.append(point) }
    public func addLine(to point: CGPoint) { points.append(point) }
    public func addLines(between others: [CGPoint]) { points += others }
    public func addRect(_ rect: CGRect) { add(rect) }
    public func addEllipse(in rect: CGRect) { add(rect) }
    public func addQuadCurve(to end: CGPoint, control: CGPoint) { points += [control, end] }
    public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) { points += [control1, control2, end] }
    public func addArc(
        center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool,
        transform: CGAffineTransform = .identity
    ) { add(CGRect(x: center.x - radius, y: center.y - radius, width: 2 * radius, height: 2 * radius)) }
    public func addPath(_ path: CGPath, transform: CGAffineTransform = .identity) {
        points += path.points.map { $0.applying(transform) }
    }
    public func closeSubpath() {}
}

public enum CGLineCap: Int32, Sendable { case butt, round, square }

/// The corners of a rectangle. They have no effect.
public struct UIRectCorner: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var topLeft: UIRectCorner { UIRectCorner(rawValue: 1) }
    public static var topRight: UIRectCorner { UIRectCorner(rawValue: 2) }
    public static var bottomLeft: UIRectCorner { UIRectCorner(rawValue: 4) }
    public static var bottomRight: UIRectCorner { UIRectCorner(rawValue: 8) }
    public static var allCorners: UIRectCorner { UIRectCorner(rawValue: .max) }
}

/// A path with the style of its lines. A shell: its points are stored, and nothing is drawn.
open class UIBezierPath: NSObject {
    private let path = CGMutablePath()
    open var lineWidth: CGFloat = 1
    open var lineCapStyle = CGLineCap.butt

    public override init() { super.init() }
    public convenience init(rect: CGRect) {
        self.init()
        path.add(rect)
    }
    public convenience init(ovalIn rect: CGRect) { self.init(rect: rect) }
    public convenience init(roundedRect rect: CGRect, cornerRadius: CGFloat) { self.init(rect: rect) }
    public convenience init(roundedRect rect: CGRect, byRoundingCorners corners: UIRectCorner, cornerRadii: CGSize) {
        self.init(rect: rect)
    }
    public convenience init(
        arcCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        self.init()
        addArc(withCenter: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise)
    }
    public convenience init(cgPath: CGPath) {
        self.init()
        path.points = cgPath.points
    }

    open var cgPath: CGPath {
        get { path }
        set { path.points = newValue.points }
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
    open func addArc(
        withCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        path.addArc(center: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise)
    }
    open func append(_ other: UIBezierPath) { path.addPath(other.path) }
    open func apply(_ transform: CGAffineTransform) { path.points = path.points.map { $0.applying(transform) } }
    open func close() {}
    open func removeAllPoints() { path.points = [] }
    open func contains(_ point: CGPoint) -> Bool { path.contains(point) }
    open func reversing() -> UIBezierPath { self }
    open func fill() {}
    open func stroke() {}
    open func fill(with mode: CGBlendMode, alpha: CGFloat) {}
    open func addClip() {}
}
