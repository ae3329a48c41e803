// UIView: a rectangle in a tree of others, stored as values and never drawn.

public import Foundation

/// A view, without a screen.
///
/// The tree and its values are stored, and frames are as their owner sets them. Nothing is laid out or drawn, and
/// constraints are only stored.
@MainActor @preconcurrency open class UIView: UIResponder {
    /// The rectangle in the superview's coordinates, in points.
    open var frame: CGRect { didSet { noteChange() } }
    open var autoresizingMask: AutoresizingMask = []
    open var autoresizesSubviews = true
    open var contentMode = ContentMode.scaleToFill
    open var backgroundColor: UIColor?
    open var alpha: CGFloat = 1 { didSet { noteChange() } }
    open var isHidden = false { didSet { noteChange() } }
    open var isOpaque = true
    open var clipsToBounds = false
    open var clearsContextBeforeDrawing = true
    open var transform = CGAffineTransform.identity
    open var semanticContentAttribute = UISemanticContentAttribute.unspecified
    open var isUserInteractionEnabled = true
    open var isMultipleTouchEnabled = false
    open var translatesAutoresizingMaskIntoConstraints = true
    open var tag = 0
    open var accessibilityIdentifier: String? { didSet { noteChange() } }
    open var accessibilityLabel: String? { didSet { noteChange() } }
    open var gestureRecognizers: [UIGestureRecognizer]?
    open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified
    open private(set) lazy var layer = makeObject(of: Self.layerClass as? CALayer.Type ?? CALayer.self)
    private(set) lazy var layoutState = LayoutState()
    private var ownTint: UIColor?

    open private(set) weak var superview: UIView?
    /// The subviews, with the lowest first.
    open private(set) var subviews: [UIView] = []
    /// The controller of this view, if it is a controller's own. It is the next responder.
    weak var controller: UIViewController?

    /// The class of the layer, an author's subclass of `CALayer`. One layer is made for each view.
    open class var layerClass: AnyClass { CALayer.self }

    public init(frame: CGRect) {
        self.frame = frame
        super.init()
        AppearanceProxies.apply(to: self)
    }

    /// Makes an empty view: there is no archive to decode.
    public required init?(coder: NSCoder) {
        frame = .zero
        super.init()
        AppearanceProxies.apply(to: self)
    }

    public convenience override init() { self.init(frame: .zero) }

    open override var next: UIResponder? { controller ?? superview }

    /// The window that shows the view; nil if none does.
    open var window: UIWindow? { superview?.window ?? controller?.hostWindow }

    open var tintColor: UIColor! {
        get { ownTint ?? superview?.tintColor ?? .systemBlue }
        set {
            ownTint = newValue
            tintColorDidChange()
        }
    }

    /// The rectangle in the view's own coordinates.
    open var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }

    open var center: CGPoint {
        get { CGPoint(x: frame.midX, y: frame.midY) }
        set { frame.origin = CGPoint(x: newValue.x - frame.width / 2, y: newValue.y - frame.height / 2) }
    }

    /// Adds the view above the others; it leaves its former superview. A view that holds this one cannot be added.
    open func addSubview(_ view: UIView) { insertSubview(view, at: subviews.count) }

    open func insertSubview(_ view: UIView, at index: Int) {
        precondition(!isDescendant(of: view), "a view cannot be added to itself or to one that it holds")
        if view.superview === self {
            subviews.removeAll { $0 === view }
        } else {
            view.removeFromSuperview()
            view.willMove(toSuperview: self)
        }
        subviews.insert(view, at: min(max(index, 0), subviews.count))
        guard view.superview == nil else { return noteChange() }
        view.superview = self
        view.didMoveToSuperview()
        didAddSubview(view)
        view.controller?.viewDidJoin()
        noteChange()
    }

    open func insertSubview(_ view: UIView, aboveSubview sibling: UIView) {
        insertSubview(view, at: (subviews.firstIndex { $0 === sibling } ?? subviews.count - 1) + 1)
    }

    open func insertSubview(_ view: UIView, belowSubview sibling: UIView) {
        insertSubview(view, at: subviews.firstIndex { $0 === sibling } ?? 0)
    }

    open func removeFromSuperview() {
        guard let superview else { return }
        willMove(toSuperview: nil)
        superview.willRemoveSubview(self)
        dropConstraints(above: superview)
        superview.subviews.removeAll { $0 === self }
        superview.noteChange()
        self.superview = nil
        didMoveToSuperview()
    }

    open func bringSubviewToFront(_ view: UIView) {
        if view.superview === self { insertSubview(view, at: subviews.count) }
    }

    open func sendSubviewToBack(_ view: UIView) {
        if view.superview === self { insertSubview(view, at: 0) }
    }

    open func exchangeSubview(at first: Int, withSubviewAt second: Int) {
        subviews.swapAt(first, second)
        noteChange()
    }

    open func willMove(toSuperview superview: UIView?) {}
    open func didMoveToSuperview() {}
    open func didAddSubview(_ subview: UIView) {}
    open func willRemoveSubview(_ subview: UIView) {}
    open func willMove(toWindow window: UIWindow?) {}
    /// Reports that a controller's view has appeared, to each view in it.
    open func didMoveToWindow() {}

    open func isDescendant(of view: UIView) -> Bool { self === view || superview?.isDescendant(of: view) == true }

    open func viewWithTag(_ tag: Int) -> UIView? {
        self.tag == tag ? self : subviews.lazy.compactMap { $0.viewWithTag(tag) }.first
    }

    // MARK: Layout and drawing

    open func layoutSubviews() {}
    open func setNeedsLayout() {}
    /// Calls `layoutSubviews()` of this view and of those within, whether they need it or not.
    open func layoutIfNeeded() {
        updateConstraintsIfNeeded()
        layoutSubviews()
        for view in subviews { view.layoutIfNeeded() }
    }
    open func updateConstraints() {}
    open class var requiresConstraintBasedLayout: Bool { false }
    open var intrinsicContentSize: CGSize { CGSize(width: Self.noIntrinsicMetric, height: Self.noIntrinsicMetric) }
    open func invalidateIntrinsicContentSize() {}
    open var alignmentRectInsets: UIEdgeInsets { .zero }
    open func layoutMarginsDidChange() {}
    open func safeAreaInsetsDidChange() {}
    open var safeAreaInsets: UIEdgeInsets { .zero }
    /// Has no effect: nothing is drawn, so nothing calls it.
    open func draw(_ rect: CGRect) {}
    open func setNeedsDisplay() {}
    open func setNeedsDisplay(_ rect: CGRect) {}
    open func sizeToFit() { frame.size = sizeThatFits(frame.size) }
    /// Returns the current size (ours).
    open func sizeThatFits(_ size: CGSize) -> CGSize { frame.size }
    open func tintColorDidChange() {}

    // MARK: Touches

    /// Returns this view or one within, the uppermost first, that contains the point and can be touched.
    open func hitTest(_ point: CGPoint, with event: UIEvent?) -> UIView? {
        guard !isHidden, alpha > 0.01, isUserInteractionEnabled, self.point(inside: point, with: event) else {
            return nil
        }
        for view in subviews.reversed() {
            if let hit = view.hitTest(view.convert(point, from: self), with: event) { return hit }
        }
        return self
    }

    open func point(inside point: CGPoint, with event: UIEvent?) -> Bool { bounds.contains(point) }

    open func addGestureRecognizer(_ recognizer: UIGestureRecognizer) {
        recognizer.view?.removeGestureRecognizer(recognizer)
        gestureRecognizers = (gestureRecognizers ?? []) + [recognizer]
        recognizer.view = self
        noteChange()
    }

    open func removeGestureRecognizer(_ recognizer: UIGestureRecognizer) {
        gestureRecognizers?.removeAll { $0 === recognizer }
        if recognizer.view === self { recognizer.view = nil }
        noteChange()
    }

    /// Takes values over from the views of `appearance()`.
    func adopt(_ prototype: NSObject, _ pristine: NSObject) {
        guard let prototype = prototype as? UIView, let pristine = pristine as? UIView else { return }
        backgroundColor = AppearanceProxies.merged(
            backgroundColor, prototype.backgroundColor, pristine.backgroundColor)
        // The tint of a superview is inherited.
        if let tint = prototype.ownTint { tintColor = tint }
    }

    /// The buttons of a bar.
    var barItems: [UIBarButtonItem] { [] }

    /// Does what a person's tap does. Ours.
    func touch() {
        for case let tap as UITapGestureRecognizer in gestureRecognizers ?? [] where tap.isEnabled { tap.recognize() }
    }

    // MARK: Traits

    open var traitCollection: UITraitCollection { .current }
    /// Has no effect unless the author calls it: no trait changes.
    open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}

    /// Reports a change. Every property that a viewer of the view could see calls it.
    nonisolated package final func noteChange() {
        MainThread.check()
        InterfaceChanges.note()
    }
}

extension UIView: AppearanceAdopting {}

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
