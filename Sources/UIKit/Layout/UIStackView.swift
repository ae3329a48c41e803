// UIStackView: views beside or below one another.

public import Foundation

/// A stack of views. A shell: arranged views are among its subviews, and nothing is laid out.
@MainActor @preconcurrency open class UIStackView: UIView {
    public enum Distribution: Int, Sendable { case fill, fillEqually, fillProportionally, equalSpacing, equalCentering }

    public enum Alignment: Int, Sendable {
        case fill, leading, firstBaseline, center, trailing, lastBaseline

        public static var top: Alignment { .leading }
        public static var bottom: Alignment { .trailing }
    }

    public nonisolated static var spacingUseDefault: CGFloat { .greatestFiniteMagnitude }
    public nonisolated static var spacingUseSystem: CGFloat { .leastNormalMagnitude }

    open private(set) var arrangedSubviews: [UIView] = []
    open var axis = NSLayoutConstraint.Axis.horizontal
    open var distribution = Distribution.fill
    open var alignment = Alignment.fill
    open var spacing: CGFloat = 0
    open var isLayoutMarginsRelativeArrangement = false
    private var spacings: [ObjectIdentifier: CGFloat] = [:]

    public convenience init(arrangedSubviews views: [UIView]) {
        self.init(frame: .zero)
        for view in views { addArrangedSubview(view) }
    }

    open func addArrangedSubview(_ view: UIView) { insertArrangedSubview(view, at: arrangedSubviews.count) }

    open func insertArrangedSubview(_ view: UIView, at index: Int) {
        arrangedSubviews.removeAll { $0 === view }
        if view.superview !== self { addSubview(view) }
        arrangedSubviews.insert(view, at: min(index, arrangedSubviews.count))
    }

    /// Removes a view from the arranged ones. It stays a subview (documented).
    open func removeArrangedSubview(_ view: UIView) { arrangedSubviews.removeAll { $0 === view } }

    open func setCustomSpacing(_ spacing: CGFloat, after view: UIView) { spacings[ObjectIdentifier(view)] = spacing }
    open func customSpacing(after view: UIView) -> CGFloat {
        spacings[ObjectIdentifier(view)] ?? Self.spacingUseDefault
    }

    open override func willRemoveSubview(_ subview: UIView) { removeArrangedSubview(subview) }
}
