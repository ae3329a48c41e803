// PathStroke: the outline of a line of some width, as polygons.

import Foundation

/// The style of a line, in the author's units.
struct LineStyle {
    var width: CGFloat = 1
    var cap = CGLineCap.butt
    var join = CGLineJoin.miter
    /// The longest point of a corner, in widths of the line.
    var miterLimit: CGFloat = 10
    var phase: CGFloat = 0
    /// The lengths of dashes and gaps in turn; none: a whole line.
    var dashes: [CGFloat] = []

    /// The most dashes of a line (ours). Further ones are one line.
    private static let mostDashes = 10_000

    /// Returns polygons that together cover the lines of a path, all with the same direction.
    ///
    /// The union of them is the stroke, by the rule of the winding number.
    ///
    /// - Parameters:
    ///   - polygons: the parts of the path, in the author's units.
    ///   - tolerance: the largest distance of a round corner from its sides, in these units.
    func outline(of polygons: [CGPath.Polygon], tolerance: CGFloat) -> [[CGPoint]] {
        guard width > 0, width.isFinite else { return [] }
        var pieces: [[CGPoint]] = []
        for polygon in dashed(polygons) { outline(polygon, tolerance, &pieces) }
        return pieces.map { Self.area($0) < 0 ? $0.reversed() : $0 }
    }

    private func outline(_ polygon: CGPath.Polygon, _ tolerance: CGFloat, _ pieces: inout [[CGPoint]]) {
        // Two equal places have no direction.
        var points: [CGPoint] = []
        for point in polygon.points where point != points.last { points.append(point) }
        if polygon.isClosed, points.count > 1, points.first == points.last { points.removeLast() }
        let half = width / 2
        guard points.count > 1 else {
            // A point is drawn by its caps only (documented).
            guard let point = points.first else { return }
            if cap == .round { pieces.append(Self.circle(point, half, tolerance)) }
            if cap == .square { pieces.append(Self.square(point, half)) }
            return
        }
        let isClosed = polygon.isClosed && points.count > 2
        let count = isClosed ? points.count : points.count - 1
        for number in 0..<count {
            var (one, other) = (points[number], points[(number + 1) % points.count])
            let along = Self.direction(one, other)
            if cap == .square, !isClosed {
                if number == 0 { one = CGPoint(x: one.x - along.x * half, y: one.y - along.y * half) }
                if number == count - 1 { other = CGPoint(x: other.x + along.x * half, y: other.y + along.y * half) }
            }
            let (x, y) = (-along.y * half, along.x * half)
            pieces.append([
                CGPoint(x: one.x + x, y: one.y + y), CGPoint(x: other.x + x, y: other.y + y),
                CGPoint(x: other.x - x, y: other.y - y), CGPoint(x: one.x - x, y: one.y - y),
            ])
        }
        if cap == .round, !isClosed {
            pieces += [points[0], points[points.count - 1]].map { Self.circle($0, half, tolerance) }
        }
        for number in (isClosed ? 0 : 1)..<(isClosed ? points.count : points.count - 1) {
            let before = points[(number + points.count - 1) % points.count]
            corner(before, points[number], points[(number + 1) % points.count], half, tolerance, &pieces)
        }
    }

    private func corner(
        _ before: CGPoint, _ point: CGPoint, _ after: CGPoint, _ half: CGFloat, _ tolerance: CGFloat,
        _ pieces: inout [[CGPoint]]
    ) {
        if join == .round { return pieces.append(Self.circle(point, half, tolerance)) }
        let (one, other) = (Self.direction(before, point), Self.direction(point, after))
        let turn = one.x * other.y - one.y * other.x
        // The outer side of the corner.
        let side: CGFloat = turn > 0 ? -1 : 1
        let first = CGPoint(x: point.x - one.y * half * side, y: point.y + one.x * half * side)
        let second = CGPoint(x: point.x - other.y * half * side, y: point.y + other.x * half * side)
        var piece = [point, first, second]
        let cosine = one.x * other.x + one.y * other.y
        // The length of the point in widths is 1 / sin(angle / 2), and the angle is what is left of a half turn.
        let sine = max(0, (1 + cosine) / 2).squareRoot()
        if join == .miter, sine > 0, 1 / sine <= miterLimit {
            let middle = CGPoint(x: (first.x + second.x) / 2 - point.x, y: (first.y + second.y) / 2 - point.y)
            let length = hypot(middle.x, middle.y)
            if length > 0 {
                let reach = half / sine / length
                piece.insert(CGPoint(x: point.x + middle.x * reach, y: point.y + middle.y * reach), at: 2)
            }
        }
        pieces.append(piece)
    }

    /// Returns the dashes of the polygons.
    private func dashed(_ polygons: [CGPath.Polygon]) -> [CGPath.Polygon] {
        let lengths = dashes.count % 2 == 0 ? dashes : dashes + dashes
        var whole: CGFloat = 0
        for length in lengths {
            guard length >= 0, length.isFinite else { return polygons }
            whole += length
        }
        guard whole > 0, phase.isFinite else { return polygons }
        return polygons.flatMap { polygon in
            let points = polygon.isClosed ? polygon.points + [polygon.points[0]] : polygon.points
            var length: CGFloat = 0
            for (one, other) in zip(points, points.dropFirst()) { length += hypot(other.x - one.x, other.y - one.y) }
            guard length.isFinite, length / whole * CGFloat(lengths.count) <= CGFloat(Self.mostDashes) else {
                return [polygon]
            }
            var place = phase.truncatingRemainder(dividingBy: whole)
            if place < 0 { place += whole }
            var number = 0
            while place >= lengths[number] {
                place -= lengths[number]
                number = (number + 1) % lengths.count
            }
            var left = lengths[number] - place
            var found: [CGPath.Polygon] = []
            var current = number % 2 == 0 ? [points[0]] : []
            for (one, other) in zip(points, points.dropFirst()) {
                let size = hypot(other.x - one.x, other.y - one.y)
                var done: CGFloat = 0
                while size - done > left {
                    done += left
                    let point = CGPoint(
                        x: one.x + (other.x - one.x) * done / size, y: one.y + (other.y - one.y) * done / size)
                    if number % 2 == 0 {
                        found.append(CGPath.Polygon(points: current + [point], isClosed: false))
                        current = []
                    } else {
                        current = [point]
                    }
                    number = (number + 1) % lengths.count
                    left = lengths[number]
                    // A gap or dash of no length follows at once. Such a dash is its caps only.
                    if left == 0 {
                        if number % 2 == 0 { found.append(CGPath.Polygon(points: [point], isClosed: false)) }
                        current = number % 2 == 0 ? [] : [point]
                        number = (number + 1) % lengths.count
                        left = lengths[number]
                    }
                }
                left -= size - done
                if number % 2 == 0 { current.append(other) }
            }
            if current.count > 1 { found.append(CGPath.Polygon(points: current, isClosed: false)) }
            return found
        }
    }

    private static func direction(_ one: CGPoint, _ other: CGPoint) -> CGPoint {
        let length = hypot(other.x - one.x, other.y - one.y)
        return CGPoint(x: (other.x - one.x) / length, y: (other.y - one.y) / length)
    }

    /// Returns a circle whose sides stay within the tolerance.
    private static func circle(_ center: CGPoint, _ radius: CGFloat, _ tolerance: CGFloat) -> [CGPoint] {
        let step = acos(max(0, 1 - tolerance / max(radius, tolerance))) * 2
        let count = min(max(8, Int((2 * .pi / max(step, 0.01)).rounded(.up))), 720)
        return (0..<count).map { number in
            let angle = 2 * .pi * CGFloat(number) / CGFloat(count)
            return CGPoint(x: center.x + radius * cos(angle), y: center.y + radius * sin(angle))
        }
    }

    private static func square(_ center: CGPoint, _ half: CGFloat) -> [CGPoint] {
        [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)].map { CGPoint(x: center.x + $0 * half, y: center.y + $1 * half) }
    }

    private static func area(_ points: [CGPoint]) -> CGFloat {
        var sum: CGFloat = 0
        for (place, one) in points.enumerated() {
            let other = points[(place + 1) % points.count]
            sum += one.x * other.y - other.x * one.y
        }
        return sum
    }
}
