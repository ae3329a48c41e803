// UIResponder: the common base of views, controllers and the application.

public import Foundation

/// What may have the focus. Headless: a responder that is asked to become the first one is it until it resigns, and no other is asked.
@MainActor @preconcurrency open class UIResponder: NSObject {
    /// Who is asked next; views answer their superview, controllers their parent.
    open var next: UIResponder? { nil }
    public private(set) var isFirstResponder = false

    public override init() { super.init() }

    @discardableResult open func becomeFirstResponder() -> Bool {
        isFirstResponder = true
        return true
    }

    @discardableResult open func resignFirstResponder() -> Bool {
        isFirstResponder = false
        return true
    }
}
