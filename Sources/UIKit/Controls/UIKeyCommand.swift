// UIKeyCommand: key commands, and the menu above a selected text. No person uses them here.

public import ExtensionFoundation
public import Foundation

/// The keys that are held while another is pressed.
public struct UIKeyModifierFlags: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static var alphaShift: UIKeyModifierFlags { UIKeyModifierFlags(rawValue: 1 << 16) }
    public static var shift: UIKeyModifierFlags { UIKeyModifierFlags(rawValue: 1 << 17) }
    public static var control: UIKeyModifierFlags { UIKeyModifierFlags(rawValue: 1 << 18) }
    public static var alternate: UIKeyModifierFlags { UIKeyModifierFlags(rawValue: 1 << 19) }
    public static var command: UIKeyModifierFlags { UIKeyModifierFlags(rawValue: 1 << 20) }
    public static var numericPad: UIKeyModifierFlags { UIKeyModifierFlags(rawValue: 1 << 21) }
}

/// A menu item with a selector. A shell: it is stored, and no person chooses it.
@MainActor @preconcurrency open class UICommand: UIMenuElement {
    public let action: Selector
    public let propertyList: Any?
    open var discoverabilityTitle: String?
    open var attributes: UIMenuElement.Attributes
    open var state: UIMenuElement.State

    public init(
        title: String = "", image: UIImage? = nil, action: Selector, propertyList: Any? = nil,
        discoverabilityTitle: String? = nil, attributes: UIMenuElement.Attributes = [],
        state: UIMenuElement.State = .off
    ) {
        self.action = action
        self.propertyList = propertyList
        self.discoverabilityTitle = discoverabilityTitle
        self.attributes = attributes
        self.state = state
        super.init(title, image)
    }
}

/// A key with an action. A shell: its responder stores it, and no key is pressed.
@MainActor @preconcurrency open class UIKeyCommand: UICommand {
    public nonisolated static var inputUpArrow: String { "UIKeyInputUpArrow" }
    public nonisolated static var inputDownArrow: String { "UIKeyInputDownArrow" }
    public nonisolated static var inputLeftArrow: String { "UIKeyInputLeftArrow" }
    public nonisolated static var inputRightArrow: String { "UIKeyInputRightArrow" }
    public nonisolated static var inputEscape: String { "UIKeyInputEscape" }
    public nonisolated static var inputPageUp: String { "UIKeyInputPageUp" }
    public nonisolated static var inputPageDown: String { "UIKeyInputPageDown" }
    public nonisolated static var inputHome: String { "UIKeyInputHome" }
    public nonisolated static var inputEnd: String { "UIKeyInputEnd" }
    public nonisolated static var inputDelete: String { "UIKeyInputDelete" }

    public let input: String?
    public let modifierFlags: UIKeyModifierFlags
    /// Has no effect.
    open var wantsPriorityOverSystemBehavior = false

    public init(
        title: String = "", image: UIImage? = nil, action: Selector, input: String,
        modifierFlags: UIKeyModifierFlags = [], propertyList: Any? = nil, discoverabilityTitle: String? = nil,
        attributes: UIMenuElement.Attributes = [], state: UIMenuElement.State = .off
    ) {
        self.input = input
        self.modifierFlags = modifierFlags
        super.init(
            title: title, image: image, action: action, propertyList: propertyList,
            discoverabilityTitle: discoverabilityTitle, attributes: attributes, state: state)
    }

    public convenience init(input: String, modifierFlags: UIKeyModifierFlags, action: Selector) {
        self.init(title: "", action: action, input: input, modifierFlags: modifierFlags)
    }

    public convenience init(
        input: String, modifierFlags: UIKeyModifierFlags, action: Selector, discoverabilityTitle: String
    ) {
        self.init(
            title: "", action: action, input: input, modifierFlags: modifierFlags,
            discoverabilityTitle: discoverabilityTitle)
    }
}

/// An entry of the menu above a selected text.
@MainActor @preconcurrency open class UIMenuItem: NSObject {
    open var title: String
    open var action: Selector

    public init(title: String, action: Selector) {
        self.title = title
        self.action = action
    }
}

/// The menu above a selected text. A shell: its items and its visibility are stored, and no person sees or chooses
/// them.
@MainActor @preconcurrency open class UIMenuController: NSObject {
    public nonisolated static var willShowMenuNotification: NSNotification.Name {
        NSNotification.Name("UIMenuControllerWillShowMenuNotification")
    }
    public nonisolated static var didShowMenuNotification: NSNotification.Name {
        NSNotification.Name("UIMenuControllerDidShowMenuNotification")
    }
    public nonisolated static var willHideMenuNotification: NSNotification.Name {
        NSNotification.Name("UIMenuControllerWillHideMenuNotification")
    }
    public nonisolated static var didHideMenuNotification: NSNotification.Name {
        NSNotification.Name("UIMenuControllerDidHideMenuNotification")
    }

    private static let own = UIMenuController()
    open class var shared: UIMenuController { own }

    open var menuItems: [UIMenuItem]?
    open private(set) var isMenuVisible = false
    open var menuFrame: CGRect { .zero }

    open func showMenu(from view: UIView, rect: CGRect) { change(true) }
    open func hideMenu() { change(false) }
    open func hideMenu(from view: UIView) { change(false) }
    /// Has no effect.
    open func setTargetRect(_ rect: CGRect, in view: UIView) {}
    open func setMenuVisible(_ isVisible: Bool, animated: Bool) { change(isVisible) }
    /// Has no effect.
    open func update() {}

    private func change(_ isVisible: Bool) {
        guard isVisible != isMenuVisible else { return }
        let names =
            isVisible
            ? [Self.willShowMenuNotification, Self.didShowMenuNotification]
            : [Self.willHideMenuNotification, Self.didHideMenuNotification]
        NotificationCenter.default.post(name: names[0], object: self)
        isMenuVisible = isVisible
        NotificationCenter.default.post(name: names[1], object: self)
    }
}
