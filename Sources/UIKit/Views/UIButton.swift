// UIButton: a control with a title.

import Foundation

/// A button: titles are kept by state; a tap is `sendActions(for: .touchUpInside)`.
@MainActor @preconcurrency open class UIButton: UIControl {
    public enum ButtonType: Int, Sendable { case custom, system, detailDisclosure, infoLight, infoDark, contactAdd, close = 7 }

    public private(set) var buttonType = ButtonType.custom
    public let titleLabel: UILabel? = UILabel()
    private var titles: [State: String] = [:]

    public convenience init(type: ButtonType) {
        self.init(frame: .zero)
        buttonType = type
    }

    /// The action's title is the button's.
    public convenience init(type: ButtonType = .system, primaryAction: UIAction?) {
        self.init(type: type)
        guard let primaryAction else { return }
        setTitle(primaryAction.title, for: .normal)
        addAction(primaryAction, for: .primaryActionTriggered)
    }

    open func setTitle(_ title: String?, for state: State) {
        titles[state] = title
        titleLabel?.text = currentTitle
        noteChange()
    }

    open func title(for state: State) -> String? { titles[state] ?? titles[.normal] }
    open var currentTitle: String? { title(for: state) }
    open func setTitleColor(_ color: UIColor?, for state: State) {}

    /// A tap is the primary action too.
    open override func sendActions(for events: Event) {
        super.sendActions(for: events.contains(.touchUpInside) ? events.union(.primaryActionTriggered) : events)
    }
}
