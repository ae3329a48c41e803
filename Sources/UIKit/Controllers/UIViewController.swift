// UIViewController: the life of a view as state: loaded, appearing, visible, gone.

public import Foundation

/// A view controller. Headless: its life cycle is called as for a view that is shown, in the documented order, and nothing is drawn.
///
/// As an extension's principal class it is made on the main actor for each request, gets `beginRequest(with:)`, then its view is loaded
/// and appears (spec 1.4); after the request's end it disappears. There are no storyboards: `init(coder:)` decodes nothing.
@MainActor @preconcurrency open class UIViewController: UIResponder, @preconcurrency NSExtensionRequestHandling {
    enum Appearance { case hidden, appearing, visible, disappearing }

    open var title: String? { didSet { noteChange() } }
    /// In points; carried only.
    open var preferredContentSize = CGSize.zero
    open var modalPresentationStyle = UIModalPresentationStyle.automatic
    open var modalTransitionStyle = UIModalTransitionStyle.coverVertical
    public let nibName: String?
    public let navigationItem = UINavigationItem()

    open private(set) weak var parent: UIViewController?
    open private(set) var children: [UIViewController] = []
    open private(set) var presentedViewController: UIViewController?
    open private(set) weak var presentingViewController: UIViewController?

    private var loadedView: UIView?
    private var ownContext: NSExtensionContext?
    private(set) var appearance = Appearance.hidden

    public init(nibName: String?, bundle: Bundle?) {
        self.nibName = nibName
        super.init()
    }

    public required init?(coder: NSCoder) {
        nibName = nil
        super.init()
    }

    /// By which a principal class's object is made: `init(nibName:bundle:)` of a subclass that has initializers of its own.
    public convenience override init() { self.init(nibName: nil, bundle: nil) }

    // MARK: The view

    /// Loads the view at the first use.
    open var view: UIView! {
        get {
            loadViewIfNeeded()
            return loadedView
        }
        set {
            loadedView?.controller = nil
            loadedView = newValue
            newValue?.controller = self
            noteChange()
        }
    }

    open var viewIfLoaded: UIView? { loadedView }
    open var isViewLoaded: Bool { loadedView != nil }

    open func loadViewIfNeeded() {
        guard loadedView == nil else { return }
        loadView()
        viewDidLoad()
    }

    /// Makes an empty view of 375 by 667 points (ours: there is no screen to fill).
    open func loadView() { view = UIView(frame: CGRect(x: 0, y: 0, width: 375, height: 667)) }

    open func viewDidLoad() {}
    open func viewWillAppear(_ animated: Bool) {}
    open func viewWillLayoutSubviews() {}
    open func viewDidLayoutSubviews() {}
    open func viewDidAppear(_ animated: Bool) {}
    open func viewWillDisappear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}
    /// Never called: a process that holds too much memory is ended.
    open func didReceiveMemoryWarning() {}

    // MARK: Containment

    open func addChild(_ child: UIViewController) {
        child.willMove(toParent: self)
        child.parent?.children.removeAll { $0 === child }
        child.parent = self
        children.append(child)
    }

    open func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
        didMove(toParent: nil)
    }

    open func willMove(toParent parent: UIViewController?) {}
    open func didMove(toParent parent: UIViewController?) {}

    open override var next: UIResponder? { parent ?? presentingViewController }

    open var navigationController: UINavigationController? {
        (parent as? UINavigationController) ?? parent?.navigationController
    }

    // MARK: Presentation

    /// Shows another controller above this one; `completion` is called once it has appeared. One at a time: another is not shown, and a
    /// line of the log says so, as on Apple's systems.
    open func present(_ controller: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {
        guard presentedViewController == nil else {
            return NSLog("%@", "\(self) presents \(presentedViewController as Any) already: \(controller) is not shown")
        }
        presentedViewController = controller
        controller.presentingViewController = self
        controller.appear(animated)
        noteChange()
        completion?()
    }

    /// Takes away what this controller presents; if it presents nothing, this controller itself.
    open func dismiss(animated: Bool, completion: (() -> Void)? = nil) {
        guard let presented = presentedViewController else {
            if let presenter = presentingViewController {
                presenter.dismiss(animated: animated, completion: completion)
            } else {
                completion?()
            }
            return
        }
        if presented.presentedViewController != nil { presented.dismiss(animated: animated) }
        presented.disappear(animated)
        presentedViewController = nil
        presented.presentingViewController = nil
        noteChange()
        completion?()
    }

    // MARK: The extension

    /// The request in which this controller, one that holds it or one that presents it takes part; else nil.
    open var extensionContext: NSExtensionContext? {
        ownContext ?? parent?.extensionContext ?? presentingViewController?.extensionContext
    }

    /// Called before the view is loaded. An override need not call it: `extensionContext` is set already.
    open func beginRequest(with context: NSExtensionContext) {}

    package func join(_ context: NSExtensionContext) { ownContext = context }

    // MARK: Its life

    /// Loads the view, and lets it appear unless it has.
    package final func appear(_ animated: Bool) {
        guard appearance == .hidden else { return }
        loadViewIfNeeded()
        appearance = .appearing
        viewWillAppear(animated)
        viewWillLayoutSubviews()
        loadedView?.layoutIfNeeded()
        viewDidLayoutSubviews()
        appearance = .visible
        viewDidAppear(animated)
        noteChange()
    }

    package final func disappear(_ animated: Bool) {
        guard appearance == .visible else { return }
        appearance = .disappearing
        viewWillDisappear(animated)
        appearance = .hidden
        viewDidDisappear(animated)
        noteChange()
    }

    /// Called by every property that somebody who looks at the controller could see.
    nonisolated package final func noteChange() {
        MainThread.check()
        InterfaceChanges.note()
    }
}

/// How a controller is shown above another. Carried only.
public enum UIModalPresentationStyle: Int, Sendable {
    case fullScreen, pageSheet, formSheet, currentContext, custom, overFullScreen, overCurrentContext, popover
    case none = -1
    case automatic = -2
}

/// How it comes. Carried only.
public enum UIModalTransitionStyle: Int, Sendable { case coverVertical, flipHorizontal, crossDissolve, partialCurl }

/// What a navigation bar would show of a controller.
@MainActor @preconcurrency open class UINavigationItem: NSObject {
    open var title: String?
    open var prompt: String?
}
