// PixelMask: the part of each pixel that a path covers.

internal import CImageCodecs
internal import Glibc

/// A rectangle of rows, with the part of each pixel that is drawn. It does not change once it is made.
public final class PixelMask: @unchecked Sendable {  // nobody writes to it
    /// The most corners of all polygons together (ours).
    public static let mostPoints = 1 << 20

    let mask: UnsafePointer<exthost_mask>

    /// Makes a mask of closed polygons, on top of another. Its rectangle is the smallest around them.
    ///
    /// - Parameters:
    ///   - polygons: the corners of each polygon, in pixels; the top left corner of the rows is 0, 0.
    ///   - isEvenOdd: whether a place within an even number of polygons is left out; else the winding number decides.
    ///   - form: the form of the rows.
    ///   - other: a mask of rows of that form, with which this one is multiplied.
    /// - Throws: `ImageCodecError.invalid` for more than `mostPoints` corners and for a number that is not finite or
    ///   above a billion, `.noMemory`.
    public init(
        _ polygons: [[(x: Double, y: Double)]], isEvenOdd: Bool, _ form: PixelRows, within other: PixelMask? = nil
    ) throws(ImageCodecError) {
        var (points, ends): ([Double], [Int]) = ([], [])
        var (left, top, right, bottom) = (Double.infinity, Double.infinity, -Double.infinity, -Double.infinity)
        for polygon in polygons {
            guard points.count / 2 + polygon.count <= Self.mostPoints else {
                throw .invalid("a path has more than \(Self.mostPoints) corners")
            }
            for (x, y) in polygon {
                // A place far away would take the digits of the others.
                guard abs(x) < 1e9, abs(y) < 1e9 else { throw .invalid("the place \(x), \(y) is too far away") }
                points += [x, y]
                (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x), max(bottom, y))
            }
            ends.append(points.count / 2)
        }
        if points.isEmpty { (left, top, right, bottom) = (0, 0, 0, 0) }
        let outer =
            other.map { $0.mask.pointee }
            ?? exthost_mask(
                parts: nil, x: 0, y: 0, width: Int32(form.width), height: Int32(form.height))
        var (x, y) = (max(outer.x, Int32(left.rounded(.down))), max(outer.y, Int32(top.rounded(.down))))
        var width = max(0, min(outer.x + outer.width, Int32(right.rounded(.up))) - x)
        var height = max(0, min(outer.y + outer.height, Int32(bottom.rounded(.up))) - y)
        if width == 0 || height == 0 { (x, y, width, height) = (0, 0, 0, 0) }
        guard let base = malloc(max(1, Int(width) * Int(height))) else { throw .noMemory }
        let parts = base.assumingMemoryBound(to: UInt8.self)
        for row in 0..<Int(height) where width > 0 {
            let to = parts + row * Int(width)
            if let from = outer.parts {
                memcpy(to, from + (row + Int(y - outer.y)) * Int(outer.width) + Int(x - outer.x), Int(width))
            } else {
                memset(to, 255, Int(width))
            }
        }
        let made = UnsafeMutablePointer<exthost_mask>.allocate(capacity: 1)
        made.initialize(to: exthost_mask(parts: parts, x: x, y: y, width: width, height: height))
        mask = UnsafePointer(made)
        let isMade = points.withUnsafeBufferPointer { points in
            ends.withUnsafeBufferPointer { ends in
                var path = exthost_path(
                    points: points.baseAddress, ends: ends.baseAddress, polygons: ends.count, is_even_odd: isEvenOdd)
                return width == 0 || height == 0 || exthost_path_cover(&path, mask)
            }
        }
        guard isMade else { throw .noMemory }
    }

    deinit {
        free(mask.pointee.parts)
        mask.deallocate()
    }

    /// Whether the mask lies within rows of this form.
    func fits(_ form: PixelRows) -> Bool {
        let mask = mask.pointee
        return mask.x >= 0 && mask.y >= 0 && Int(mask.x) + Int(mask.width) <= form.width
            && Int(mask.y) + Int(mask.height) <= form.height
    }

    /// The sum of the parts, in pixels.
    public var area: Double {
        let mask = mask.pointee
        return (0..<Int(mask.width) * Int(mask.height)).reduce(0) { $0 + Double(mask.parts[$1]) / 255 }
    }
}
