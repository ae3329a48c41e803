// UIPageViewController: a controller that shows one of several others, and turns to the next or the previous one.

public import Foundation

/// The source of the pages before and after one. The methods for a page control are optional in Objective-C.
@MainActor @preconcurrency public protocol UIPageViewControllerDataSource: NSObjectProtocol {
    func pageViewController(
        _ pageViewController: UIPageViewController, viewControllerBefore viewController: UIViewController
    ) -> UIViewController?
    func pageViewController(
        _ pageViewController: UIPageViewController, viewControllerAfter viewController: UIViewController
    ) -> UIViewController?
    func presentationCount(for pageViewController: UIPageViewController) -> Int
    func presentationIndex(for pageViewController: UIPageViewController) -> Int
}

extension UIPageViewControllerDataSource {
    public func presentationCount(for pageViewController: UIPageViewController) -> Int { 0 }
    public func presentationIndex(for pageViewController: UIPageViewController) -> Int { 0 }
}

/// The observer of turns by a person. Every method has a body, in place of Objective-C's optional ones.
@MainActor @preconcurrency public protocol UIPageViewControllerDelegate: NSObjectProtocol {
    func pageViewController(
        _ pageViewController: UIPageViewController, willTransitionTo pendingViewControllers: [UIViewController])
    func pageViewController(
        _ pageViewController: UIPageViewController, didFinishAnimating finished: Bool,
        previousViewControllers: [UIViewController], transitionCompleted completed: Bool)
}

extension UIPageViewControllerDelegate {
    public func pageViewController(
        _ pageViewController: UIPageViewController, willTransitionTo pendingViewControllers: [UIViewController]
    ) {}
    public func pageViewController(
        _ pageViewController: UIPageViewController, didFinishAnimating finished: Bool,
        previousViewControllers: [UIViewController], transitionCompleted completed: Bool
    ) {}
}

/// A controller that shows one page at a time.
///
/// A person swipes; here the acts are taps on `nextPage` and `previousPage`. A controller with a data source shows both
/// as buttons.
@MainActor @preconcurrency open class UIPageViewController: UIViewController {
    public enum TransitionStyle: Int, Sendable { case pageCurl, scroll }
    public enum NavigationOrientation: Int, Sendable { case horizontal, vertical }
    public enum NavigationDirection: Int, Sendable { case forward, reverse }
    /// The place of the spine of a book. It has no effect.
    public enum SpineLocation: Int, Sendable { case none, min, mid, max }
    /// The key of an option. Options have no effect.
    public struct OptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var spineLocation: OptionsKey {
            OptionsKey(rawValue: "UIPageViewControllerOptionSpineLocationKey")
        }
        public static var interPageSpacing: OptionsKey {
            OptionsKey(rawValue: "UIPageViewControllerOptionInterPageSpacingKey")
        }
    }

    open weak var dataSource: (any UIPageViewControllerDataSource)? { didSet { noteChange() } }
    open weak var delegate: (any UIPageViewControllerDelegate)?
    open private(set) var transitionStyle = TransitionStyle.pageCurl
    open private(set) var navigationOrientation = NavigationOrientation.horizontal
    open var spineLocation: SpineLocation { transitionStyle == .scroll ? .none : .min }
    open var isDoubleSided = false
    open private(set) var viewControllers: [UIViewController]?
    /// The recognizers of swipes: none, because nothing is touched.
    open var gestureRecognizers: [UIGestureRecognizer] { [] }

    public init(
        transitionStyle style: TransitionStyle, navigationOrientation: NavigationOrientation,
        options: [OptionsKey: Any]? = nil
    ) {
        (transitionStyle, self.navigationOrientation) = (style, navigationOrientation)
        super.init(nibName: nil, bundle: nil)
    }

    public override init(nibName: String?, bundle: Bundle?) { super.init(nibName: nibName, bundle: bundle) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open override func loadView() {
        let pages = PageView(frame: CGRect(x: 0, y: 0, width: 375, height: 667))
        pages.pages = self
        view = pages
        showPages()
    }

    /// Shows other pages. The delegate is not called, as documented.
    open func setViewControllers(
        _ viewControllers: [UIViewController]?, direction: NavigationDirection, animated: Bool,
        completion: ((Bool) -> Void)? = nil
    ) {
        let former = self.viewControllers ?? []
        let shown = viewControllers ?? []
        for page in former where !shown.contains(page) {
            page.disappear(animated)
            page.willMove(toParent: nil)
            page.viewIfLoaded?.removeFromSuperview()
            page.removeFromParent()
        }
        self.viewControllers = viewControllers
        for page in shown where !former.contains(page) { addChild(page) }
        showPages()
        for page in shown where !former.contains(page) {
            if appearance == .visible { page.appear(animated) }
            page.didMove(toParent: self)
        }
        noteChange()
        guard let completion else { return }
        guard animated else { return completion(true) }
        // An animation ends after the present work.
        nonisolated(unsafe) let end = completion
        DispatchQueue.main.async { end(true) }
    }

    private func showPages() {
        guard let view = viewIfLoaded else { return }
        for page in viewControllers ?? [] {
            guard let shown = page.view, shown.superview !== view else { continue }
            shown.frame = view.bounds
            view.addSubview(shown)
        }
    }

    open override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        for page in viewControllers ?? [] { page.appear(animated) }
    }

    // MARK: Turns

    enum Turn: String, CaseIterable { case previousPage, nextPage }

    /// Turns a page as a person's swipe does. False if there is none in that direction.
    func turn(_ turn: Turn) -> Bool {
        guard let dataSource, let shown = viewControllers,
            let page = turn == .nextPage ? shown.last : shown.first
        else { return false }
        let next =
            turn == .nextPage
            ? dataSource.pageViewController(self, viewControllerAfter: page)
            : dataSource.pageViewController(self, viewControllerBefore: page)
        guard let next else { return false }
        delegate?.pageViewController(self, willTransitionTo: [next])
        setViewControllers([next], direction: turn == .nextPage ? .forward : .reverse, animated: true)
        delegate?.pageViewController(
            self, didFinishAnimating: true, previousViewControllers: shown, transitionCompleted: true)
        return true
    }
}

/// The view that holds the shown page.
final class PageView: UIView {
    weak var pages: UIPageViewController?

    /// The acts that turn a page; none without a data source.
    var turns: [UIPageViewController.Turn] {
        pages?.dataSource == nil ? [] : UIPageViewController.Turn.allCases
    }
}

// Names of Swift 3 and 4.0.
public typealias UIPageViewControllerTransitionStyle = UIPageViewController.TransitionStyle
public typealias UIPageViewControllerNavigationOrientation = UIPageViewController.NavigationOrientation
public typealias UIPageViewControllerNavigationDirection = UIPageViewController.NavigationDirection
public typealias UIPageViewControllerOptionsKey = UIPageViewController.OptionsKey
