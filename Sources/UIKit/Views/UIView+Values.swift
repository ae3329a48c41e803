// UIView+Values: the stored values of views, and conversions between their coordinates.

public import Foundation

extension UIView {
    /// The resizing of a view with its superview. It has no effect: nothing resizes.
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var flexibleLeftMargin: AutoresizingMask { AutoresizingMask(rawValue: 1) }
        public static var flexibleWidth: AutoresizingMask { AutoresizingMask(rawValue: 2) }
        public static var flexibleRightMargin: AutoresizingMask { AutoresizingMask(rawValue: 4) }
        public static var flexibleTopMargin: AutoresizingMask { AutoresizingMask(rawValue: 8) }
        public static var flexibleHeight: AutoresizingMask { AutoresizingMask(rawValue: 16) }
        public static var flexibleBottomMargin: AutoresizingMask { AutoresizingMask(rawValue: 32) }
    }

    /// The way an image fills its view. It has no effect.
    public enum ContentMode: Int, Sendable {
        case scaleToFill, scaleAspectFit, scaleAspectFill, redraw, center, top, bottom, left, right, topLeft, topRight
        case bottomLeft, bottomRight
    }

    /// Converts from this view's coordinates to those of another, or of the outermost view if it is nil. Transforms do
    /// not count.
    public final func convert(_ point: CGPoint, to view: UIView?) -> CGPoint {
        let (own, other) = (origin, view?.origin ?? .zero)
        return CGPoint(x: point.x + own.x - other.x, y: point.y + own.y - other.y)
    }
    public final func convert(_ point: CGPoint, from view: UIView?) -> CGPoint {
        let (own, other) = (origin, view?.origin ?? .zero)
        return CGPoint(x: point.x + other.x - own.x, y: point.y + other.y - own.y)
    }
    public final func convert(_ rect: CGRect, to view: UIView?) -> CGRect {
        CGRect(origin: convert(rect.origin, to: view), size: rect.size)
    }
    public final func convert(_ rect: CGRect, from view: UIView?) -> CGRect {
        CGRect(origin: convert(rect.origin, from: view), size: rect.size)
    }

    /// The origin of this view's coordinates, in those of the outermost view.
    private var origin: CGPoint {
        guard let superview else { return .zero }
        let outer = superview.origin
        return CGPoint(x: outer.x + frame.minX - bounds.minX, y: outer.y + frame.minY - bounds.minY)
    }

    /// Returns false: nothing is drawn.
    public final func drawHierarchy(in rect: CGRect, afterScreenUpdates: Bool) -> Bool { false }

    @discardableResult public final func endEditing(_ force: Bool) -> Bool {
        for view in subviews { view.endEditing(force) }
        return isFirstResponder ? resignFirstResponder() : true
    }
}

/// Whether a view is mirrored for writing from right to left. It has no effect.
public enum UISemanticContentAttribute: Int, Sendable {
    case unspecified, playback, spatial, forceLeftToRight, forceRightToLeft
}
