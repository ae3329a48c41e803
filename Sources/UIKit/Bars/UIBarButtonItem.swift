// UIBarButtonItem: a button of a navigation bar or toolbar.

public import Foundation

/// An item of a bar.
@MainActor @preconcurrency open class UIBarItem: NSObject {
    open var title: String? { didSet { InterfaceChanges.note() } }
    open var image: UIImage?
    /// The image for a low bar, which is not shown.
    open var landscapeImagePhone: UIImage?
    open var isEnabled = true { didSet { InterfaceChanges.note() } }
    open var tag = 0
    open var accessibilityIdentifier: String?
    open var accessibilityLabel: String?

    /// Has no effect.
    open func setTitleTextAttributes(_ attributes: [NSAttributedString.Key: Any]?, for state: UIControl.State) {}
    open func awakeFromNib() {}
}

extension UIBarButtonItem: AppearanceAdopting {}

/// A button of a bar. It is shown in the view that its bar belongs to, and a tap on its title or identifier calls its
/// target.
@MainActor @preconcurrency open class UIBarButtonItem: UIBarItem {
    public enum Style: Int, Sendable { case plain, bordered, done }

    public enum SystemItem: Int, Sendable {
        case done, cancel, edit, save, add, flexibleSpace, fixedSpace, compose, reply, action, organize, bookmarks,
            search, refresh
        case stop, camera, trash, play, pause, rewind, fastForward, undo, redo, pageCurl, close
    }

    open var style = Style.plain
    open var customView: UIView?
    open var tintColor: UIColor?
    open var width: CGFloat = 0
    /// The target, which is not retained. Nil stands for the first responder, from the controller on, that responds to
    /// the action.
    open weak var target: AnyObject?
    open var action: Selector?
    open var primaryAction: UIAction?
    open var menu: UIMenu?
    open var isHidden = false
    var system: SystemItem?

    public override init() {
        super.init()
        AppearanceProxies.apply(to: self)
    }

    /// Makes an empty item: there is no archive to decode.
    public required init?(coder: NSCoder) {
        super.init()
        AppearanceProxies.apply(to: self)
    }

    func adopt(_ prototype: NSObject, _ pristine: NSObject) {
        if let tint = (prototype as? UIBarButtonItem)?.tintColor { tintColor = tint }
    }

    public convenience init(title: String?, style: Style, target: Any?, action: Selector?) {
        self.init()
        self.title = title
        self.style = style
        set(target, action)
    }

    public convenience init(image: UIImage?, style: Style, target: Any?, action: Selector?) {
        self.init()
        self.image = image
        self.style = style
        set(target, action)
    }

    public convenience init(
        image: UIImage?, landscapeImagePhone: UIImage?, style: Style, target: Any?, action: Selector?
    ) {
        self.init(image: image, style: style, target: target, action: action)
        self.landscapeImagePhone = landscapeImagePhone
    }

    public convenience init(barButtonSystemItem system: SystemItem, target: Any?, action: Selector?) {
        self.init()
        self.system = system
        if system == .done || system == .save { style = .done }
        set(target, action)
    }

    public convenience init(customView: UIView) {
        self.init()
        self.customView = customView
    }

    public convenience init(
        title: String? = nil, image: UIImage? = nil, primaryAction: UIAction?, menu: UIMenu? = nil
    ) {
        self.init()
        self.title = title ?? primaryAction?.title
        self.image = image
        self.primaryAction = primaryAction
        self.menu = menu
    }

    public convenience init(systemItem: SystemItem, primaryAction: UIAction? = nil, menu: UIMenu? = nil) {
        self.init()
        system = systemItem
        self.primaryAction = primaryAction
        self.menu = menu
    }

    public class func flexibleSpace() -> Self { space(.flexibleSpace) }
    public class func fixedSpace(_ width: CGFloat) -> Self {
        let item = space(.fixedSpace)
        item.width = width
        return item
    }

    private class func space(_ system: SystemItem) -> Self {
        let item = makeObject(of: self)
        item.system = system
        return item
    }

    private func set(_ target: Any?, _ action: Selector?) {
        self.target = target as AnyObject?
        self.action = action
    }

    /// The title that is shown. Nil for a space. A system item shows its English name.
    var shownTitle: String? {
        if let title { return title }
        guard let system else { return accessibilityLabel }
        guard system != .flexibleSpace, system != .fixedSpace else { return nil }
        let name = "\(system)"
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    /// Does what a person's tap does. Ours.
    func tap(from responder: UIResponder) {
        if let primaryAction { return primaryAction.perform(by: self) }
        if let action { responder.send(action, to: target, from: self) }
    }
}
