// UIVisualEffectView, UIProgressView, UIPageControl: views that only display their values.

public import Foundation

/// An effect. It is stored and changes nothing.
@MainActor @preconcurrency open class UIVisualEffect: NSObject {}

@MainActor @preconcurrency open class UIBlurEffect: UIVisualEffect {
    public enum Style: Int, Sendable {
        case extraLight, light, dark, regular = 4, prominent, systemUltraThinMaterial, systemThinMaterial,
            systemMaterial
        case systemThickMaterial, systemChromeMaterial
    }
    public convenience init(style: Style) { self.init() }
}

/// The kinds of content above a blurred background.
public enum UIVibrancyEffectStyle: Int, Sendable {
    case label, secondaryLabel, tertiaryLabel, quaternaryLabel, fill, secondaryFill, tertiaryFill, separator
}

@MainActor @preconcurrency open class UIVibrancyEffect: UIVisualEffect {
    public convenience init(blurEffect: UIBlurEffect) { self.init() }
    public convenience init(blurEffect: UIBlurEffect, style: UIVibrancyEffectStyle) { self.init() }
}

/// A view with an effect on the views behind it. Only its content is shown.
@MainActor @preconcurrency open class UIVisualEffectView: UIView {
    open var effect: UIVisualEffect?
    open private(set) lazy var contentView: UIView = {
        let content = UIView(frame: bounds)
        addSubview(content)
        return content
    }()

    public convenience init(effect: UIVisualEffect?) {
        self.init(frame: .zero)
        self.effect = effect
    }
}

/// The progress of a task, from 0 to 1. It has no effect.
@MainActor @preconcurrency open class UIProgressView: UIView {
    public enum Style: Int, Sendable { case `default`, bar }
    open var progress: Float = 0
    open var progressTintColor: UIColor?
    open var trackTintColor: UIColor?

    public convenience init(progressViewStyle style: Style) { self.init(frame: .zero) }
    open func setProgress(_ progress: Float, animated: Bool) { self.progress = progress }
}
