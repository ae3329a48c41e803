// UIView+Animation: animations whose changes are made at once, and whose ends come later, as on Apple's systems.

import ExtensionFoundation
public import Foundation

extension UIView {
    /// The options of an animation. They have no effect.
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var layoutSubviews: AnimationOptions { AnimationOptions(rawValue: 1) }
        public static var allowUserInteraction: AnimationOptions { AnimationOptions(rawValue: 2) }
        public static var beginFromCurrentState: AnimationOptions { AnimationOptions(rawValue: 4) }
        public static let `repeat` = AnimationOptions(rawValue: 8)
        public static var autoreverse: AnimationOptions { AnimationOptions(rawValue: 16) }
        public static var showHideTransitionViews: AnimationOptions { AnimationOptions(rawValue: 256) }
        public static var curveEaseInOut: AnimationOptions { [] }
        public static var curveEaseIn: AnimationOptions { AnimationOptions(rawValue: 65536) }
        public static var curveEaseOut: AnimationOptions { AnimationOptions(rawValue: 131072) }
        public static var curveLinear: AnimationOptions { AnimationOptions(rawValue: 196608) }
        public static var transitionFlipFromLeft: AnimationOptions { AnimationOptions(rawValue: 1048576) }
        public static var transitionFlipFromRight: AnimationOptions { AnimationOptions(rawValue: 2097152) }
        public static var transitionCrossDissolve: AnimationOptions { AnimationOptions(rawValue: 5242880) }
    }

    /// The timing of an animation. It has no effect.
    public enum AnimationCurve: Int, Sendable { case easeInOut, easeIn, easeOut, linear }

    /// Applies the changes at once. `completion` is called with true after the present work of the main queue, whatever
    /// the duration: nothing moves in between.
    public class func animate(
        withDuration duration: TimeInterval, animations: () -> Void, completion: ((Bool) -> Void)? = nil
    ) {
        animations()
        end(completion)
    }

    /// Applies the changes at once, without the delay.
    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval, options: AnimationOptions = [],
        animations: () -> Void,
        completion: ((Bool) -> Void)? = nil
    ) {
        animations()
        end(completion)
    }

    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval, usingSpringWithDamping damping: CGFloat,
        initialSpringVelocity velocity: CGFloat, options: AnimationOptions = [], animations: () -> Void,
        completion: ((Bool) -> Void)? = nil
    ) {
        animations()
        end(completion)
    }

    public class func transition(
        with view: UIView, duration: TimeInterval, options: AnimationOptions = [], animations: (() -> Void)?,
        completion: ((Bool) -> Void)? = nil
    ) {
        animations?()
        end(completion)
    }

    /// Calls the handler of an animation's end later: code after the animation runs before it on Apple's systems, too.
    private static func end(_ completion: ((Bool) -> Void)?) {
        guard let completion else { return }
        nonisolated(unsafe) let handler = completion
        InterfaceChanges.later { handler(true) }
    }

    public class func performWithoutAnimation(_ actions: () -> Void) { actions() }

    /// Whether animations are on. Changes are made at once in any case.
    public private(set) static var areAnimationsEnabled = true

    /// Turns animations on or off, without an effect.
    ///
    /// - Parameter enabled: whether they are on.
    public class func setAnimationsEnabled(_ enabled: Bool) { areAnimationsEnabled = enabled }
}
