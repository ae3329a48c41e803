// UIView+Layout: the constraints that a view holds, its guides, and its resistance to other sizes.

public import Foundation

/// The layout values of a view, made when the first of them is set.
@MainActor final class LayoutState {
    var constraints: [NSLayoutConstraint] = []
    var guides: [UILayoutGuide] = []
    var hugging: [NSLayoutConstraint.Axis: UILayoutPriority] = [:]
    var resistance: [NSLayoutConstraint.Axis: UILayoutPriority] = [:]
    var margins = NSDirectionalEdgeInsets(top: 8, leading: 8, bottom: 8, trailing: 8)
    var preservesMargins = false
    var insetsMargins = true
    /// Whether constraints are to be updated.
    var needsUpdate = false
    weak var safeArea: UILayoutGuide?
    weak var marginsGuide: UILayoutGuide?
    weak var readable: UILayoutGuide?
}

extension UIView {
    public nonisolated static var noIntrinsicMetric: CGFloat { -1 }

    public nonisolated static var layoutFittingCompressedSize: CGSize { .zero }
    public nonisolated static var layoutFittingExpandedSize: CGSize { CGSize(width: 10000, height: 10000) }

    // MARK: Constraints

    /// The constraints that this view holds itself.
    public var constraints: [NSLayoutConstraint] { layoutState.constraints }

    public final func addConstraint(_ constraint: NSLayoutConstraint) {
        guard constraint.holder !== self else { return }
        constraint.holder?.removeConstraint(constraint)
        constraint.holder = self
        layoutState.constraints.append(constraint)
    }

    public final func addConstraints(_ constraints: [NSLayoutConstraint]) {
        for each in constraints { addConstraint(each) }
    }

    public final func removeConstraint(_ constraint: NSLayoutConstraint) {
        guard constraint.holder === self else { return }
        constraint.holder = nil
        layoutState.constraints.removeAll { $0 === constraint }
    }

    public final func removeConstraints(_ constraints: [NSLayoutConstraint]) {
        for each in constraints { removeConstraint(each) }
    }

    /// Removes the constraints between a leaving view and what it leaves (documented).
    func dropConstraints(above superview: UIView) {
        var holder: UIView? = superview
        while let view = holder {
            for constraint in view.constraints
            where [constraint.firstItem, constraint.secondItem].contains(where: {
                NSLayoutConstraint.view(of: $0)?.isDescendant(of: self) == true
            }) {
                view.removeConstraint(constraint)
            }
            holder = view.superview
        }
    }

    public final func setNeedsUpdateConstraints() { layoutState.needsUpdate = true }
    public final func needsUpdateConstraints() -> Bool { layoutState.needsUpdate }

    /// Calls `updateConstraints()` if it is needed, for the views within first.
    public final func updateConstraintsIfNeeded() {
        for view in subviews { view.updateConstraintsIfNeeded() }
        guard layoutState.needsUpdate else { return }
        layoutState.needsUpdate = false
        updateConstraints()
    }

    // MARK: Sizes

    public final func contentHuggingPriority(for axis: NSLayoutConstraint.Axis) -> UILayoutPriority {
        layoutState.hugging[axis] ?? .defaultLow
    }
    public final func setContentHuggingPriority(_ priority: UILayoutPriority, for axis: NSLayoutConstraint.Axis) {
        layoutState.hugging[axis] = priority
    }
    public final func contentCompressionResistancePriority(for axis: NSLayoutConstraint.Axis) -> UILayoutPriority {
        layoutState.resistance[axis] ?? .defaultHigh
    }
    public final func setContentCompressionResistancePriority(
        _ priority: UILayoutPriority, for axis: NSLayoutConstraint.Axis
    ) { layoutState.resistance[axis] = priority }

    /// Returns the size of the frame (ours: nothing is laid out).
    public final func systemLayoutSizeFitting(_ targetSize: CGSize) -> CGSize { frame.size }
    public final func systemLayoutSizeFitting(
        _ targetSize: CGSize, withHorizontalFittingPriority horizontal: UILayoutPriority,
        verticalFittingPriority vertical: UILayoutPriority
    ) -> CGSize { frame.size }

    // MARK: Guides

    public final var safeAreaLayoutGuide: UILayoutGuide { guide(\.safeArea, "UIViewSafeAreaLayoutGuide") }
    public final var layoutMarginsGuide: UILayoutGuide { guide(\.marginsGuide, "UIViewLayoutMarginsGuide") }
    public final var readableContentGuide: UILayoutGuide { guide(\.readable, "UIViewReadableContentGuide") }

    private func guide(
        _ which: ReferenceWritableKeyPath<LayoutState, UILayoutGuide?>, _ name: String
    ) -> UILayoutGuide {
        if let guide = layoutState[keyPath: which] { return guide }
        let guide = UILayoutGuide(name, of: self)
        layoutState[keyPath: which] = guide
        layoutState.guides.append(guide)
        return guide
    }

    public final var layoutGuides: [UILayoutGuide] { layoutState.guides }

    public final func addLayoutGuide(_ guide: UILayoutGuide) {
        guide.owningView?.removeLayoutGuide(guide)
        guide.owningView = self
        layoutState.guides.append(guide)
    }

    public final func removeLayoutGuide(_ guide: UILayoutGuide) {
        guard guide.owningView === self else { return }
        guide.owningView = nil
        layoutState.guides.removeAll { $0 === guide }
    }

    public final var layoutMargins: UIEdgeInsets {
        get {
            let margins = layoutState.margins
            return UIEdgeInsets(
                top: margins.top, left: margins.leading, bottom: margins.bottom, right: margins.trailing)
        }
        set {
            directionalLayoutMargins = NSDirectionalEdgeInsets(
                top: newValue.top, leading: newValue.left, bottom: newValue.bottom, trailing: newValue.right)
        }
    }
    public final var directionalLayoutMargins: NSDirectionalEdgeInsets {
        get { layoutState.margins }
        set { layoutState.margins = newValue }
    }
    public final var preservesSuperviewLayoutMargins: Bool {
        get { layoutState.preservesMargins }
        set { layoutState.preservesMargins = newValue }
    }
    public final var insetsLayoutMarginsFromSafeArea: Bool {
        get { layoutState.insetsMargins }
        set { layoutState.insetsMargins = newValue }
    }
}
