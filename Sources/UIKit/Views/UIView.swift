// UIView: a rectangle in a tree of others, kept as values and drawn by nobody.

public import Foundation

/// A view. Headless: the tree and what is set on it are kept, and frames are as their owner sets them; nothing is laid out or drawn,
/// and constraints do not exist.
@MainActor @preconcurrency open class UIView: UIResponder {
    /// How a view follows its superview. Carried only: nothing resizes.
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let flexibleLeftMargin = AutoresizingMask(rawValue: 1)
        public static let flexibleWidth = AutoresizingMask(rawValue: 1 << 1)
        public static let flexibleRightMargin = AutoresizingMask(rawValue: 1 << 2)
        public static let flexibleTopMargin = AutoresizingMask(rawValue: 1 << 3)
        public static let flexibleHeight = AutoresizingMask(rawValue: 1 << 4)
        public static let flexibleBottomMargin = AutoresizingMask(rawValue: 1 << 5)
    }

    /// How an image fills its view. Carried only.
    public enum ContentMode: Int, Sendable { case scaleToFill, scaleAspectFit, scaleAspectFill, redraw, center }

    /// In the superview's coordinates, in points.
    open var frame: CGRect { didSet { noteChange() } }
    open var autoresizingMask: AutoresizingMask = []
    open var contentMode = ContentMode.scaleToFill
    open var backgroundColor: UIColor?
    open var tintColor: UIColor! = UIColor.blue
    open var alpha: CGFloat = 1 { didSet { noteChange() } }
    open var isHidden = false { didSet { noteChange() } }
    open var isOpaque = true
    open var clipsToBounds = false
    open var isUserInteractionEnabled = true
    open var translatesAutoresizingMaskIntoConstraints = true
    open var tag = 0
    open var accessibilityIdentifier: String? { didSet { noteChange() } }
    open var accessibilityLabel: String? { didSet { noteChange() } }
    public let layer = CALayer()

    open private(set) weak var superview: UIView?
    /// The lowest first.
    open private(set) var subviews: [UIView] = []
    /// Of a controller's own view: the next responder.
    weak var controller: UIViewController?

    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    /// Nothing is archived here: an empty view.
    public required init?(coder: NSCoder) {
        frame = .zero
        super.init()
    }

    public convenience override init() { self.init(frame: .zero) }

    open override var next: UIResponder? { controller ?? superview }

    /// In the view's own coordinates.
    open var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }

    open var center: CGPoint {
        get { CGPoint(x: frame.midX, y: frame.midY) }
        set { frame.origin = CGPoint(x: newValue.x - frame.width / 2, y: newValue.y - frame.height / 2) }
    }

    /// Adds it above the others; it leaves its former superview. A view that holds this one cannot be added.
    open func addSubview(_ view: UIView) { insertSubview(view, at: subviews.count) }

    open func insertSubview(_ view: UIView, at index: Int) {
        precondition(!isDescendant(of: view), "a view cannot be added to itself or to one that it holds")
        view.removeFromSuperview()
        subviews.insert(view, at: min(max(index, 0), subviews.count))
        view.superview = self
        view.didMoveToSuperview()
        noteChange()
    }

    open func removeFromSuperview() {
        guard let superview else { return }
        superview.subviews.removeAll { $0 === self }
        superview.noteChange()
        self.superview = nil
        didMoveToSuperview()
    }

    open func bringSubviewToFront(_ view: UIView) {
        guard view.superview === self else { return }
        subviews.removeAll { $0 === view }
        subviews.append(view)
        noteChange()
    }

    open func didMoveToSuperview() {}

    open func isDescendant(of view: UIView) -> Bool { self === view || superview?.isDescendant(of: view) == true }

    open func viewWithTag(_ tag: Int) -> UIView? {
        self.tag == tag ? self : subviews.lazy.compactMap { $0.viewWithTag(tag) }.first
    }

    open func layoutSubviews() {}
    open func setNeedsLayout() {}
    open func layoutIfNeeded() { layoutSubviews() }
    open func setNeedsDisplay() {}
    open func sizeToFit() {}

    /// Does the changes at once, then calls `completion` with true; nothing moves in between.
    public class func animate(
        withDuration duration: TimeInterval, animations: () -> Void, completion: ((Bool) -> Void)? = nil
    ) {
        animations()
        completion?(true)
    }

    /// Called by every property that somebody who looks at the view could see.
    nonisolated package final func noteChange() {
        MainThread.check()
        InterfaceChanges.note()
    }
}
