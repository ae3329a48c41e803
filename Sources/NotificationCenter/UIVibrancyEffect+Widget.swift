// UIVibrancyEffect+Widget: the effects of Today widgets. Like all effects, they are stored and change nothing.

public import UIKit

extension UIVibrancyEffect {
    /// The effect of a widget's most important content.
    public class func widgetPrimary() -> UIVibrancyEffect { UIVibrancyEffect() }
    /// The effect of a widget's less important content.
    public class func widgetSecondary() -> UIVibrancyEffect { UIVibrancyEffect() }
    /// The effect of a widget's content in a style.
    public class func widgetEffect(forVibrancyStyle style: UIVibrancyEffectStyle) -> UIVibrancyEffect {
        UIVibrancyEffect()
    }
    /// The effect of widgets before iOS 10.
    public class func notificationCenter() -> UIVibrancyEffect { UIVibrancyEffect() }
}
