// UINavigationBar, UIToolbar: bars with buttons, and UINavigationItem, the part that a controller provides.

public import Foundation

/// The look of a bar. It has no effect.
public enum UIBarStyle: Int, Sendable { case `default`, black }
public enum UIBarPosition: Int, Sendable { case any, bottom, top, topAttached }

/// A bar that has a place. None of the kit's bars asks for it.
@MainActor @preconcurrency public protocol UIBarPositioning: NSObjectProtocol {
    var barPosition: UIBarPosition { get }
}

/// The delegate of such a bar. It is not asked.
@MainActor @preconcurrency public protocol UIBarPositioningDelegate: NSObjectProtocol {
    /// Returns the place of a bar.
    func position(for bar: any UIBarPositioning) -> UIBarPosition
}

extension UIBarPositioningDelegate {
    public func position(for bar: any UIBarPositioning) -> UIBarPosition { .any }
}

public enum UIBarMetrics: Int, Sendable { case `default`, compact, defaultPrompt = 101, compactPrompt }

/// The look of a bar. It has no effect.
@MainActor @preconcurrency open class UIBarAppearance: NSObject {
    open var backgroundColor: UIColor?
    open var shadowColor: UIColor?
    open var shadowImage: UIImage?
    public override init() { super.init() }
    open func configureWithDefaultBackground() {}
    open func configureWithOpaqueBackground() {}
    open func configureWithTransparentBackground() {}
}

@MainActor @preconcurrency open class UINavigationBarAppearance: UIBarAppearance {
    open var titleTextAttributes: [NSAttributedString.Key: Any] = [:]
    open var largeTitleTextAttributes: [NSAttributedString.Key: Any] = [:]
}

@MainActor @preconcurrency open class UIToolbarAppearance: UIBarAppearance {}

/// A bar that shows the items of controllers, or its own. Its look has no effect.
@MainActor @preconcurrency open class UINavigationBar: UIView {
    open var barStyle = UIBarStyle.default
    open var isTranslucent = true
    open var barTintColor: UIColor?
    open var prefersLargeTitles = false
    open var titleTextAttributes: [NSAttributedString.Key: Any]?
    open var largeTitleTextAttributes: [NSAttributedString.Key: Any]?
    open var shadowImage: UIImage?
    open var backIndicatorImage: UIImage?
    open var standardAppearance = UINavigationBarAppearance() { didSet { hasOwnAppearance = true } }
    private var hasOwnAppearance = false
    open var compactAppearance: UINavigationBarAppearance?
    open var scrollEdgeAppearance: UINavigationBarAppearance?
    private var ownItems: [UINavigationItem] = []
    package weak var stack: UINavigationController?

    override func adopt(_ prototype: NSObject, _ pristine: NSObject) {
        super.adopt(prototype, pristine)
        guard let prototype = prototype as? UINavigationBar, let pristine = pristine as? UINavigationBar else { return }
        barTintColor = AppearanceProxies.merged(barTintColor, prototype.barTintColor, pristine.barTintColor)
        barStyle = AppearanceProxies.merged(barStyle, prototype.barStyle, pristine.barStyle)
        isTranslucent = AppearanceProxies.merged(isTranslucent, prototype.isTranslucent, pristine.isTranslucent)
        titleTextAttributes = AppearanceProxies.merged(
            titleTextAttributes, prototype.titleTextAttributes, pristine.titleTextAttributes)
        largeTitleTextAttributes = AppearanceProxies.merged(
            largeTitleTextAttributes, prototype.largeTitleTextAttributes, pristine.largeTitleTextAttributes)
        shadowImage = AppearanceProxies.merged(shadowImage, prototype.shadowImage, pristine.shadowImage)
        backIndicatorImage = AppearanceProxies.merged(
            backIndicatorImage, prototype.backIndicatorImage, pristine.backIndicatorImage)
        if prototype.hasOwnAppearance { standardAppearance = prototype.standardAppearance }
        compactAppearance = AppearanceProxies.merged(
            compactAppearance, prototype.compactAppearance, pristine.compactAppearance)
        scrollEdgeAppearance = AppearanceProxies.merged(
            scrollEdgeAppearance, prototype.scrollEdgeAppearance, pristine.scrollEdgeAppearance)
    }

    /// The items: those of its controller's children if it has a controller, else its own.
    open var items: [UINavigationItem]? {
        get { stack?.viewControllers.map(\.navigationItem) ?? ownItems }
        set {
            ownItems = newValue ?? []
            noteChange()
        }
    }
    open var topItem: UINavigationItem? { items?.last }
    open var backItem: UINavigationItem? { items?.dropLast().last }

    open func setItems(_ items: [UINavigationItem]?, animated: Bool) { self.items = items }
    open func pushItem(_ item: UINavigationItem, animated: Bool) { ownItems.append(item) }
    @discardableResult open func popItem(animated: Bool) -> UINavigationItem? { ownItems.popLast() }
    open func setBackgroundImage(_ image: UIImage?, for metrics: UIBarMetrics) {}

    override var barItems: [UIBarButtonItem] { topItem?.barItems ?? [] }
}

/// A bar of buttons. Its look has no effect.
@MainActor @preconcurrency open class UIToolbar: UIView {
    open var items: [UIBarButtonItem]? { didSet { noteChange() } }
    open var barStyle = UIBarStyle.default
    open var isTranslucent = true
    open var barTintColor: UIColor?
    open var standardAppearance = UIToolbarAppearance() { didSet { hasOwnAppearance = true } }
    private var hasOwnAppearance = false
    open var scrollEdgeAppearance: UIToolbarAppearance?

    override func adopt(_ prototype: NSObject, _ pristine: NSObject) {
        super.adopt(prototype, pristine)
        guard let prototype = prototype as? UIToolbar, let pristine = pristine as? UIToolbar else { return }
        barTintColor = AppearanceProxies.merged(barTintColor, prototype.barTintColor, pristine.barTintColor)
        barStyle = AppearanceProxies.merged(barStyle, prototype.barStyle, pristine.barStyle)
        isTranslucent = AppearanceProxies.merged(isTranslucent, prototype.isTranslucent, pristine.isTranslucent)
        if prototype.hasOwnAppearance { standardAppearance = prototype.standardAppearance }
        scrollEdgeAppearance = AppearanceProxies.merged(
            scrollEdgeAppearance, prototype.scrollEdgeAppearance, pristine.scrollEdgeAppearance)
    }

    open func setItems(_ items: [UIBarButtonItem]?, animated: Bool) { self.items = items }
    open func setBackgroundImage(
        _ image: UIImage?, forToolbarPosition position: UIBarPosition, barMetrics: UIBarMetrics
    ) {}
    open func setShadowImage(_ image: UIImage?, forToolbarPosition position: UIBarPosition) {}

    override var barItems: [UIBarButtonItem] { items ?? [] }
}

/// A controller's part of the bar above it.
@MainActor @preconcurrency open class UINavigationItem: NSObject {
    public enum LargeTitleDisplayMode: Int, Sendable { case automatic, always, never, inline }

    open var title: String? { didSet { InterfaceChanges.note() } }
    open var prompt: String?
    open var titleView: UIView? { didSet { InterfaceChanges.note() } }
    open var backBarButtonItem: UIBarButtonItem?
    open var backButtonTitle: String?
    open var hidesBackButton = false
    open var largeTitleDisplayMode = LargeTitleDisplayMode.automatic
    open var standardAppearance: UINavigationBarAppearance?
    open var scrollEdgeAppearance: UINavigationBarAppearance?
    open var compactAppearance: UINavigationBarAppearance?
    open var leftBarButtonItems: [UIBarButtonItem]? { didSet { InterfaceChanges.note() } }
    open var rightBarButtonItems: [UIBarButtonItem]? { didSet { InterfaceChanges.note() } }

    public override init() { super.init() }

    public init(title: String) {
        self.title = title
        super.init()
    }

    public required init?(coder: NSCoder) { super.init() }

    open var leftBarButtonItem: UIBarButtonItem? {
        get { leftBarButtonItems?.first }
        set { leftBarButtonItems = newValue.map { [$0] } }
    }
    open var rightBarButtonItem: UIBarButtonItem? {
        get { rightBarButtonItems?.first }
        set { rightBarButtonItems = newValue.map { [$0] } }
    }

    open func setLeftBarButton(_ item: UIBarButtonItem?, animated: Bool) { leftBarButtonItem = item }
    open func setRightBarButton(_ item: UIBarButtonItem?, animated: Bool) { rightBarButtonItem = item }
    open func setLeftBarButtonItems(_ items: [UIBarButtonItem]?, animated: Bool) { leftBarButtonItems = items }
    open func setRightBarButtonItems(_ items: [UIBarButtonItem]?, animated: Bool) { rightBarButtonItems = items }
    open func setHidesBackButton(_ hides: Bool, animated: Bool) { hidesBackButton = hides }

    var barItems: [UIBarButtonItem] { (leftBarButtonItems ?? []) + (rightBarButtonItems ?? []).reversed() }
}
