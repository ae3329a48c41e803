// UINavigationController: a stack of controllers, the topmost of which is visible.

public import Foundation

/// The observer of a stack's changes. Every method has a body, in place of Objective-C's optional ones.
@MainActor @preconcurrency public protocol UINavigationControllerDelegate: NSObjectProtocol {
    func navigationController(
        _ navigationController: UINavigationController, willShow viewController: UIViewController, animated: Bool)
    func navigationController(
        _ navigationController: UINavigationController, didShow viewController: UIViewController, animated: Bool)
}

extension UINavigationControllerDelegate {
    public func navigationController(
        _ navigationController: UINavigationController, willShow viewController: UIViewController, animated: Bool
    ) {}
    public func navigationController(
        _ navigationController: UINavigationController, didShow viewController: UIViewController, animated: Bool
    ) {}
}

/// A stack of controllers. Its view holds the topmost one's view, below a bar with that one's items.
@MainActor @preconcurrency open class UINavigationController: UIViewController {
    open weak var delegate: (any UINavigationControllerDelegate)?
    open var topViewController: UIViewController? { children.last }
    open var visibleViewController: UIViewController? {
        topViewController?.presentedViewController ?? topViewController
    }
    open private(set) lazy var navigationBar = UINavigationBar(frame: CGRect(x: 0, y: 20, width: 375, height: 44))
    open private(set) lazy var toolbar: UIToolbar! = UIToolbar(frame: CGRect(x: 0, y: 623, width: 375, height: 44))
    open var isNavigationBarHidden = false { didSet { navigationBar.isHidden = isNavigationBarHidden } }
    open var isToolbarHidden = true { didSet { showTop() } }
    open private(set) lazy var interactivePopGestureRecognizer: UIGestureRecognizer? =
        UIScreenEdgePanGestureRecognizer()

    /// The controllers, of which the first is at the bottom.
    open var viewControllers: [UIViewController] {
        get { children }
        set { setViewControllers(newValue, animated: false) }
    }

    public convenience init(rootViewController: UIViewController) {
        self.init(nibName: nil, bundle: nil)
        pushViewController(rootViewController, animated: false)
    }

    public convenience init(navigationBarClass: AnyClass?, toolbarClass: AnyClass?) {
        self.init(nibName: nil, bundle: nil)
    }

    open override func loadView() {
        super.loadView()
        navigationBar.stack = self
        view.addSubview(navigationBar)
        view.addSubview(toolbar)
        showTop()
    }

    /// Loads the view of the topmost controller, and removes those of the others.
    private func showTop() {
        guard let view = viewIfLoaded else { return }
        for child in children.dropLast() { child.viewIfLoaded?.removeFromSuperview() }
        if let shown = topViewController?.view, shown.superview !== view {
            shown.frame = view.bounds
            view.insertSubview(shown, aboveSubview: navigationBar)
        }
        toolbar.items = topViewController?.toolbarItems
        toolbar.isHidden = isToolbarHidden
    }

    open func setViewControllers(_ controllers: [UIViewController], animated: Bool) {
        if controllers.last !== topViewController { topViewController?.disappear(animated) }
        for child in children {
            child.viewIfLoaded?.removeFromSuperview()
            child.removeFromParent()
        }
        for controller in controllers { addChild(controller) }
        show(animated)
        for controller in controllers { controller.didMove(toParent: self) }
    }

    open func setNavigationBarHidden(_ hidden: Bool, animated: Bool) { isNavigationBarHidden = hidden }
    open func setToolbarHidden(_ hidden: Bool, animated: Bool) { isToolbarHidden = hidden }

    /// Shows the new topmost controller.
    private func show(_ animated: Bool) {
        if let top = topViewController { delegate?.navigationController(self, willShow: top, animated: animated) }
        showTop()
        if appearance == .visible { topViewController?.appear(animated) }
        if let top = topViewController { delegate?.navigationController(self, didShow: top, animated: animated) }
        noteChange()
    }

    open func pushViewController(_ controller: UIViewController, animated: Bool) {
        let former = topViewController
        addChild(controller)
        former?.disappear(animated)
        show(animated)
        controller.didMove(toParent: self)
    }

    /// Removes the topmost controller, unless it is the only one.
    @discardableResult open func popViewController(animated: Bool) -> UIViewController? {
        guard children.count > 1, let top = topViewController else { return nil }
        remove(top, animated)
        show(animated)
        return top
    }

    @discardableResult open func popToRootViewController(animated: Bool) -> [UIViewController]? {
        children.first.flatMap { popToViewController($0, animated: animated) }
    }

    @discardableResult open func popToViewController(_ controller: UIViewController, animated: Bool)
        -> [UIViewController]?
    {
        guard let place = children.firstIndex(where: { $0 === controller }) else { return nil }
        let popped = Array(children[(place + 1)...])
        for child in popped.reversed() { remove(child, animated) }
        show(animated)
        return popped
    }

    private func remove(_ child: UIViewController, _ animated: Bool) {
        child.disappear(animated)
        child.willMove(toParent: nil)
        child.viewIfLoaded?.removeFromSuperview()
        child.removeFromParent()
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
