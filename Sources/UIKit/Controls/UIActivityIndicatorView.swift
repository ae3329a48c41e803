// UIActivityIndicatorView: an indicator of an activity.

public import Foundation

/// A wheel that spins or stands still: only the state is stored.
@MainActor @preconcurrency open class UIActivityIndicatorView: UIView {
    public enum Style: Int, Sendable { case whiteLarge, white, gray, medium = 100, large = 101 }

    /// The style by its name in Swift 3.
    public typealias UIActivityIndicatorViewStyle = Style

    open var style: Style { didSet { noteChange() } }
    open var color: UIColor!
    /// Whether a stopped wheel is hidden.
    open var hidesWhenStopped = true { didSet { noteChange() } }
    public private(set) var isAnimating = false { didSet { noteChange() } }

    public init(style: Style) {
        self.style = style
        let side: CGFloat = style == .whiteLarge || style == .large ? 37 : 20
        super.init(frame: CGRect(x: 0, y: 0, width: side, height: side))
    }

    public convenience init(activityIndicatorStyle style: Style) { self.init(style: style) }

    public override init(frame: CGRect) {
        style = .medium
        super.init(frame: frame)
    }

    public required init?(coder: NSCoder) {
        style = .medium
        super.init(coder: coder)
    }

    open func startAnimating() { isAnimating = true }
    open func stopAnimating() { isAnimating = false }
}
