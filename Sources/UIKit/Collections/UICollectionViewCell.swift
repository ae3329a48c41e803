// UICollectionViewCell: an item of a collection, and the views around items.

public import Foundation

/// A view that a collection makes: a cell, a header or a footer.
@MainActor @preconcurrency open class UICollectionReusableView: UIView {
    open internal(set) var reuseIdentifier: String?

    public override init(frame: CGRect) { super.init(frame: frame) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// Has no effect: no view is reused, so nothing calls it.
    open func prepareForReuse() {}
    /// Has no effect: nothing is laid out, so nothing calls it.
    open func apply(_ layoutAttributes: UICollectionViewLayoutAttributes) {}
    open func preferredLayoutAttributesFitting(
        _ layoutAttributes: UICollectionViewLayoutAttributes
    ) -> UICollectionViewLayoutAttributes { layoutAttributes }
}

/// An item of a collection.
@MainActor @preconcurrency open class UICollectionViewCell: UICollectionReusableView {
    public let contentView = UIView()
    open var isSelected = false { didSet { noteChange() } }
    open var isHighlighted = false
    open var backgroundView: UIView?
    open var selectedBackgroundView: UIView?
    /// The content. Its texts become labels in the content view.
    open var contentConfiguration: (any UIContentConfiguration)? {
        didSet {
            guard let content = contentConfiguration as? UIListContentConfiguration else { return }
            for view in configured { view.removeFromSuperview() }
            configured = [content.text ?? content.attributedText?.string, content.secondaryText].compactMap { text in
                guard let text else { return nil }
                let label = UILabel()
                label.text = text
                contentView.addSubview(label)
                return label
            }
        }
    }
    private var configured: [UIView] = []

    public override init(frame: CGRect) {
        super.init(frame: frame)
        addContentView()
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        addContentView()
    }

    private func addContentView() {
        contentView.frame = bounds
        super.addSubview(contentView)
    }

    open func defaultContentConfiguration() -> UIListContentConfiguration { UIListContentConfiguration() }

    /// Whether the name is the text of a label within, or the cell's own identifier or label.
    func isCalled(_ name: String) -> Bool {
        func within(_ view: UIView) -> Bool {
            guard !view.isHidden, view.alpha > 0 else { return false }
            return (view as? UILabel)?.text == name || view.subviews.contains(where: within)
        }
        return accessibilityIdentifier == name || accessibilityLabel == name || within(self)
    }
}

/// The initializer by which a collection makes views of a registered class, as `_InitializerSlot`. It is not for use.
open class _FrameInitializerSlot: UIView {
    public required override init(frame: CGRect) { super.init(frame: frame) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }
}

extension IndexPath {
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
    public var item: Int { row }
}
