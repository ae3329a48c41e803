// UIAlertController: a question with a few answers.

public import Foundation

/// One answer to an alert.
@MainActor @preconcurrency open class UIAlertAction: NSObject {
    public enum Style: Int, Sendable { case `default`, cancel, destructive }

    public let title: String?
    public let style: Style
    open var isEnabled = true
    private let handler: ((UIAlertAction) -> Void)?

    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
        self.title = title
        self.style = style
        self.handler = handler
    }

    func perform() { handler?(self) }
}

/// An alert or a sheet of actions, presented like any controller and answered by one of its actions.
@MainActor @preconcurrency open class UIAlertController: UIViewController {
    public enum Style: Int, Sendable { case actionSheet, alert }

    open var message: String? { didSet { noteChange() } }
    public private(set) var preferredStyle = Style.alert
    public private(set) var actions: [UIAlertAction] = []
    /// The action of the return key. It has no effect.
    open var preferredAction: UIAlertAction?
    open private(set) var textFields: [UITextField]?

    public convenience init(title: String?, message: String?, preferredStyle: Style) {
        self.init(nibName: nil, bundle: nil)
        self.title = title
        self.message = message
        self.preferredStyle = preferredStyle
    }

    open func addAction(_ action: UIAlertAction) {
        actions.append(action)
        noteChange()
    }

    /// Adds a text field to the alert's view, after the handler has configured it.
    open func addTextField(configurationHandler: ((UITextField) -> Void)? = nil) {
        let field = UITextField()
        configurationHandler?(field)
        textFields = (textFields ?? []) + [field]
        view.addSubview(field)
    }

    /// Does what a person's tap on an answer does: dismisses the alert, then calls the answer's handler (observed).
    /// Ours.
    package func choose(_ action: UIAlertAction) {
        guard action.isEnabled, actions.contains(where: { $0 === action }) else { return }
        dismiss(animated: true)
        action.perform()
    }
}
