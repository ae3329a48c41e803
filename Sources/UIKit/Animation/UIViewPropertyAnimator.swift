// UIViewPropertyAnimator: an animation that its author starts, whose changes are made at once.

public import Foundation

/// The place of an animation.
public enum UIViewAnimatingPosition: Int, Sendable { case end, start, current }
public enum UIViewAnimatingState: Int, Sendable { case inactive, active, stopped }

/// An animation. The start makes its changes at once; its completions are called after the present work of the main
/// queue, whatever the duration.
@MainActor @preconcurrency open class UIViewPropertyAnimator: NSObject {
    public let duration: TimeInterval
    open private(set) var state = UIViewAnimatingState.inactive
    open var isRunning: Bool { state == .active }
    private var animations: [() -> Void] = []
    private var completions: [(UIViewAnimatingPosition) -> Void] = []

    /// - Parameters:
    ///   - duration: kept only.
    ///   - ratio: no effect.
    ///   - animations: the changes.
    public init(duration: TimeInterval, dampingRatio ratio: CGFloat, animations: (() -> Void)? = nil) {
        self.duration = duration
        super.init()
        animations.map(addAnimations)
    }
    /// Makes an animation, as `init(duration:dampingRatio:animations:)`.
    public convenience init(
        duration: TimeInterval, curve: UIView.AnimationCurve, animations: (() -> Void)? = nil
    ) { self.init(duration: duration, dampingRatio: 1, animations: animations) }

    /// Adds changes. While the animation runs they are made at once.
    open func addAnimations(_ animation: @escaping () -> Void) {
        if state == .active { animation() } else { animations.append(animation) }
    }
    open func addCompletion(_ completion: @escaping (UIViewAnimatingPosition) -> Void) {
        completions.append(completion)
    }

    /// Makes the changes, and ends.
    open func startAnimation() {
        guard state != .active else { return }
        state = .active
        while !animations.isEmpty { animations.removeFirst()() }
        InterfaceChanges.later {
            guard self.state == .active else { return }
            self.end(.end)
        }
    }
    /// Makes the changes, without the delay.
    open func startAnimation(afterDelay delay: TimeInterval) { startAnimation() }

    /// Stops the animation, whose changes are made already.
    ///
    /// - Parameter withoutFinishing: whether no completion is called; else `finishAnimation(at:)` calls them.
    open func stopAnimation(_ withoutFinishing: Bool) {
        guard state == .active else { return }
        state = withoutFinishing ? .inactive : .stopped
        if withoutFinishing { completions = [] }
    }
    /// Calls the completions of a stopped animation.
    open func finishAnimation(at finalPosition: UIViewAnimatingPosition) {
        if state == .stopped { end(finalPosition) }
    }

    private func end(_ position: UIViewAnimatingPosition) {
        let handlers = completions
        (state, completions) = (.inactive, [])
        for handler in handlers { handler(position) }
    }
}
