// UILayoutGuide: a rectangle of a view that is not one of its subviews.

public import Foundation

/// A guide. A shell: its anchors make constraints, and its frame is its view's bounds (ours: nothing is laid out).
@MainActor @preconcurrency open class UILayoutGuide: NSObject, _LayoutItem {
    open weak var owningView: UIView?
    open var identifier = ""
    open var layoutFrame: CGRect { owningView?.bounds ?? .zero }

    public override init() { super.init() }

    convenience init(_ identifier: String, of view: UIView?) {
        self.init()
        self.identifier = identifier
        owningView = view
    }
}

/// The upper or lower edge of a controller's content, from before safe areas.
@MainActor @preconcurrency public protocol UILayoutSupport: NSObjectProtocol {
    /// The length in points.
    var length: CGFloat { get }
    var topAnchor: NSLayoutYAxisAnchor { get }
    var bottomAnchor: NSLayoutYAxisAnchor { get }
    var heightAnchor: NSLayoutDimension { get }
}

extension UILayoutGuide: UILayoutSupport {
    public var length: CGFloat { 0 }
}

/// Distances from four edges that follow the direction of writing, in points. They have no effect.
public struct NSDirectionalEdgeInsets: Sendable, Hashable {
    public static var zero: NSDirectionalEdgeInsets { NSDirectionalEdgeInsets() }
    public var top: CGFloat
    public var leading: CGFloat
    public var bottom: CGFloat
    public var trailing: CGFloat

    public init(top: CGFloat = 0, leading: CGFloat = 0, bottom: CGFloat = 0, trailing: CGFloat = 0) {
        self.top = top
        self.leading = leading
        self.bottom = bottom
        self.trailing = trailing
    }
}

/// The edges of a rectangle. They have no effect.
public struct UIRectEdge: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var top: UIRectEdge { UIRectEdge(rawValue: 1) }
    public static var left: UIRectEdge { UIRectEdge(rawValue: 2) }
    public static var bottom: UIRectEdge { UIRectEdge(rawValue: 4) }
    public static var right: UIRectEdge { UIRectEdge(rawValue: 8) }
    public static var all: UIRectEdge { UIRectEdge(rawValue: 15) }
}
