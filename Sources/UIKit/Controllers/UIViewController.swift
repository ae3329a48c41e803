// UIViewController: the life cycle of a view as state: loaded, appearing, visible, disappeared.

public import Foundation

/// A view controller, without a screen.
///
/// The life-cycle methods are called as for a visible view, in the documented order, and nothing is drawn.
///
/// An extension's principal class is made on the main actor for each request. It gets `beginRequest(with:)`, then its
/// view is loaded and appears (spec 1.4); after the request's end it disappears. `init(coder:)` decodes nothing: a
/// storyboard sets the values afterwards.
@MainActor @preconcurrency open class UIViewController: UIResponder, @preconcurrency NSExtensionRequestHandling {
    enum Appearance { case hidden, appearing, visible, disappearing }

    open var title: String? { didSet { noteChange() } }
    /// The preferred size in points. It has no effect.
    open var preferredContentSize = CGSize.zero
    open var modalPresentationStyle = UIModalPresentationStyle.automatic
    open var modalTransitionStyle = UIModalTransitionStyle.coverVertical
    open var isModalInPresentation = false
    open var definesPresentationContext = false
    open var providesPresentationContextTransitionStyle = false
    open var edgesForExtendedLayout = UIRectEdge.all
    open var automaticallyAdjustsScrollViewInsets = true
    open var additionalSafeAreaInsets = UIEdgeInsets.zero
    open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified
    open weak var transitioningDelegate: (any UIViewControllerTransitioningDelegate)?
    open var toolbarItems: [UIBarButtonItem]? { didSet { noteChange() } }
    open var isEditing = false
    open var nibName: String? { ownNib.name }
    open var nibBundle: Bundle? { ownNib.bundle }
    private let ownNib: (name: String?, bundle: Bundle?)
    open private(set) lazy var navigationItem = UINavigationItem()
    open private(set) lazy var presentationController: UIPresentationController? = UIPresentationController(
        presentedViewController: self, presenting: presentingViewController)

    open private(set) weak var parent: UIViewController?
    open private(set) var children: [UIViewController] = []
    open private(set) var presentedViewController: UIViewController?
    open private(set) weak var presentingViewController: UIViewController?

    private var loadedView: UIView?
    private var ownContext: NSExtensionContext?
    private(set) var appearance = Appearance.hidden
    /// The window that shows a root controller. The host's window lives as long as the controller.
    private var ownWindow: UIWindow?
    private var isLeaving = false

    public init(nibName: String?, bundle: Bundle?) {
        ownNib = (nibName, bundle)
        super.init()
    }

    public required init?(coder: NSCoder) {
        ownNib = (nil, nil)
        super.init()
    }

    /// Makes an object of a principal class, by `init(nibName:bundle:)` of a subclass that has initializers of its own.
    public convenience override init() { self.init(nibName: nil, bundle: nil) }

    // MARK: The view

    /// The view, loaded at the first use.
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

    /// Makes the view of a storyboard or a nib, or else an empty one of 375 by 667 points (ours: there is no screen to
    /// fill).
    open func loadView() {
        guard !loadDrawnView() else { return }
        view = UIView(frame: CGRect(x: 0, y: 0, width: 375, height: 667))
    }

    // MARK: Storyboards

    /// The part of a storyboard that describes this controller.
    var drawing: ControllerDrawing?

    /// Whether a control's segue is performed. `performSegue(withIdentifier:sender:)` does not call it, as documented.
    open func shouldPerformSegue(withIdentifier identifier: String, sender: Any?) -> Bool { true }
    open func prepare(for segue: UIStoryboardSegue, sender: Any?) {}

    /// Performs a segue. A name that the storyboard lacks ends the process, as on Apple's systems.
    open func performSegue(withIdentifier identifier: String, sender: Any?) {
        guard let segue = drawnSegue(identifier) else {
            fatalError("\(String(reflecting: type(of: self))) has no segue with identifier '\(identifier)'")
        }
        perform(segue, sender: sender)
    }

    open func viewDidLoad() {}
    open func viewIsAppearing(_ animated: Bool) {}
    open func viewWillAppear(_ animated: Bool) {}
    open func viewWillLayoutSubviews() {}
    open func viewDidLayoutSubviews() {}
    open func viewDidAppear(_ animated: Bool) {}
    open func viewWillDisappear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}
    /// Has no effect: a process that uses too much memory is killed, so nothing calls it.
    open func didReceiveMemoryWarning() {}
    open func updateViewConstraints() {}
    open func viewSafeAreaInsetsDidChange() {}
    open func viewLayoutMarginsDidChange() {}

    open var topLayoutGuide: any UILayoutSupport { view.safeAreaLayoutGuide }
    open var bottomLayoutGuide: any UILayoutSupport { view.safeAreaLayoutGuide }

    open func setEditing(_ editing: Bool, animated: Bool) { isEditing = editing }
    /// The button that switches `isEditing`.
    open private(set) lazy var editButtonItem = UIBarButtonItem(
        systemItem: .edit,
        primaryAction: UIAction { [weak self] _ in self.map { $0.setEditing(!$0.isEditing, animated: true) } })

    // MARK: What never changes: called by nobody

    open var traitCollection: UITraitCollection { .current }
    open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}
    open func viewWillTransition(to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator) {}
    open func willTransition(
        to newCollection: UITraitCollection, with coordinator: any UIViewControllerTransitionCoordinator
    ) {}
    open func willRotate(to orientation: UIInterfaceOrientation, duration: TimeInterval) {}
    open func didRotate(from orientation: UIInterfaceOrientation) {}
    open func preferredContentSizeDidChange(forChildContentContainer container: any UIContentContainer) {}
    open var interfaceOrientation: UIInterfaceOrientation { .portrait }
    open var shouldAutorotate: Bool { true }
    open var supportedInterfaceOrientations: UIInterfaceOrientationMask { .allButUpsideDown }
    open var preferredStatusBarStyle: UIStatusBarStyle { .default }
    open var prefersStatusBarHidden: Bool { false }
    open var prefersHomeIndicatorAutoHidden: Bool { false }
    open var transitionCoordinator: (any UIViewControllerTransitionCoordinator)? { nil }
    open func setNeedsStatusBarAppearanceUpdate() {}
    open func setNeedsUpdateOfHomeIndicatorAutoHidden() {}

    // MARK: Keys

    /// The commands that were added; nil if there are none.
    open override var keyCommands: [UIKeyCommand]? { ownKeyCommands.isEmpty ? nil : ownKeyCommands }
    private var ownKeyCommands: [UIKeyCommand] = []
    open func addKeyCommand(_ command: UIKeyCommand) { ownKeyCommands.append(command) }
    open func removeKeyCommand(_ command: UIKeyCommand) { ownKeyCommands.removeAll { $0 === command } }

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

    /// The view around its own, else its parent, the presenting controller, or the window.
    open override var next: UIResponder? {
        if let outer = loadedView?.superview { return outer }
        if let holder = parent ?? presentingViewController { return holder }
        if let ownWindow { return ownWindow }
        return ownContext == nil ? nil : UIApplication.own
    }

    /// The window that shows it, its parent or the presenting controller.
    final var hostWindow: UIWindow? { ownWindow ?? parent?.hostWindow ?? presentingViewController?.hostWindow }
    final func join(_ window: UIWindow?) { ownWindow = window }

    open var isBeingPresented: Bool { appearance == .appearing && presentingViewController != nil }
    open var isBeingDismissed: Bool { isLeaving && presentingViewController != nil }
    open var isMovingToParent: Bool { appearance == .appearing && parent != nil }
    open var isMovingFromParent: Bool { isLeaving && parent != nil }
    open var splitViewController: UIViewController? { nil }
    open var tabBarController: UIViewController? { nil }
    open var popoverPresentationController: UIPopoverPresentationController? {
        modalPresentationStyle == .popover ? popover : nil
    }
    private lazy var popover = UIPopoverPresentationController(
        presentedViewController: self, presenting: presentingViewController)
    open var sheetPresentationController: UISheetPresentationController? { sheet }
    private lazy var sheet = UISheetPresentationController(
        presentedViewController: self, presenting: presentingViewController)

    /// Lets the controller appear if its view has joined a visible one.
    final func viewDidJoin() {
        if parent?.appearance == .visible { appear(false) }
    }

    open var navigationController: UINavigationController? {
        (parent as? UINavigationController) ?? parent?.navigationController
    }

    // MARK: Presentation

    /// Presents another controller above this one; `completion` is called once it has appeared.
    ///
    /// Only one controller is presented at a time: for a second one, a line in the log reports the refusal, as on
    /// Apple's systems.
    open func present(_ controller: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {
        guard presentedViewController == nil else {
            return NSLog("%@", "\(self) already presents \(presentedViewController as Any): \(controller) is not shown")
        }
        presentedViewController = controller
        controller.presentingViewController = self
        controller.appear(animated)
        noteChange()
        completion?()
    }

    /// Dismisses the controller that this one presents, or else this controller itself.
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
        presented.isLeaving = true
        presented.disappear(animated)
        presented.isLeaving = false
        presentedViewController = nil
        presented.presentingViewController = nil
        noteChange()
        completion?()
    }

    open func show(_ controller: UIViewController, sender: Any?) {
        if let navigationController {
            navigationController.pushViewController(controller, animated: true)
        } else {
            present(controller, animated: true)
        }
    }

    // MARK: The extension

    /// The request of this controller, of one that holds it, or of one that presents it. Nil if there is none.
    open var extensionContext: NSExtensionContext? {
        ownContext ?? parent?.extensionContext ?? presentingViewController?.extensionContext
    }

    /// Begins a request, before the view is loaded. An override need not call `super`: `extensionContext` is set
    /// already.
    open func beginRequest(with context: NSExtensionContext) {}

    package func join(_ context: NSExtensionContext) {
        ownContext = context
        ServedRequest.shared.context = context
    }

    // MARK: Its life

    /// Loads the view, and lets it appear unless it has.
    package final func appear(_ animated: Bool) {
        guard appearance == .hidden else { return }
        loadViewIfNeeded()
        appearance = .appearing
        viewWillAppear(animated)
        viewIsAppearing(animated)
        if let loadedView { Self.tellWindow(loadedView) }
        updateViewConstraints()
        viewWillLayoutSubviews()
        loadedView?.layoutIfNeeded()
        viewDidLayoutSubviews()
        appearance = .visible
        viewDidAppear(animated)
        for child in children where child.isShown(in: self) { child.appear(animated) }
        noteChange()
    }

    private func isShown(in parent: UIViewController) -> Bool {
        guard let loadedView, let outer = parent.loadedView else { return false }
        return loadedView.isDescendant(of: outer)
    }

    private static func tellWindow(_ view: UIView) {
        view.didMoveToWindow()
        for inner in view.subviews { tellWindow(inner) }
    }

    package final func disappear(_ animated: Bool) {
        guard appearance == .visible else { return }
        appearance = .disappearing
        viewWillDisappear(animated)
        for child in children { child.disappear(animated) }
        appearance = .hidden
        viewDidDisappear(animated)
        noteChange()
    }

    /// Reports a change. Every property that a viewer of the controller could see calls it.
    nonisolated package final func noteChange() {
        MainThread.check()
        InterfaceChanges.note()
    }
}

extension UIViewController: InterfacePrincipal {
    package func present() {
        join(UIWindow(hosting: self))
        appear(true)
    }

    package func takeDown() {
        if presentedViewController != nil { dismiss(animated: true) }
        disappear(true)
        join(nil as UIWindow?)
    }
}
