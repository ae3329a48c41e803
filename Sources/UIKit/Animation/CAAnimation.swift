// CAAnimation: animations of layers, stored and never run.

import ExtensionFoundation
public import Foundation

public struct CAMediaTimingFunctionName: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var linear: CAMediaTimingFunctionName { CAMediaTimingFunctionName(rawValue: "linear") }
    public static var easeIn: CAMediaTimingFunctionName { CAMediaTimingFunctionName(rawValue: "easeIn") }
    public static var easeOut: CAMediaTimingFunctionName { CAMediaTimingFunctionName(rawValue: "easeOut") }
    public static var easeInEaseOut: CAMediaTimingFunctionName { CAMediaTimingFunctionName(rawValue: "easeInEaseOut") }
    public static let `default` = CAMediaTimingFunctionName(rawValue: "default")
}

open class CAMediaTimingFunction: NSObject {
    public init(name: CAMediaTimingFunctionName) {}
    public init(controlPoints c1x: Float, _ c1y: Float, _ c2x: Float, _ c2y: Float) {}
}

public struct CAMediaTimingFillMode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var forwards: CAMediaTimingFillMode { CAMediaTimingFillMode(rawValue: "forwards") }
    public static var backwards: CAMediaTimingFillMode { CAMediaTimingFillMode(rawValue: "backwards") }
    public static var both: CAMediaTimingFillMode { CAMediaTimingFillMode(rawValue: "both") }
    public static var removed: CAMediaTimingFillMode { CAMediaTimingFillMode(rawValue: "removed") }
}

/// A duration in seconds.

/// The observer of an animation. Every method has a body that does nothing.
@MainActor @preconcurrency public protocol CAAnimationDelegate: NSObjectProtocol {
    func animationDidStart(_ anim: CAAnimation)
    func animationDidStop(_ anim: CAAnimation, finished flag: Bool)
}

extension CAAnimationDelegate {
    public func animationDidStart(_ anim: CAAnimation) {}
    public func animationDidStop(_ anim: CAAnimation, finished flag: Bool) {}
}

/// An animation. A shell: its values are stored, and nothing moves. It ends after the present work of the main queue.
open class CAAnimation: NSObject {
    open var duration: CFTimeInterval = 0
    open var beginTime: CFTimeInterval = 0
    open var repeatCount: Float = 0
    open var autoreverses = false
    open var fillMode = CAMediaTimingFillMode.removed
    open var timingFunction: CAMediaTimingFunction?
    open var isRemovedOnCompletion = true
    /// The delegate. The animation retains it (documented).
    open var delegate: (any CAAnimationDelegate)?
    /// The values of any key (documented).
    package final var storedValues: [String: Any] = [:]
    public override init() { super.init() }
}

extension CAAnimation: KeyValueContainer {}

open class CAPropertyAnimation: CAAnimation {
    open var keyPath: String?
    public convenience init(keyPath: String?) {
        self.init()
        self.keyPath = keyPath
    }
}

open class CABasicAnimation: CAPropertyAnimation {
    open var fromValue: Any?
    open var toValue: Any?
    open var byValue: Any?
}

open class CAKeyframeAnimation: CAPropertyAnimation {
    open var values: [Any]?
    open var keyTimes: [NSNumber]?
    open var timingFunctions: [CAMediaTimingFunction]?
}

public struct CATransitionType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var fade: CATransitionType { CATransitionType(rawValue: "fade") }
    public static var push: CATransitionType { CATransitionType(rawValue: "push") }
    public static var moveIn: CATransitionType { CATransitionType(rawValue: "moveIn") }
    public static var reveal: CATransitionType { CATransitionType(rawValue: "reveal") }
}

public struct CATransitionSubtype: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var fromLeft: CATransitionSubtype { CATransitionSubtype(rawValue: "fromLeft") }
    public static var fromRight: CATransitionSubtype { CATransitionSubtype(rawValue: "fromRight") }
    public static var fromTop: CATransitionSubtype { CATransitionSubtype(rawValue: "fromTop") }
    public static var fromBottom: CATransitionSubtype { CATransitionSubtype(rawValue: "fromBottom") }
}

open class CATransition: CAAnimation {
    open var type = CATransitionType.fade
    open var subtype: CATransitionSubtype?
}

/// A group of layer changes. A shell: the changes take effect at once, and `commit()` calls the completion block.
@MainActor @preconcurrency open class CATransaction: NSObject {
    private static var blocks: [(() -> Void)?] = []

    open class func begin() { blocks.append(nil) }
    open class func commit() { blocks.popLast()??() }
    open class func flush() {}
    open class func setDisableActions(_ flag: Bool) {}
    open class func setAnimationDuration(_ duration: TimeInterval) {}
    open class func setAnimationTimingFunction(_ function: CAMediaTimingFunction?) {}
    open class func setCompletionBlock(_ block: (() -> Void)?) {
        guard !blocks.isEmpty else { return block?() ?? () }
        blocks[blocks.count - 1] = block
    }
}

/// Returns the seconds since the system started.
public func CACurrentMediaTime() -> TimeInterval { ProcessInfo.processInfo.systemUptime }

/// A timer for frames. A shell: there are no frames, so it never fires.
open class CADisplayLink: NSObject {
    open var isPaused = false
    open var duration: TimeInterval { 0 }
    open var timestamp: TimeInterval { CACurrentMediaTime() }
    public init(target: Any, selector: Selector) {}
    open func add(to runloop: RunLoop, forMode mode: RunLoop.Mode) {}
    open func remove(from runloop: RunLoop, forMode mode: RunLoop.Mode) {}
    open func invalidate() {}
}
