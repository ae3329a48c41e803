// UIGestureRecognizer: recognizers of gestures on a view.

public import Foundation

/// The source of permissions for a gesture. Every method has a body, in place of Objective-C's optional ones, and only
/// the first is ever called.
@MainActor @preconcurrency public protocol UIGestureRecognizerDelegate: NSObjectProtocol {
    func gestureRecognizerShouldBegin(_ gestureRecognizer: UIGestureRecognizer) -> Bool
    func gestureRecognizer(_ gestureRecognizer: UIGestureRecognizer, shouldReceive touch: UITouch) -> Bool
    func gestureRecognizer(
        _ gestureRecognizer: UIGestureRecognizer,
        shouldRecognizeSimultaneouslyWith otherGestureRecognizer: UIGestureRecognizer
    ) -> Bool
}

extension UIGestureRecognizerDelegate {
    public func gestureRecognizerShouldBegin(_ gestureRecognizer: UIGestureRecognizer) -> Bool { true }
    public func gestureRecognizer(_ gestureRecognizer: UIGestureRecognizer, shouldReceive touch: UITouch) -> Bool {
        true
    }
    public func gestureRecognizer(
        _ gestureRecognizer: UIGestureRecognizer,
        shouldRecognizeSimultaneouslyWith otherGestureRecognizer: UIGestureRecognizer
    ) -> Bool { false }
}

/// A gesture, without a screen. A tap on its view by name triggers a tap recognizer; other recognizers are stored and
/// never triggered.
@MainActor @preconcurrency open class UIGestureRecognizer: NSObject {
    public enum State: Int, Sendable {
        case possible, began, changed, ended, cancelled, failed

        public static var recognized: State { .ended }
    }

    open weak var delegate: (any UIGestureRecognizerDelegate)?
    open internal(set) weak var view: UIView?
    open var state = State.possible
    open var isEnabled = true
    open var name: String?
    open var cancelsTouchesInView = true
    open var delaysTouchesBegan = false
    open var delaysTouchesEnded = true
    private var actions: [(target: () -> AnyObject?, selector: Selector)] = []

    public init(target: Any?, action: Selector?) {
        super.init()
        if let target, let action { addTarget(target, action: action) }
    }

    public convenience override init() { self.init(target: nil, action: nil) }

    /// Adds an action. The target is not retained.
    open func addTarget(_ target: Any, action: Selector) {
        weak let object = target as AnyObject
        actions.append(({ object }, action))
    }

    open func removeTarget(_ target: Any?, action: Selector?) {
        let object = target as AnyObject?
        actions.removeAll { (object == nil || $0.target() === object) && (action == nil || $0.selector == action) }
    }

    open func require(toFail otherGestureRecognizer: UIGestureRecognizer) {}
    /// Returns the middle of the view on which the gesture is made.
    open func location(in view: UIView?) -> CGPoint {
        guard let own = self.view else { return .zero }
        return own.convert(CGPoint(x: own.bounds.midX, y: own.bounds.midY), to: view)
    }
    open var numberOfTouches: Int { 0 }

    /// Triggers the gesture, as a person does: it is recognized, and its actions are called. Ours.
    package func recognize() {
        guard isEnabled, delegate?.gestureRecognizerShouldBegin(self) ?? true else { return }
        state = .ended
        for action in actions { action.target().map { _ = SelectorCall.send($0, action.selector, self) } }
        state = .possible
    }
}

/// A recognizer of taps.
@MainActor @preconcurrency open class UITapGestureRecognizer: UIGestureRecognizer {
    open var numberOfTapsRequired = 1
    open var numberOfTouchesRequired = 1
}

/// A recognizer of a finger that stays.
@MainActor @preconcurrency open class UILongPressGestureRecognizer: UIGestureRecognizer {
    open var numberOfTapsRequired = 0
    open var numberOfTouchesRequired = 1
    /// The duration in seconds.
    open var minimumPressDuration: TimeInterval = 0.5
}

/// A recognizer of a finger that moves.
@MainActor @preconcurrency open class UIPanGestureRecognizer: UIGestureRecognizer {
    private var moved = CGPoint.zero

    open func translation(in view: UIView?) -> CGPoint { moved }
    open func setTranslation(_ translation: CGPoint, in view: UIView?) { moved = translation }
    open func velocity(in view: UIView?) -> CGPoint { .zero }
}

/// A recognizer of a finger that moves from an edge of the screen.
@MainActor @preconcurrency open class UIScreenEdgePanGestureRecognizer: UIPanGestureRecognizer {
    open var edges: UIRectEdge = []
}

/// A recognizer of a finger that moves fast in one direction.
@MainActor @preconcurrency open class UISwipeGestureRecognizer: UIGestureRecognizer {
    public struct Direction: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var right: Direction { Direction(rawValue: 1) }
        public static var left: Direction { Direction(rawValue: 2) }
        public static var up: Direction { Direction(rawValue: 4) }
        public static var down: Direction { Direction(rawValue: 8) }
    }

    open var direction = Direction.right
    open var numberOfTouchesRequired = 1
}

/// A recognizer of two fingers that move apart.
@MainActor @preconcurrency open class UIPinchGestureRecognizer: UIGestureRecognizer {
    open var scale: CGFloat = 1
    open var velocity: CGFloat { 0 }
}
