// OldNames: names of Swift 3 and 4.0 for which Apple's compiler still suggests the new ones, for sources of that age.

public import Foundation

public typealias NSLayoutAttribute = NSLayoutConstraint.Attribute
public typealias NSLayoutRelation = NSLayoutConstraint.Relation
public typealias NSLayoutFormatOptions = NSLayoutConstraint.FormatOptions
public typealias UILayoutConstraintAxis = NSLayoutConstraint.Axis
public typealias UIControlEvents = UIControl.Event
public typealias UIControlState = UIControl.State
public typealias UIViewContentMode = UIView.ContentMode
public typealias UIViewAutoresizing = UIView.AutoresizingMask
public typealias UIViewAnimationOptions = UIView.AnimationOptions
public typealias UIButtonType = UIButton.ButtonType
public typealias UIImageOrientation = UIImage.Orientation
public typealias UIImageRenderingMode = UIImage.RenderingMode
public typealias UIAlertActionStyle = UIAlertAction.Style
public typealias UIAlertControllerStyle = UIAlertController.Style
public typealias UITableViewStyle = UITableView.Style
public typealias UITableViewCellStyle = UITableViewCell.CellStyle
public typealias UITableViewCellAccessoryType = UITableViewCell.AccessoryType
public typealias UITableViewCellEditingStyle = UITableViewCell.EditingStyle
public typealias UITableViewRowAnimation = UITableView.RowAnimation
public typealias UITableViewScrollPosition = UITableView.ScrollPosition
public typealias UIBarButtonSystemItem = UIBarButtonItem.SystemItem
public typealias UIBarButtonItemStyle = UIBarButtonItem.Style
public typealias UIFontTextStyle = UIFont.TextStyle
public typealias UIGestureRecognizerState = UIGestureRecognizer.State
public typealias UIApplicationLaunchOptionsKey = UIApplication.LaunchOptionsKey
public typealias UIApplicationOpenURLOptionsKey = UIApplication.OpenURLOptionsKey
public typealias NSAttributedStringKey = NSAttributedString.Key
public typealias RunLoopMode = RunLoop.Mode

extension RunLoop.Mode {
    public static var commonModes: RunLoop.Mode { .common }
    public static var defaultRunLoopMode: RunLoop.Mode { .default }
}

/// Literals of a priority, which was a number once.
extension UILayoutPriority: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    public init(integerLiteral value: Int) { self.init(Float(value)) }
    public init(floatLiteral value: Float) { self.init(value) }
}

public var UITableViewAutomaticDimension: CGFloat { -1 }
public var UIViewNoIntrinsicMetric: CGFloat { -1 }
public var UILayoutFittingCompressedSize: CGSize { .zero }
public var UIEdgeInsetsZero: UIEdgeInsets { .zero }

public func UIEdgeInsetsMake(_ top: CGFloat, _ left: CGFloat, _ bottom: CGFloat, _ right: CGFloat) -> UIEdgeInsets {
    UIEdgeInsets(top: top, left: left, bottom: bottom, right: right)
}
public func UIEdgeInsetsInsetRect(_ rect: CGRect, _ insets: UIEdgeInsets) -> CGRect { rect.inset(by: insets) }

extension NSNotification.Name {
    public static var UIKeyboardWillShow: NSNotification.Name { UIResponder.keyboardWillShowNotification }
    public static var UIKeyboardDidShow: NSNotification.Name { UIResponder.keyboardDidShowNotification }
    public static var UIKeyboardWillHide: NSNotification.Name { UIResponder.keyboardWillHideNotification }
    public static var UIKeyboardDidHide: NSNotification.Name { UIResponder.keyboardDidHideNotification }
    public static var UIApplicationDidBecomeActive: NSNotification.Name { UIApplication.didBecomeActiveNotification }
    public static var UIApplicationWillResignActive: NSNotification.Name { UIApplication.willResignActiveNotification }
    public static var UIApplicationDidEnterBackground: NSNotification.Name {
        UIApplication.didEnterBackgroundNotification
    }
    public static var UIApplicationWillEnterForeground: NSNotification.Name {
        UIApplication.willEnterForegroundNotification
    }
}

public var UIKeyboardFrameEndUserInfoKey: String { UIResponder.keyboardFrameEndUserInfoKey }
public var UIKeyboardAnimationDurationUserInfoKey: String { UIResponder.keyboardAnimationDurationUserInfoKey }
public var UIKeyboardAnimationCurveUserInfoKey: String { UIResponder.keyboardAnimationCurveUserInfoKey }

extension UIViewController {
    public final var childViewControllers: [UIViewController] { children }
    public final func addChildViewController(_ child: UIViewController) { addChild(child) }
    public final func removeFromParentViewController() { removeFromParent() }
    public final func didMove(toParentViewController parent: UIViewController?) { didMove(toParent: parent) }
    public final func willMove(toParentViewController parent: UIViewController?) { willMove(toParent: parent) }
}

extension UIView {
    public final func bringSubview(toFront view: UIView) { bringSubviewToFront(view) }
    public final func sendSubview(toBack view: UIView) { sendSubviewToBack(view) }
}
