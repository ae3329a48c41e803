// UIFeedbackGenerator: haptic feedback and accessibility, which have no effect here.

public import Foundation

/// A generator of haptic feedback. A shell: nothing is felt.
@MainActor @preconcurrency open class UIFeedbackGenerator: NSObject {
    public override init() { super.init() }
    open func prepare() {}
}

@MainActor @preconcurrency open class UIImpactFeedbackGenerator: UIFeedbackGenerator {
    public enum FeedbackStyle: Int, Sendable { case light, medium, heavy, soft, rigid }
    public convenience init(style: FeedbackStyle) { self.init() }
    open func impactOccurred() {}
    open func impactOccurred(intensity: CGFloat) {}
}

@MainActor @preconcurrency open class UINotificationFeedbackGenerator: UIFeedbackGenerator {
    public enum FeedbackType: Int, Sendable { case success, warning, error }
    open func notificationOccurred(_ type: FeedbackType) {}
}

@MainActor @preconcurrency open class UISelectionFeedbackGenerator: UIFeedbackGenerator {
    open func selectionChanged() {}
}

/// The accessibility settings. None is on here.
@MainActor @preconcurrency public enum UIAccessibility {
    public struct Notification: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static var screenChanged: Notification { Notification(rawValue: 1000) }
        public static var layoutChanged: Notification { Notification(rawValue: 1001) }
        public static var announcement: Notification { Notification(rawValue: 1008) }
    }
    public static var isVoiceOverRunning: Bool { false }
    public static var isReduceMotionEnabled: Bool { false }
    public static var isReduceTransparencyEnabled: Bool { false }
    public static func post(notification: Notification, argument: Any?) {}
}

public func UIAccessibilityIsReduceTransparencyEnabled() -> Bool { false }
