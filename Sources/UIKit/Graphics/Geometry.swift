// Geometry: what surrounds rectangles, which Foundation brings.

public import Foundation

/// Distances from four edges, in points. Carried, and laid out by nobody.
public struct UIEdgeInsets: Sendable, Hashable {
    public static let zero = UIEdgeInsets(top: 0, left: 0, bottom: 0, right: 0)
    public var top: CGFloat
    public var left: CGFloat
    public var bottom: CGFloat
    public var right: CGFloat

    public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }
}

/// Where text stands between the edges. Carried only: nothing is drawn.
public enum NSTextAlignment: Int, Sendable {
    case left, center, right, justified, natural
}
