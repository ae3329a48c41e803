// UINavigationController: a stack of controllers, the topmost of which is visible.

import Foundation

/// A stack of controllers.
@MainActor @preconcurrency open class UINavigationController: UIViewController {
    open var viewControllers: [UIViewController] { children }
    open var topViewController: UIViewController? { children.last }
    open var visibleViewController: UIViewController? { topViewController?.presentedViewController ?? topViewController }
    open var isNavigationBarHidden = false

    public convenience init(rootViewController: UIViewController) {
        self.init(nibName: nil, bundle: nil)
        pushViewController(rootViewController, animated: false)
    }

    open func pushViewController(_ controller: UIViewController, animated: Bool) {
        let former = topViewController
        addChild(controller)
        if appearance == .visible {
            former?.disappear(animated)
            controller.appear(animated)
        }
        controller.didMove(toParent: self)
        noteChange()
    }

    /// Takes the topmost away, unless it is the only one.
    @discardableResult open func popViewController(animated: Bool) -> UIViewController? {
        guard children.count > 1, let top = topViewController else { return nil }
        top.disappear(animated)
        top.willMove(toParent: nil)
        top.removeFromParent()
        if appearance == .visible { topViewController?.appear(animated) }
        noteChange()
        return top
    }

    open override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        topViewController?.appear(animated)
    }

    open override func viewWillDisappear(_ animated: Bool) {
        super.viewWillDisappear(animated)
        topViewController?.disappear(animated)
    }
}
