// UIScrollView: a view of a part of a larger one.

public import Foundation

/// The observer of scrolling, which happens by code alone. Every method has a body, in place of Objective-C's optional
/// ones.
@MainActor @preconcurrency public protocol UIScrollViewDelegate: AnyObject {
    func scrollViewDidScroll(_ scrollView: UIScrollView)
    func scrollViewWillBeginDragging(_ scrollView: UIScrollView)
    func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool)
    func scrollViewDidEndDecelerating(_ scrollView: UIScrollView)
    func scrollViewDidEndScrollingAnimation(_ scrollView: UIScrollView)
    func viewForZooming(in scrollView: UIScrollView) -> UIView?
}

extension UIScrollViewDelegate {
    public func scrollViewDidScroll(_ scrollView: UIScrollView) {}
    public func scrollViewWillBeginDragging(_ scrollView: UIScrollView) {}
    public func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool) {}
    public func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) {}
    public func scrollViewDidEndScrollingAnimation(_ scrollView: UIScrollView) {}
    public func viewForZooming(in scrollView: UIScrollView) -> UIView? { nil }
}

/// The protocol that gives scroll views their delegate.
///
/// Tables and text views, which are scroll views, have a delegate of another type under the same name. Swift allows
/// that only in place of a protocol's property.
@MainActor @preconcurrency public protocol _Scrolling: AnyObject {
    var _scrollDelegate: (any UIScrollViewDelegate)? { get set }
}

extension _Scrolling {
    public var delegate: (any UIScrollViewDelegate)? {
        get { _scrollDelegate }
        set { _scrollDelegate = newValue }
    }
}

/// A scroll view. A shell: its values are stored, and its delegate hears of offsets that are set.
@MainActor @preconcurrency open class UIScrollView: UIView, _Scrolling {
    public enum KeyboardDismissMode: Int, Sendable { case none, onDrag, interactive }
    public enum IndicatorStyle: Int, Sendable { case `default`, black, white }
    public enum ContentInsetAdjustmentBehavior: Int, Sendable { case automatic, scrollableAxes, never, always }

    public final weak var _scrollDelegate: (any UIScrollViewDelegate)?
    open var contentOffset = CGPoint.zero { didSet { _scrollDelegate?.scrollViewDidScroll(self) } }
    open var contentSize = CGSize.zero
    open var contentInset = UIEdgeInsets.zero
    open var adjustedContentInset: UIEdgeInsets { contentInset }
    open var scrollIndicatorInsets = UIEdgeInsets.zero
    open var contentInsetAdjustmentBehavior = ContentInsetAdjustmentBehavior.automatic
    open var isScrollEnabled = true
    open var bounces = true
    open var alwaysBounceVertical = false
    open var showsVerticalScrollIndicator = true
    open var showsHorizontalScrollIndicator = true
    open var delaysContentTouches = true
    open var canCancelContentTouches = true
    open var keyboardDismissMode = KeyboardDismissMode.none
    open var indicatorStyle = IndicatorStyle.default
    open var minimumZoomScale: CGFloat = 1
    open var maximumZoomScale: CGFloat = 1
    open var zoomScale: CGFloat = 1
    open var refreshControl: UIRefreshControl?
    open var isDragging: Bool { false }
    open var isDecelerating: Bool { false }
    open private(set) lazy var contentLayoutGuide = UILayoutGuide("UIScrollView-contentLayoutGuide", of: self)
    open private(set) lazy var frameLayoutGuide = UILayoutGuide("UIScrollView-frameLayoutGuide", of: self)
    open private(set) lazy var panGestureRecognizer = UIPanGestureRecognizer()

    open func setContentOffset(_ offset: CGPoint, animated: Bool) { contentOffset = offset }
    open func scrollRectToVisible(_ rect: CGRect, animated: Bool) {}
    open func flashScrollIndicators() {}
    /// Whether a scroll takes a touch from a view. Nothing here asks; Apple's default is false for a control.
    open func touchesShouldCancel(in view: UIView) -> Bool { !(view is UIControl) }
    open func setZoomScale(_ scale: CGFloat, animated: Bool) { zoomScale = scale }
}
