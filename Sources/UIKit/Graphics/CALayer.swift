// CALayer: the few properties that controllers set on the layer of a view.

public import Foundation

/// A view's layer. A shell: what is set is kept, and nothing is drawn.
@MainActor @preconcurrency open class CALayer: NSObject {
    open var cornerRadius: CGFloat = 0
    open var borderWidth: CGFloat = 0
    open var borderColor: CGColor?
    open var backgroundColor: CGColor?
    open var masksToBounds = false
    open var opacity: Float = 1
    open var shadowOpacity: Float = 0
    open var shadowRadius: CGFloat = 0
    open var shadowOffset = CGSize(width: 0, height: -3)
    open var shadowColor: CGColor?
}
