// CGPath: lines and curves, and their outlines as polygons.

public import Foundation

public enum CGLineCap: Int32, Sendable { case butt, round, square }
public enum CGLineJoin: Int32, Sendable { case miter, round, bevel }
public enum CGPathFillRule: Int, Sendable { case winding, evenOdd }

/// A path: lines and curves, which a context with rows of pixels fills and strokes.
public class CGPath {
    enum Element {
        case move(CGPoint)
        case line(CGPoint)
        case curve(CGPoint, CGPoint, end: CGPoint)
        case close
    }

    fileprivate(set) var elements: [Element] = []
    /// The last place, and the beginning of the last part.
    private var (last, first): (CGPoint?, CGPoint?) = (nil, nil)

    public var isEmpty: Bool { elements.isEmpty }
    public var currentPoint: CGPoint { last ?? .zero }
    /// The box around all points, including the control points of curves.
    public var boundingBox: CGRect { Self.box(points) }
    /// The box around the curve, without its control points.
    public var boundingBoxOfPath: CGRect { Self.box(polygons(under: .identity).flatMap(\.points)) }

    fileprivate init() {}
    public convenience init(rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
        self.init()
        add(rect, transform?.pointee ?? .identity)
    }
    public convenience init(
        roundedRect rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat,
        transform: UnsafePointer<CGAffineTransform>?
    ) {
        self.init()
        let radii = CGSize(width: cornerWidth, height: cornerHeight)
        add(rect, corners: [radii, radii, radii, radii], transform?.pointee ?? .identity)
    }
    public convenience init(ellipseIn rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
        self.init()
        addEllipse(rect, transform?.pointee ?? .identity)
    }

    /// Whether the point lies within the path.
    ///
    /// - Parameters:
    ///   - point: the point.
    ///   - rule: the rule that tells inside from outside.
    ///   - transform: a transform of the point.
    public func contains(
        _ point: CGPoint, using rule: CGPathFillRule = .winding, transform: CGAffineTransform = .identity
    ) -> Bool {
        let point = point.applying(transform)
        var (winding, crossings) = (0, 0)
        for polygon in polygons(under: .identity) {
            let points = polygon.points
            for (place, one) in points.enumerated() {
                let other = points[(place + 1) % points.count]
                guard (one.y <= point.y) != (other.y <= point.y) else { continue }
                let x = one.x + (point.y - one.y) / (other.y - one.y) * (other.x - one.x)
                guard x > point.x else { continue }
                winding += other.y > one.y ? 1 : -1
                crossings += 1
            }
        }
        return rule == .winding ? winding != 0 : crossings % 2 == 1
    }

    public func copy() -> CGPath? { mutableCopy() }
    public func copy(using transform: UnsafePointer<CGAffineTransform>?) -> CGPath? {
        copy(by: transform?.pointee ?? .identity)
    }
    public func mutableCopy() -> CGMutablePath? { copy(by: .identity) }

    private var points: [CGPoint] {
        elements.flatMap { element -> [CGPoint] in
            switch element {
            case .move(let point), .line(let point): [point]
            case .curve(let one, let other, let end): [one, other, end]
            case .close: []
            }
        }
    }

    private static func box(_ points: [CGPoint]) -> CGRect {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return .zero }
        return CGRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    // MARK: Changes

    func begin(at point: CGPoint) {
        elements.append(.move(point))
        (last, first) = (point, point)
    }

    /// Goes on to a point. A path without a beginning begins there.
    func line(to point: CGPoint) {
        guard last != nil else { return begin(at: point) }
        elements.append(.line(point))
        last = point
    }

    func curve(_ one: CGPoint, _ other: CGPoint, to end: CGPoint) {
        if last == nil { begin(at: one) }
        elements.append(.curve(one, other, end: end))
        last = end
    }

    func quadCurve(_ control: CGPoint, to end: CGPoint) {
        let start = last ?? control
        func toward(_ point: CGPoint) -> CGPoint {
            CGPoint(x: point.x + (control.x - point.x) * 2 / 3, y: point.y + (control.y - point.y) * 2 / 3)
        }
        curve(toward(start), toward(end), to: end)
    }

    func close() {
        guard last != nil else { return }
        elements.append(.close)
        last = first
    }

    func removeAll() {
        elements = []
        (last, first) = (nil, nil)
    }

    func copy(by transform: CGAffineTransform) -> CGMutablePath {
        let copy = CGMutablePath()
        copy.append(self, transform)
        return copy
    }

    /// Adds a path under a transform, without its first elements.
    func append(_ other: CGPath, _ transform: CGAffineTransform, without count: Int = 0) {
        for element in other.elements.dropFirst(count) {
            switch element {
            case .move(let point): begin(at: point.applying(transform))
            case .line(let point): line(to: point.applying(transform))
            case .curve(let one, let two, let end):
                curve(one.applying(transform), two.applying(transform), to: end.applying(transform))
            case .close: close()
            }
        }
    }

    func add(_ rect: CGRect, _ transform: CGAffineTransform = .identity) {
        let rect = rect.standardized
        begin(at: rect.origin.applying(transform))
        for (x, y) in [(rect.maxX, rect.minY), (rect.maxX, rect.maxY), (rect.minX, rect.maxY)] {
            line(to: CGPoint(x: x, y: y).applying(transform))
        }
        close()
    }

    func addEllipse(_ rect: CGRect, _ transform: CGAffineTransform = .identity) {
        let rect = rect.standardized
        let circle = CGAffineTransform(
            a: rect.width / 2, b: 0, c: 0, d: rect.height / 2, tx: rect.midX, ty: rect.midY)
        arc(from: 0, through: 2 * .pi, circle.concatenating(transform), isNew: true)
        close()
    }

    /// Adds a rectangle whose corners, from the upper left one in the direction of the clock, are parts of ellipses.
    func add(_ rect: CGRect, corners: [CGSize], _ transform: CGAffineTransform = .identity) {
        let rect = rect.standardized
        let places = [(0.0, 0.0), (1, 0), (1, 1), (0, 1)]
        for (number, (x, y)) in places.enumerated() {
            let size = CGSize(
                width: min(max(corners[number].width, 0), rect.width / 2),
                height: min(max(corners[number].height, 0), rect.height / 2))
            let corner = CGAffineTransform(
                a: size.width, b: 0, c: 0, d: size.height,
                tx: rect.minX + x * rect.width + (x == 0 ? size.width : -size.width),
                ty: rect.minY + y * rect.height + (y == 0 ? size.height : -size.height))
            arc(
                from: .pi + CGFloat(number) * .pi / 2, through: .pi / 2, corner.concatenating(transform),
                isNew: number == 0)
        }
        close()
    }

    /// Adds a part of a circle, in the direction of growing angles if `isClockwise` is false.
    func addArc(
        _ center: CGPoint, _ radius: CGFloat, from start: CGFloat, to end: CGFloat, isClockwise: Bool,
        _ transform: CGAffineTransform = .identity
    ) {
        let whole = 2 * CGFloat.pi
        var angle = end - start
        guard angle.isFinite, radius.isFinite, start.isFinite else { return }
        if abs(angle) >= whole, (angle < 0) == isClockwise {
            angle = isClockwise ? -whole : whole
        } else {
            angle = angle.truncatingRemainder(dividingBy: whole)
            if isClockwise, angle > 0 { angle -= whole }
            if !isClockwise, angle < 0 { angle += whole }
        }
        let circle = CGAffineTransform(a: radius, b: 0, c: 0, d: radius, tx: center.x, ty: center.y)
        arc(from: start, through: angle, circle.concatenating(transform), isNew: false)
    }

    /// Adds a part of the unit circle under a transform, as curves of at most a quarter each.
    private func arc(from start: CGFloat, through angle: CGFloat, _ transform: CGAffineTransform, isNew: Bool) {
        let count = max(1, Int((abs(angle) / (.pi / 2)).rounded(.up)))
        let step = angle / CGFloat(count)
        let reach = 4 / 3 * tan(step / 4)
        func place(_ angle: CGFloat) -> CGPoint { CGPoint(x: cos(angle), y: sin(angle)) }
        let beginning = place(start).applying(transform)
        if isNew { begin(at: beginning) } else { line(to: beginning) }
        for number in 0..<count {
            let (one, other) = (start + CGFloat(number) * step, start + CGFloat(number + 1) * step)
            let (from, to) = (place(one), place(other))
            curve(
                CGPoint(x: from.x - reach * from.y, y: from.y + reach * from.x).applying(transform),
                CGPoint(x: to.x + reach * to.y, y: to.y - reach * to.x).applying(transform),
                to: to.applying(transform))
        }
    }

    // MARK: Polygons

    /// A part of a path as straight lines.
    struct Polygon {
        var points: [CGPoint]
        var isClosed: Bool
    }

    /// The largest distance between a curve and its lines, in pixels.
    static let tolerance: CGFloat = 0.005

    /// Returns the parts of the path under a transform.
    ///
    /// - Parameters:
    ///   - transform: the transform.
    ///   - tolerance: the largest distance between a curve and its lines, in the units of the result.
    func polygons(under transform: CGAffineTransform, tolerance: CGFloat = tolerance) -> [Polygon] {
        var polygons: [Polygon] = []
        func add(_ point: CGPoint) {
            if polygons.isEmpty || polygons[polygons.count - 1].isClosed {
                polygons.append(Polygon(points: [polygons.last?.points.first ?? point], isClosed: false))
            }
            polygons[polygons.count - 1].points.append(point)
        }
        for element in elements {
            switch element {
            case .move(let point): polygons.append(Polygon(points: [point.applying(transform)], isClosed: false))
            case .line(let point): add(point.applying(transform))
            case .curve(let one, let two, let end):
                let start = polygons.last.map { $0.isClosed ? $0.points[0] : $0.points[$0.points.count - 1] }
                let corners = [
                    start ?? .zero, one.applying(transform), two.applying(transform), end.applying(transform),
                ]
                for point in Self.flattened(corners, tolerance) { add(point) }
            case .close: if !polygons.isEmpty { polygons[polygons.count - 1].isClosed = true }
            }
        }
        return polygons
    }

    /// Returns the ends of the lines of a cubic curve, without its beginning.
    private static func flattened(_ corners: [CGPoint], _ tolerance: CGFloat) -> [CGPoint] {
        // The second differences bound the distance between the curve and its chords.
        func bend(_ a: CGPoint, _ b: CGPoint, _ c: CGPoint) -> CGFloat {
            hypot(a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y)
        }
        let most = max(bend(corners[0], corners[1], corners[2]), bend(corners[1], corners[2], corners[3]))
        let wanted = (most * 0.75 / tolerance).squareRoot().rounded(.up)
        // A number that is none, or that no `Int` has, has the most lines.
        let count = wanted < 512 ? max(1, Int(wanted)) : 512
        return (1...count).map { number in
            let t = CGFloat(number) / CGFloat(count)
            let u = 1 - t
            let weights = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t]
            return CGPoint(
                x: zip(weights, corners).reduce(0) { $0 + $1.0 * $1.1.x },
                y: zip(weights, corners).reduce(0) { $0 + $1.0 * $1.1.y })
        }
    }
}

/// A path that can be extended.
public final class CGMutablePath: CGPath {
    public override init() { super.init() }
    public func move(to point: CGPoint, transform: CGAffineTransform = .identity) {
        begin(at: point.applying(transform))
    }
    public func addLine(to point: CGPoint, transform: CGAffineTransform = .identity) {
        line(to: point.applying(transform))
    }
    public func addLines(between others: [CGPoint], transform: CGAffineTransform = .identity) {
        guard let first = others.first else { return }
        begin(at: first.applying(transform))
        for point in others.dropFirst() { line(to: point.applying(transform)) }
    }
    public func addRect(_ rect: CGRect, transform: CGAffineTransform = .identity) { add(rect, transform) }
    public func addRects(_ rects: [CGRect], transform: CGAffineTransform = .identity) {
        for rect in rects { add(rect, transform) }
    }
    public func addRoundedRect(
        in rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat, transform: CGAffineTransform = .identity
    ) {
        let radii = CGSize(width: cornerWidth, height: cornerHeight)
        add(rect, corners: [radii, radii, radii, radii], transform)
    }
    public func addEllipse(in rect: CGRect, transform: CGAffineTransform = .identity) { addEllipse(rect, transform) }
    public func addQuadCurve(to end: CGPoint, control: CGPoint, transform: CGAffineTransform = .identity) {
        quadCurve(control.applying(transform), to: end.applying(transform))
    }
    public func addCurve(
        to end: CGPoint, control1: CGPoint, control2: CGPoint, transform: CGAffineTransform = .identity
    ) {
        curve(control1.applying(transform), control2.applying(transform), to: end.applying(transform))
    }
    public func addArc(
        center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool,
        transform: CGAffineTransform = .identity
    ) { addArc(center, radius, from: startAngle, to: endAngle, isClockwise: clockwise, transform) }
    public func addPath(_ path: CGPath, transform: CGAffineTransform = .identity) { append(path, transform) }
    public func closeSubpath() { close() }
}
