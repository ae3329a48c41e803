// UIResponder: the common base of views, controllers and the application.

public import ExtensionFoundation
public import Foundation

/// An object that can have the focus.
///
/// A responder that is asked to become the first one stays it until it resigns, and no other is consulted.
@MainActor @preconcurrency open class UIResponder: NSObject, UIUserActivityRestoring {
    public nonisolated static var keyboardWillShowNotification: NSNotification.Name {
        .init("UIKeyboardWillShowNotification")
    }
    public nonisolated static var keyboardDidShowNotification: NSNotification.Name {
        .init("UIKeyboardDidShowNotification")
    }
    public nonisolated static var keyboardWillHideNotification: NSNotification.Name {
        .init("UIKeyboardWillHideNotification")
    }
    public nonisolated static var keyboardDidHideNotification: NSNotification.Name {
        .init("UIKeyboardDidHideNotification")
    }
    public nonisolated static var keyboardWillChangeFrameNotification: NSNotification.Name {
        NSNotification.Name("UIKeyboardWillChangeFrameNotification")
    }
    public nonisolated static var keyboardDidChangeFrameNotification: NSNotification.Name {
        NSNotification.Name("UIKeyboardDidChangeFrameNotification")
    }
    public nonisolated static var keyboardFrameBeginUserInfoKey: String { "UIKeyboardFrameBeginUserInfoKey" }
    public nonisolated static var keyboardFrameEndUserInfoKey: String { "UIKeyboardFrameEndUserInfoKey" }
    public nonisolated static var keyboardAnimationDurationUserInfoKey: String {
        "UIKeyboardAnimationDurationUserInfoKey"
    }
    public nonisolated static var keyboardAnimationCurveUserInfoKey: String { "UIKeyboardAnimationCurveUserInfoKey" }

    /// The next responder: for a view its controller or superview, for a controller the view around its own, and at the
    /// end the application.
    open var next: UIResponder? { nil }
    public private(set) var isFirstResponder = false

    public override init() { super.init() }

    /// Shows an activity that the app continues. The default does nothing.
    open func restoreUserActivityState(_ activity: NSUserActivity) {}

    open var canBecomeFirstResponder: Bool { false }
    open var canResignFirstResponder: Bool { true }

    @discardableResult open func becomeFirstResponder() -> Bool {
        isFirstResponder = true
        return true
    }

    @discardableResult open func resignFirstResponder() -> Bool {
        isFirstResponder = false
        return true
    }

    /// The view in place of the keyboard. Overrides have no effect: nothing is shown.
    open var inputView: UIView? { nil }
    open var inputAccessoryView: UIView? { nil }
    open func reloadInputViews() {}

    /// The keys that this responder has an action for. No person presses them.
    open var keyCommands: [UIKeyCommand]? { nil }

    open func canPerformAction(_ action: Selector, withSender sender: Any?) -> Bool { responds(to: action) }

    /// Returns the first responder, from this one on, that responds to the action.
    open func target(forAction action: Selector, withSender sender: Any?) -> Any? {
        canPerformAction(action, withSender: sender) ? self : next?.target(forAction: action, withSender: sender)
    }

    // Nothing calls these methods, since nothing is touched. They forward the touches, as on Apple's systems.
    open func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) { next?.touchesBegan(touches, with: event) }
    open func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) { next?.touchesMoved(touches, with: event) }
    open func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) { next?.touchesEnded(touches, with: event) }
    open func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) {
        next?.touchesCancelled(touches, with: event)
    }

    /// Reports that a storyboard has set the outlets of the object it made.
    open func awakeFromNib() {}

    /// Sends an action to its target, or to the first responder from here on that responds to it. An action that none
    /// responds to is dropped.
    final func send(_ action: Selector, to target: AnyObject?, from sender: AnyObject, _ event: UIEvent? = nil) {
        guard let receiver = target ?? self.target(forAction: action, withSender: sender) as AnyObject? else { return }
        SelectorCall.send(receiver, action, sender, event ?? UIEvent())
    }
}

/// A finger on the screen. A shell: nothing is touched.
@MainActor @preconcurrency open class UITouch: NSObject {
    public enum Phase: Int, Sendable { case began, moved, stationary, ended, cancelled }

    open var phase: Phase { .began }
    open var tapCount: Int { 1 }
    open var timestamp: TimeInterval { 0 }
    open var view: UIView? { nil }
    open var window: UIWindow? { nil }
    open func location(in view: UIView?) -> CGPoint { .zero }
    open func previousLocation(in view: UIView?) -> CGPoint { .zero }
}

/// The event of an action, its second argument. A shell without touches.
@MainActor @preconcurrency open class UIEvent: NSObject {
    public enum EventType: Int, Sendable { case touches, motion, remoteControl, presses }

    open var type: EventType { .touches }
    open var timestamp: TimeInterval { ProcessInfo.processInfo.systemUptime }
    open var allTouches: Set<UITouch>? { nil }
    open func touches(for view: UIView) -> Set<UITouch>? { nil }
}
