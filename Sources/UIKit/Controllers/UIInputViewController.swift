// UIInputViewController: a keyboard.

public import Foundation

/// A keyboard's view.
@MainActor @preconcurrency open class UIInputView: UIView {
    public enum Style: Int, Sendable { case `default`, keyboard }
    open private(set) var inputViewStyle = Style.default
    /// Has no effect: the height is that of a constraint or of `preferredContentSize`.
    open var allowsSelfSizing = false

    public convenience init(frame: CGRect, inputViewStyle: Style) {
        self.init(frame: frame)
        self.inputViewStyle = inputViewStyle
    }
}

/// A keyboard's view that makes a sound for each key. It has no effect: nothing sounds.
@MainActor @preconcurrency public protocol UIInputViewAudioFeedback: NSObjectProtocol {
    var enableInputClicksWhenVisible: Bool { get }
}

extension UIInputViewAudioFeedback {
    public var enableInputClicksWhenVisible: Bool { false }
}

/// The connection of a keyboard to the text of its host, which the module `KeyboardService` makes.
@MainActor package protocol KeyboardConnection: AnyObject {
    var text: any UITextDocumentProxy { get }
    var hasFullAccess: Bool { get }
    var needsInputModeSwitchKey: Bool { get }
    /// The language of the extension's declaration.
    var language: String? { get }
    func changeLanguage(_ language: String?)
    func switchInputMode(showsList: Bool)
    func dismiss()
    func words() async -> UILexicon
}

/// A keyboard: the principal class of a keyboard extension.
///
/// A program of a keyboard extension is linked with the product `KeyboardService`, which connects it to the host's text.
/// Without a host, as in an app, the text stays in this process.
@MainActor @preconcurrency open class UIInputViewController: UIViewController, UITextInputDelegate {
    /// The connection of the controller that is being made.
    package static var starting: (any KeyboardConnection)?

    private let connection = UIInputViewController.starting
    private let document = OwnDocument()

    /// The text of the host. Edits return at once, and the context shows them later (observed).
    open var textDocumentProxy: any UITextDocumentProxy { connection?.text ?? document }
    open override var inputView: UIInputView? {
        get { view as? UIInputView }
        set { view = newValue }
    }
    /// The language, such as `en-US`: at first that of the extension's declaration. The host learns of a change.
    open var primaryLanguage: String? = UIInputViewController.starting?.language {
        didSet { connection?.changeLanguage(primaryLanguage) }
    }
    /// Has no effect: there is no dictation.
    open var hasDictationKey = false
    /// Whether the extension asks for full access and the user has given it (documented).
    open var hasFullAccess: Bool { connection?.hasFullAccess ?? false }
    /// Whether the keyboard has to offer a way to the next one.
    open var needsInputModeSwitchKey: Bool { connection?.needsInputModeSwitchKey ?? true }

    open override func loadView() {
        if !loadDrawnView() {
            view = UIInputView(frame: CGRect(x: 0, y: 0, width: 375, height: 216), inputViewStyle: .keyboard)
        }
    }

    /// Asks the host to remove the keyboard.
    open func dismissKeyboard() { connection?.dismiss() }
    /// Asks the host for the next keyboard of the user's list. The session of this one ends.
    open func advanceToNextInputMode() { connection?.switchInputMode(showsList: false) }
    /// Asks the host for the list of keyboards. A host without a person takes the next one.
    open func handleInputModeList(from view: UIView, with event: UIEvent) {
        connection?.switchInputMode(showsList: true)
    }

    /// Gives the user's names, shortcuts and common words, which are the host's. The handler is called once, on the main
    /// queue.
    open func requestSupplementaryLexicon(completion completionHandler: @escaping (UILexicon) -> Void) {
        nonisolated(unsafe) let handler = completionHandler  // called on the main actor only
        Task { @MainActor in handler(await connection?.words() ?? UILexicon()) }
    }

    /// The other form of `requestSupplementaryLexicon(completion:)`.
    open func requestSupplementaryLexicon() async -> UILexicon { await connection?.words() ?? UILexicon() }

    // The argument is nil, as on Apple's systems (documented).
    open func textWillChange(_ textInput: (any UITextInput)?) {}
    open func textDidChange(_ textInput: (any UITextInput)?) {}
    open func selectionWillChange(_ textInput: (any UITextInput)?) {}
    open func selectionDidChange(_ textInput: (any UITextInput)?) {}

    // MARK: The view

    /// The height in points: of a constraint of the view, else of `preferredContentSize`, else 216 (ours).
    package final var wantedHeight: CGFloat {
        let constraint = viewIfLoaded?.constraints.last {
            $0.firstItem === viewIfLoaded && $0.firstAttribute == .height && $0.secondItem == nil
        }
        let height = constraint?.constant ?? preferredContentSize.height
        return height.isFinite && height > 0 ? height : 216
    }

    /// Gives the view the host's width, and the height that it wants.
    package final func layOut(width: CGFloat) {
        guard let view = viewIfLoaded else { return }
        let size = CGSize(width: width, height: wantedHeight)
        guard view.frame.size != size else { return }
        view.frame = CGRect(origin: .zero, size: size)
        viewWillLayoutSubviews()
        view.layoutIfNeeded()
        viewDidLayoutSubviews()
    }

    /// Whether a control of the view sends one of the selectors that lead to the next keyboard.
    package final var showsSwitchKey: Bool {
        let selectors = Set(__Methods_UIInputViewController.switching)
        func sends(_ view: UIView) -> Bool {
            guard !view.isHidden, view.alpha > 0 else { return false }
            if let control = view as? UIControl, control.sends(selectors) { return true }
            return view.subviews.contains(where: sends)
        }
        return viewIfLoaded.map(sends) ?? false
    }
}
