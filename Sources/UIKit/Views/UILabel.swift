// UILabel, UIImageView: views that only display something.

public import Foundation

/// A label. Its text is stored.
@MainActor @preconcurrency open class UILabel: UIView {
    open var text: String? { didSet { noteChange() } }
    open var attributedText: NSAttributedString? {
        get { text.map { NSAttributedString(string: $0) } }
        set { text = newValue?.string }
    }
    open var textAlignment = NSTextAlignment.natural
    open var textColor: UIColor! = UIColor.black
    open var font: UIFont! = UIFont.systemFont(ofSize: 17)
    /// The number of lines; 0 for as many as the text needs.
    open var numberOfLines = 1
    open var isEnabled = true { didSet { noteChange() } }
    open var adjustsFontSizeToFitWidth = false
    open var minimumScaleFactor: CGFloat = 0
    open var lineBreakMode = NSLineBreakMode.byTruncatingTail
    open var baselineAdjustment = UIBaselineAdjustment.alignBaselines
    open var adjustsFontForContentSizeCategory = false
    open var preferredMaxLayoutWidth: CGFloat = 0
    open var isHighlighted = false
    open var shadowColor: UIColor?
    open var shadowOffset = CGSize(width: 0, height: -1)

    override func adopt(_ prototype: NSObject, _ pristine: NSObject) {
        super.adopt(prototype, pristine)
        guard let prototype = prototype as? UILabel, let pristine = pristine as? UILabel else { return }
        textColor = AppearanceProxies.merged(textColor, prototype.textColor, pristine.textColor)
        font = AppearanceProxies.merged(font, prototype.font, pristine.font)
    }
}

/// The place of smaller text. It has no effect.
public enum UIBaselineAdjustment: Int, Sendable { case alignBaselines, alignCenters, none }

/// An image in a view. Its bytes are stored.
@MainActor @preconcurrency open class UIImageView: UIView {
    open var image: UIImage? { didSet { noteChange() } }

    public convenience init(image: UIImage?) {
        self.init(frame: .zero)
        self.image = image
    }

    open var isHighlighted = false
    open var adjustsImageSizeForAccessibilityContentSizeCategory = false
    open var animationDuration: TimeInterval = 0
    open private(set) var isAnimating = false
    open var preferredSymbolConfiguration: UIImage.SymbolConfiguration?
    open func startAnimating() { isAnimating = true }
    open func stopAnimating() { isAnimating = false }
}
