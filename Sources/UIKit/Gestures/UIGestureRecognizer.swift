// UIGestureRecognizer: what is called when a view is touched in some way.

public import Foundation

/// Asked what a gesture may do. Every method has a body, in place of Objective-C's optional ones, and none is called
/// but the first.
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

/// A gesture. Headless: a tap on its view by name recognizes a tap; the others are kept, and nobody makes them.
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
    private var actions: [(target: () -> AnyObject?, selector: Selector)] = []

    public init(target: Any?, action: Selector?) {
        super.init()
        if let target, let action { addTarget(target, action: action) }
    }

    public convenience override init() { self.init(target: nil, action: nil) }

    /// The target is not kept alive.
    open func addTarget(_ target: Any, action: Selector) {
        weak let object = target as AnyObject
        actions.append(({ object }, action))
    }

    open func removeTarget(_ target: Any?, action: Selector?) {
        let object = target as AnyObject?
        actions.removeAll { (object == nil || $0.target() === object) && (action == nil || $0.selector == action) }
    }

    open func require(toFail otherGestureRecognizer: UIGestureRecognizer) {}
    /// The middle of the view that the gesture is made on.
    open func location(in view: UIView?) -> CGPoint {
        guard let own = self.view else { return .zero }
        return own.convert(CGPoint(x: own.bounds.midX, y: own.bounds.midY), to: view)
    }
    open var numberOfTouches: Int { 0 }

    /// What a person does who makes the gesture: it is recognized, and its targets are called. Ours.
    package func recognize() {
        guard isEnabled, delegate?.gestureRecognizerShouldBegin(self) ?? true else { return }
        state = .ended
        for action in actions { action.target().map { _ = SelectorCall.send($0, action.selector, self) } }
        state = .possible
    }
}

/// Taps.
@MainActor @preconcurrency open class UITapGestureRecognizer: UIGestureRecognizer {
    open var numberOfTapsRequired = 1
    open var numberOfTouchesRequired = 1
}

/// A finger that stays.
@MainActor @preconcurrency open class UILongPressGestureRecognizer: UIGestureRecognizer {
    open var numberOfTapsRequired = 0
    open var numberOfTouchesRequired = 1
    /// In seconds.
    open var minimumPressDuration: TimeInterval = 0.5
}

/// A finger that moves.
@MainActor @preconcurrency open class UIPanGestureRecognizer: UIGestureRecognizer {
    private var moved = CGPoint.zero

    open func translation(in view: UIView?) -> CGPoint { moved }
    open func setTranslation(_ translation: CGPoint, in view: UIView?) { moved = translation }
    open func velocity(in view: UIView?) -> CGPoint { .zero }
}

/// A finger that moves from an edge of the screen.
@MainActor @preconcurrency open class UIScreenEdgePanGestureRecognizer: UIPanGestureRecognizer {
    open var edges: UIRectEdge = []
}

/// A finger that moves fast in one direction.
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

/// Two fingers that move apart.
@MainActor @preconcurrency open class UIPinchGestureRecognizer: UIGestureRecognizer {
    open var scale: CGFloat = 1
    open var velocity: CGFloat { 0 }
}
