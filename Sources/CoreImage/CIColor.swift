// CIColor, CIVector: the values of filters.

public import Foundation
public import UIKit

/// A colour in sRGB, each component from 0 to 1. Safe to use from any thread.
open class CIColor: NSObject, @unchecked Sendable {  // constant
    public let red, green, blue, alpha: CGFloat

    /// - Parameters: each is from 0 to 1; alpha does not change the others.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    /// Makes an opaque colour.
    ///
    /// - Parameters: each is from 0 to 1.
    public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat) {
        self.init(red: red, green: green, blue: blue, alpha: 1)
    }

    /// - Parameter color: the colour.
    public convenience init(cgColor color: CGColor) {
        let parts: [CGFloat] = color.components ?? []
        let isWhole: Bool = parts.count == 4
        self.init(
            red: isWhole ? parts[0] : 0, green: isWhole ? parts[1] : 0, blue: isWhole ? parts[2] : 0,
            alpha: isWhole ? parts[3] : 1)
    }

    /// - Parameter color: the colour.
    public convenience init(color: UIColor) { self.init(cgColor: color.cgColor) }

    public static let black = CIColor(red: 0, green: 0, blue: 0)
    public static let white = CIColor(red: 1, green: 1, blue: 1)
    public static let clear = CIColor(red: 0, green: 0, blue: 0, alpha: 0)
    public static let red = CIColor(red: 1, green: 0, blue: 0)
    public static let green = CIColor(red: 0, green: 1, blue: 0)
    public static let blue = CIColor(red: 0, green: 0, blue: 1)
    public static let gray = CIColor(red: 0.5, green: 0.5, blue: 0.5)

    open var numberOfComponents: Int { 4 }

    var premultiplied: PointColor {
        PointColor(Float(red * alpha), Float(green * alpha), Float(blue * alpha), Float(alpha))
    }
}

/// A vector of one to four numbers. Safe to use from any thread.
open class CIVector: NSObject, @unchecked Sendable {  // constant
    private let values: [CGFloat]

    /// - Parameters:
    ///   - values: the numbers.
    ///   - count: how many there are.
    public init(values: UnsafePointer<CGFloat>, count: Int) {
        self.values = Array(UnsafeBufferPointer(start: values, count: count))
    }
    private init(_ values: [CGFloat]) { self.values = values }
    public convenience init(x: CGFloat) { self.init([x]) }
    public convenience init(x: CGFloat, y: CGFloat) { self.init([x, y]) }
    public convenience init(x: CGFloat, y: CGFloat, z: CGFloat) { self.init([x, y, z]) }
    public convenience init(x: CGFloat, y: CGFloat, z: CGFloat, w: CGFloat) { self.init([x, y, z, w]) }
    public convenience init(cgPoint point: CGPoint) { self.init([point.x, point.y]) }
    public convenience init(cgRect rect: CGRect) {
        self.init([rect.origin.x, rect.origin.y, rect.size.width, rect.size.height])
    }

    open var count: Int { values.count }
    open var x: CGFloat { value(at: 0) }
    open var y: CGFloat { value(at: 1) }
    open var z: CGFloat { value(at: 2) }
    open var w: CGFloat { value(at: 3) }
    open var cgPointValue: CGPoint { CGPoint(x: x, y: y) }
    open var cgRectValue: CGRect { CGRect(x: x, y: y, width: z, height: w) }

    /// Returns a number; 0 beyond the last one.
    open func value(at index: Int) -> CGFloat { values.indices.contains(index) ? values[index] : 0 }
}
