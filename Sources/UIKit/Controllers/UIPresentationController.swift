// UIPresentationController: the presentation of a controller above another, as stored values.

public import Foundation

/// The style of a presentation. It has no effect.
public enum UIModalPresentationStyle: Int, Sendable {
    case fullScreen, pageSheet, formSheet, currentContext, custom, overFullScreen, overCurrentContext, popover
    case none = -1
    case automatic = -2
}

/// The transition of a presentation. It has no effect.
public enum UIModalTransitionStyle: Int, Sendable { case coverVertical, flipHorizontal, crossDissolve, partialCurl }

/// The style of the absent status bar. It has no effect.
public enum UIStatusBarStyle: Int, Sendable { case `default`, lightContent, blackOpaque, darkContent }

/// A presentation. A shell: its values are stored, and nothing calls its delegate.
///
/// It retains neither controller, since the presented one retains it. After they have gone, new controllers take their
/// place.
@MainActor @preconcurrency open class UIPresentationController: NSObject {
    private weak var presented: UIViewController?
    private weak var presenting: UIViewController?
    open var presentedViewController: UIViewController { presented ?? UIViewController() }
    open var presentingViewController: UIViewController { presenting ?? presentedViewController }
    open weak var delegate: (any UIAdaptivePresentationControllerDelegate)?

    public init(presentedViewController: UIViewController, presenting presentingViewController: UIViewController?) {
        presented = presentedViewController
        presenting = presentingViewController
        super.init()
    }

    open var containerView: UIView? { presentingViewController.viewIfLoaded }
    open var presentedView: UIView? { presentedViewController.viewIfLoaded }
    open var frameOfPresentedViewInContainerView: CGRect { containerView?.bounds ?? .zero }
    open var presentationStyle: UIModalPresentationStyle { presentedViewController.modalPresentationStyle }
    open func presentationTransitionWillBegin() {}
    open func presentationTransitionDidEnd(_ completed: Bool) {}
    open func dismissalTransitionWillBegin() {}
    open func dismissalTransitionDidEnd(_ completed: Bool) {}
    open func containerViewWillLayoutSubviews() {}
    open func containerViewDidLayoutSubviews() {}
}

/// The source of a presentation's adaptations. Nothing calls it; every method has a body, in place of Objective-C's
/// optional ones.
@MainActor @preconcurrency public protocol UIAdaptivePresentationControllerDelegate: NSObjectProtocol {
    func adaptivePresentationStyle(for controller: UIPresentationController) -> UIModalPresentationStyle
    func presentationControllerShouldDismiss(_ presentationController: UIPresentationController) -> Bool
    func presentationControllerWillDismiss(_ presentationController: UIPresentationController)
    func presentationControllerDidDismiss(_ presentationController: UIPresentationController)
    func presentationControllerDidAttemptToDismiss(_ presentationController: UIPresentationController)
}

extension UIAdaptivePresentationControllerDelegate {
    public func adaptivePresentationStyle(for controller: UIPresentationController) -> UIModalPresentationStyle {
        .none
    }
    public func presentationControllerShouldDismiss(_ presentationController: UIPresentationController) -> Bool { true }
    public func presentationControllerWillDismiss(_ presentationController: UIPresentationController) {}
    public func presentationControllerDidDismiss(_ presentationController: UIPresentationController) {}
    public func presentationControllerDidAttemptToDismiss(_ presentationController: UIPresentationController) {}
}

/// The direction of a popover's arrow. It has no effect.
public struct UIPopoverArrowDirection: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var up: UIPopoverArrowDirection { UIPopoverArrowDirection(rawValue: 1) }
    public static var down: UIPopoverArrowDirection { UIPopoverArrowDirection(rawValue: 2) }
    public static var left: UIPopoverArrowDirection { UIPopoverArrowDirection(rawValue: 4) }
    public static var right: UIPopoverArrowDirection { UIPopoverArrowDirection(rawValue: 8) }
    public static var any: UIPopoverArrowDirection { [.up, .down, .left, .right] }
}

@MainActor @preconcurrency
public protocol UIPopoverPresentationControllerDelegate: UIAdaptivePresentationControllerDelegate {}

@MainActor @preconcurrency open class UIPopoverPresentationController: UIPresentationController {
    open var sourceView: UIView?
    open var sourceRect = CGRect.null
    open var barButtonItem: UIBarButtonItem?
    open var permittedArrowDirections = UIPopoverArrowDirection.any
    /// Has no effect: nothing is touched.
    open var passthroughViews: [UIView]?
}

@MainActor @preconcurrency open class UISheetPresentationController: UIPresentationController {
    /// A height at which a sheet rests.
    @MainActor @preconcurrency open class Detent: NSObject {
        open class func medium() -> Detent { Detent() }
        open class func large() -> Detent { Detent() }
    }
    open var detents: [Detent] = []
    open var prefersGrabberVisible = false
}

/// The animations beside a transition. None is ever made.
@MainActor @preconcurrency public protocol UIViewControllerTransitionCoordinator: NSObjectProtocol {
    @discardableResult func animate(
        alongsideTransition animation: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?,
        completion: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?
    ) -> Bool
}

extension UIViewControllerTransitionCoordinator {
    @discardableResult public func animate(
        alongsideTransition animation: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?
    ) -> Bool { animate(alongsideTransition: animation, completion: nil) }
}

@MainActor @preconcurrency public protocol UIViewControllerTransitionCoordinatorContext: NSObjectProtocol {
    var isAnimated: Bool { get }
    var isCancelled: Bool { get }
}

/// The source of custom transitions. Nothing calls it.
@MainActor @preconcurrency public protocol UIViewControllerTransitioningDelegate: NSObjectProtocol {}

/// A container for the content of other controllers.
@MainActor @preconcurrency public protocol UIContentContainer: NSObjectProtocol {
    var preferredContentSize: CGSize { get }
}

extension UIViewController: UIContentContainer {}
